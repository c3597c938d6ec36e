/**
 * Bounds the memory that a core module may grow to. A module brings its own memory, and neither the engine of Node nor a
 * worker's resource limits bound it; its declaration in the memory section does. Only a lower bound is ever written.
 */

const PAGE_BYTES = 65_536;
const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 0x01;

/** The same module with the maximum of its own memory at most `maximumBytes`. A module without a memory is unchanged. */
export function limitMemory(module: Uint8Array<ArrayBuffer>, maximumBytes: number): Uint8Array<ArrayBuffer> {
  const maximumPages = Math.floor(maximumBytes / PAGE_BYTES);
  let at = HEADER_BYTES;
  while (at < module.length) {
    const id = module[at];
    const size = readUnsigned(module, at + 1);
    const end = size.next + size.value;
    if (id === MEMORY_SECTION) {
      const body = limitedSection(module.subarray(size.next, end), maximumPages);
      return concatenate([module.subarray(0, at), Uint8Array.of(MEMORY_SECTION), unsigned(body.length), body, module.subarray(end)]);
    }
    at = end;
  }
  return module;
}

function limitedSection(section: Uint8Array, maximumPages: number): Uint8Array {
  const count = readUnsigned(section, 0);
  const flags = section[count.next];
  if (count.value !== 1 || flags === undefined || (flags & ~HAS_MAXIMUM) !== 0) {
    throw new Error("the component's memory is shared, 64-bit or not alone: its limit cannot be set");
  }
  const minimum = readUnsigned(section, count.next + 1);
  const declared = flags === HAS_MAXIMUM ? readUnsigned(section, minimum.next).value : Infinity;
  // Never below what the module starts with: it could not be instantiated.
  const maximum = Math.max(minimum.value, Math.min(declared, maximumPages));
  return concatenate([unsigned(1), Uint8Array.of(HAS_MAXIMUM), unsigned(minimum.value), unsigned(maximum)]);
}

/** A number in LEB128, as the format writes them. */
function readUnsigned(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined) {
      break;
    }
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) {
      return { value, next: at };
    }
  }
  throw new Error("the component's core module is damaged");
}

function unsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  do {
    const low = value % 128;
    value = Math.floor(value / 128);
    bytes.push(value > 0 ? low | 0x80 : low);
  } while (value > 0);
  return Uint8Array.from(bytes);
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

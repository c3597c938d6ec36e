import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { limitMemory } from "../dist/worker/memory-limit.js";

const MiB = 1024 * 1024;
const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** A module with one exported memory of the given limits. */
function moduleWithMemory(limits: readonly number[]): Uint8Array<ArrayBuffer> {
  const memory = [0x01, ...limits];
  return Uint8Array.from([...header, 0x05, memory.length, ...memory, 0x07, 0x05, 0x01, 0x01, 0x6d, 0x02, 0x00]);
}

interface WebAssemblyInterface {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: { m: { grow(pages: number): number } } };
  validate(bytes: Uint8Array): boolean;
}
const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyInterface }).WebAssembly;

function canGrow(module: Uint8Array, pages: number): boolean {
  const { m } = new webAssembly.Instance(new webAssembly.Module(module)).exports;
  try {
    m.grow(pages);
    return true;
  } catch {
    return false;
  }
}

test("a memory without a maximum gets one", () => {
  const module = moduleWithMemory([0x00, 0x01]);
  assert.ok(canGrow(module, 40));
  const limited = limitMemory(module, 2 * MiB);
  assert.ok(canGrow(limited, 31));
  assert.ok(!canGrow(limited, 32));
});

test("a lower maximum stays, a higher one is lowered", () => {
  assert.ok(!canGrow(limitMemory(moduleWithMemory([0x01, 0x01, 0x04]), 2 * MiB), 4));
  assert.ok(canGrow(limitMemory(moduleWithMemory([0x01, 0x01, 0x04]), 2 * MiB), 3));
  assert.ok(!canGrow(limitMemory(moduleWithMemory([0x01, 0x01, 0x80, 0x08]), 2 * MiB), 32));
});

test("a limit below what the module starts with leaves it what it starts with", () => {
  const limited = limitMemory(moduleWithMemory([0x00, 0x10]), MiB / 2);
  assert.ok(!canGrow(limited, 1));
});

test("a module without a memory is unchanged, and a shared memory is refused", () => {
  const bare = Uint8Array.from(header);
  assert.equal(limitMemory(bare, MiB), bare);
  assert.throws(() => limitMemory(moduleWithMemory([0x03, 0x01, 0x02]), MiB), /memory is shared/);
  assert.throws(() => limitMemory(Uint8Array.from([...header, 0x05, 0xff, 0xff]), MiB), /damaged/);
});

test("the component's own modules are valid after it", () => {
  const folder = new URL("../dist/component/", import.meta.url);
  const modules = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
  assert.ok(modules.length > 0);
  for (const name of modules) {
    assert.ok(webAssembly.validate(limitMemory(new Uint8Array(readFileSync(new URL(name, folder))), 64 * MiB)), name);
  }
});

/**
 * Compiles the component's core modules once per process, so that every worker of it, and every restart after a trap,
 * instantiates what is compiled already. Lives in module scope on purpose: it outlives a reload of the extension.
 */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { limitMemory } from "./memory-limit.js";
import type { CoreModules } from "./messages.js";
import { webAssembly } from "./web-assembly.js";

const compiled = new Map<string, Promise<CoreModules>>();

/** The core modules beside the component's module, with their memory limited. A failure is not remembered. */
export function compileCoreModules(componentUrl: string, memoryBytes: number): Promise<CoreModules> {
  const key = `${memoryBytes} ${componentUrl}`;
  const known = compiled.get(key);
  if (known !== undefined) {
    return known;
  }
  const modules = compile(fileURLToPath(new URL(".", componentUrl)), memoryBytes);
  compiled.set(key, modules);
  modules.catch(() => compiled.delete(key));
  return modules;
}

async function compile(folder: string, memoryBytes: number): Promise<CoreModules> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".wasm"));
  const modules = await Promise.all(
    names.map(async (name) => {
      const bytes = limitMemory(new Uint8Array(await readFile(join(folder, name))), memoryBytes);
      return [name, await webAssembly.compile(bytes)] as const;
    }),
  );
  return new Map(modules);
}

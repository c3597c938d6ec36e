/**
 * Makes an instance of the transpiled component: the generated glue, the compiled core modules, our ports, and the
 * closed world in place of WASI.
 */
import type { Root } from "../component/engine.js";
import type * as Planning from "../component/interfaces/ds4-context-planning.js";
import type * as Sessions from "../component/interfaces/ds4-context-sessions.js";
import { componentErrorCodes, EngineError, type ComponentErrorCode } from "../errors.js";
import type { StoragePort } from "../ports/storage.js";
import { completion, embedding, localKv } from "../ports/unavailable.js";
import { closedWorld } from "../wasi/closed-world.js";
import type { CoreModules } from "./messages.js";
import type { CoreModule } from "./web-assembly.js";

export type Component = Root;
export type ComponentSession = Sessions.Session;
export type ComponentJob = Planning.Job;

/** The package's version in the contract, as the generated declarations carry it. */
const CONTRACT_VERSION = "0.1.0";

interface GeneratedModule {
  instantiate(
    getCoreModule: (path: string) => Promise<CoreModule> | CoreModule,
    imports: Readonly<Record<string, unknown>>,
  ): Promise<Component>;
}

export async function instantiateComponent(
  componentUrl: string,
  coreModules: CoreModules | Promise<CoreModules>,
  storage: StoragePort,
): Promise<Component> {
  const [generated, modules] = await Promise.all([import(componentUrl) as Promise<GeneratedModule>, coreModules]);
  return generated.instantiate((path) => {
    const module = modules.get(path);
    if (module === undefined) {
      throw new Error(`the component's core module ${path} is missing`);
    }
    return module;
  }, componentImports(storage));
}

/**
 * The imports under both of their names: the generated declarations name them with a version, the generated code looks
 * them up without one.
 */
export function componentImports(storage: Pick<StoragePort, "imports">): Readonly<Record<string, unknown>> {
  const ports = {
    "ds4:context/storage": storage.imports(),
    "ds4:context/embedding": embedding,
    "ds4:context/completion": completion,
    "ds4:context/local-kv": localKv,
  };
  const imports: Record<string, unknown> = { "./closed-world.js": closedWorld };
  for (const [name, port] of Object.entries(ports)) {
    imports[name] = port;
    imports[`${name}@${CONTRACT_VERSION}`] = port;
  }
  return imports;
}

/** Releases a resource of the component; the generated classes carry this method without declaring it. */
export function dispose(resource: ComponentSession | ComponentJob): void {
  (resource as Partial<Disposable>)[Symbol.dispose]?.();
}

/**
 * What a failed call of the component means. A WIT error arrives with a `payload`; anything else (a trap, a port that
 * broke its contract) leaves the instance unusable and is `trapped`.
 */
export function componentFailure(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) {
    return thrown;
  }
  const payload = (thrown as { readonly payload?: { readonly tag?: unknown; readonly val?: unknown } } | undefined)?.payload;
  if (payload !== undefined && isComponentErrorCode(payload.tag)) {
    return new EngineError(payload.tag, typeof payload.val === "string" ? payload.val : payload.tag);
  }
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new EngineError("trapped", `the context engine crashed or ran out of memory, and is started anew (${what})`);
}

function isComponentErrorCode(tag: unknown): tag is ComponentErrorCode {
  return (componentErrorCodes as readonly unknown[]).includes(tag);
}

/** The part of WebAssembly's JavaScript interface that is used here; the types of Node do not declare it. */

/** A compiled core module. It can be posted to a worker without being compiled again. */
export interface CoreModule {
  readonly [Symbol.toStringTag]: string;
}

interface WebAssemblyInterface {
  compile(bytes: Uint8Array<ArrayBuffer>): Promise<CoreModule>;
  /** Makes a function that may suspend; not in every version of Node. */
  promising?: (wasmFunction: unknown) => unknown;
}

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyInterface }).WebAssembly;

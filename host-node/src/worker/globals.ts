/**
 * Two globals of the worker, set so that the generated code does not lose time over them. They belong to the worker alone.
 */
import { webAssembly } from "./web-assembly.js";

export function prepareGlobals(): void {
  // Looked into several times in every crossing to see whether to log; Node's own object is slow to look into.
  Object.defineProperty(process, "env", { value: Object.freeze({}) });
  // Asked for a dozen times while the component is instantiated, for functions that only asynchronous exports use; this
  // contract has none. Where it is missing, each failed attempt costs two milliseconds, because the error's text is made
  // from the whole of the generated code.
  webAssembly.promising ??= (wasmFunction) => wasmFunction;
}

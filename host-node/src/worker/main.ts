/**
 * The worker: one instance of the component, one call at a time. It answers every request, and after a trap it answers
 * `trapped` and waits to be stopped; it never tries to go on with an instance that crashed.
 */
import { parentPort, workerData, type MessagePort, type Transferable } from "node:worker_threads";
import { EngineError } from "../errors.js";
import { StoragePort } from "../ports/storage.js";
import { HeldLocks } from "../storage/held-locks.js";
import { componentFailure, instantiateComponent } from "./component.js";
import { prepareGlobals } from "./globals.js";
import { HeldSessions } from "./held-sessions.js";
import type { CoreModules, Request, Response, WorkerStart } from "./messages.js";

async function serve(port: MessagePort, start: WorkerStart): Promise<void> {
  const storage = new StoragePort(new HeldLocks(start.heldLocks));
  const coreModules = new Promise<CoreModules>((resolve) => port.once("message", resolve));
  let sessions: HeldSessions;
  try {
    sessions = new HeldSessions(await instantiateComponent(start.componentUrl, coreModules, storage), storage);
  } catch (error) {
    const message = `the component cannot be loaded: ${error instanceof Error ? error.message : String(error)}`;
    port.postMessage({ kind: "failure", code: "other", message, held: false } satisfies Response);
    return;
  }
  port.on("message", (request: Request) => {
    const response = answer(sessions, request);
    port.postMessage(response, buffersOf(response));
  });
  port.postMessage({ kind: "ready" } satisfies Response);
}

function answer(sessions: HeldSessions, request: Request): Response {
  try {
    const result = "session" in request ? sessions.answer(request) : sessions.answerEngine(request.body);
    return { kind: "answer", result };
  } catch (error) {
    const failure = error instanceof EngineError ? error : componentFailure(error);
    const held = "session" in request && sessions.holds(request.session);
    return { kind: "failure", code: failure.code, message: failure.message, held };
  }
}

/** The buffers of an answer's bytes, which are handed over and not copied. */
function buffersOf(response: Response): Transferable[] {
  const result = response.kind === "answer" ? response.result : null;
  return result instanceof Uint8Array && result.byteLength === result.buffer.byteLength && result.buffer instanceof ArrayBuffer
    ? [result.buffer]
    : [];
}

if (parentPort !== null) {
  prepareGlobals();
  await serve(parentPort, workerData as WorkerStart);
}

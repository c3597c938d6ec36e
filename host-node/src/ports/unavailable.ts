/**
 * Ports that this version of the host does not offer. Each answers in the words of its contract that there is nothing,
 * which the component takes as "do without".
 */
import { PortFailure } from "./port-failure.js";

/** No embedder. */
export const embedding = {
  getProfile: (): undefined => undefined,
  start: (_texts: readonly string[]): never => {
    throw new PortFailure({ tag: "unavailable", val: "this host has no embedder" } as const);
  },
  Batch: class Batch {},
};

/** No model to ask for summaries. */
export const completion = {
  getProfile: (_provider: string | undefined, _id: string | undefined): never => {
    throw new PortFailure({ tag: "not-found" } as const);
  },
  start: (_request: unknown): never => {
    throw new PortFailure({ tag: "transport", val: "this host has no model to ask" } as const);
  },
  Call: class Call {},
};

/** No local runtime with a key-value cache. */
export const localKv = {
  getIdentity: (): undefined => undefined,
  tryReuse: (_fingerprint: unknown, _prefixTokens: number) => ({ tag: "unavailable", val: "this host has no local runtime" }) as const,
  Replay: class Replay {
    static start(_fingerprint: unknown, _payload: Uint8Array): Replay {
      return new Replay();
    }
    poll() {
      return { tag: "err", val: "this host has no local runtime" } as const;
    }
  },
  shutdown: (): void => {},
};

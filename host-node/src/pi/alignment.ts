/**
 * Names each message of Pi's context by what the engine knows it as: a position in the session's projection, or a message
 * of its own that goes along `inline`.
 *
 * Other extensions may have inserted, removed, changed or moved messages before us. The walk keeps both lists in order,
 * so that one inserted message makes only itself inline, one removed costs nothing, and a removed stretch is skipped.
 *
 * Invariants: every message stands in exactly one span, in order; a projected position is used at most once.
 */
import type { Run, Span } from "../contract.js";
import { sameMessage } from "./message-equality.js";
import type { PiMessage } from "./pi-types.js";

/** Projected messages that may be skipped without more evidence than one equal message. */
const SKIP_WINDOW = 8;

export interface Alignment {
  readonly spans: readonly Span[];
  /** Messages that the projection does not hold, in the order in which `inline` spans count them. */
  readonly inline: readonly PiMessage[];
}

export function alignMessages(messages: readonly PiMessage[], projection: readonly PiMessage[]): Alignment {
  const spans: MutableSpan[] = [];
  const inline: PiMessage[] = [];
  const finder = new ProjectionFinder(messages, projection);
  let next = 0;
  for (const [place, message] of messages.entries()) {
    const found = finder.find(place, next);
    if (found === undefined) {
      extend(spans, "inline", inline.length);
      inline.push(message);
    } else {
      extend(spans, "projected", found);
      next = found + 1;
    }
  }
  return { spans, inline };
}

/** Every message as one of its own, for a session that the engine cannot see. */
export function allInline(messages: readonly PiMessage[]): Alignment {
  return { spans: messages.length === 0 ? [] : [{ tag: "inline", val: { first: 0, count: messages.length } }], inline: messages };
}

type MutableSpan = { readonly tag: Span["tag"]; readonly val: { readonly first: number; count: number } };

function extend(spans: MutableSpan[], tag: Span["tag"], position: number): void {
  const last = spans.at(-1);
  if (last !== undefined && last.tag === tag && end(last.val) === position) {
    last.val.count += 1;
  } else {
    spans.push({ tag, val: { first: position, count: 1 } });
  }
}

function end(run: Run): number {
  return run.first + run.count;
}

class ProjectionFinder {
  readonly #messages: readonly PiMessage[];
  readonly #projection: readonly PiMessage[];
  /** Positions of the projection by time stamp; made when the first message is not where it is expected. */
  #byTimestamp: Map<unknown, number[]> | undefined;

  constructor(messages: readonly PiMessage[], projection: readonly PiMessage[]) {
    this.#messages = messages;
    this.#projection = projection;
  }

  /** The first position from `from` on that holds the message at `place`. */
  find(place: number, from: number): number | undefined {
    if (this.#equal(place, from)) {
      return from;
    }
    const message = this.#messages[place];
    for (const position of this.#positionsOf(message?.timestamp)) {
      if (position > from && this.#equal(place, position)) {
        // Far ahead a single message may have been moved; a removed stretch goes on with the next one.
        const isNear = position - from <= SKIP_WINDOW;
        return isNear || place + 1 === this.#messages.length || this.#equal(place + 1, position + 1) ? position : undefined;
      }
    }
    return undefined;
  }

  #equal(place: number, position: number): boolean {
    const message = this.#messages[place];
    const projected = this.#projection[position];
    return message !== undefined && projected !== undefined && sameMessage(message, projected);
  }

  #positionsOf(timestamp: unknown): readonly number[] {
    if (this.#byTimestamp === undefined) {
      this.#byTimestamp = new Map();
      for (const [position, message] of this.#projection.entries()) {
        const positions = this.#byTimestamp.get(message.timestamp);
        if (positions === undefined) {
          this.#byTimestamp.set(message.timestamp, [position]);
        } else {
          positions.push(position);
        }
      }
    }
    return this.#byTimestamp.get(timestamp) ?? [];
  }
}

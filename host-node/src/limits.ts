/**
 * Every bound of this host, with its unit. The component has bounds of its own; these are what the host enforces
 * around it.
 */

/** One plan, from the call to its answer: reading what the log gained, the worker's round trip and a restart included. */
export const PLAN_DEADLINE_MS = 2_000;

/** Any other call: one slice of a log, a document, a configuration. */
export const CALL_DEADLINE_MS = 10_000;

/** The longest that a timer of Node can wait; it fires at once for anything longer. About 25 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Share of a call's time that may go into reading a log. A longer log is left half-read with an error of its own instead
 * of being cut off by the deadline, so that the next call goes on from there.
 */
export const LOG_READING_SHARE = 0.75;

/** Bytes of a log that are read in one crossing. */
export const LOG_SLICE_BYTES = 1024 * 1024;

/** Bytes that one call of the storage port carries at most (the contract's limit). */
export const PORT_CALL_BYTES = 8 * 1024 * 1024;

/** Bytes of memory that the component may grow to; at the limit an allocation fails and the instance is dropped. */
export const COMPONENT_MEMORY_BYTES = 1024 * 1024 * 1024;

/** MiB of JavaScript heap for the worker: the generated glue and messages under way, not the component's memory. */
export const WORKER_HEAP_MIB = 256;

/** Log files that the storage port keeps open. */
export const OPEN_FILES = 8;

/** Bytes of the random seed that a session's references are derived from. */
export const SEED_BYTES = 32;

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

/** Bytes of text that one call of the component indexes: one transaction of the database. */
export const INDEX_SLICE_BYTES = 1024 * 1024;

/**
 * Milliseconds between two slices of an index: another process that waits for the database gets it then, instead of finding it taken
 * again at every look.
 */
export const INDEX_PAUSE_MS = 10;

/** Hits of a search whose caller does not say. */
export const FOUND_HITS = 10;

/** Lines of an entry that are read where the caller does not say (behaviour 2.16). */
export const READ_LINES = 120;

/** A check of every page of a database, which takes time in proportion to it. */
export const DEEP_CHECK_DEADLINE_MS = 60_000;

/** Milliseconds for which a busy call is repeated where the configuration does not say (behaviour 3.11). */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Milliseconds for which a plan waits for the index while another process holds it; then it is made without evidence. Less where
 * `storage.busyTimeoutMs` or what is left of the deadline is.
 */
export const PLAN_PATIENCE_MS = 700;

/** Milliseconds before a plan that waits looks again. */
export const PLAN_POLL_MS = 5;

/** The longest pause before a busy call is made again; each is a random part of it. */
export const LONGEST_BUSY_PAUSE_MS = 50;

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

/** Bytes of a block file's name. */
export const BLOCK_FILE_NAME_BYTES = 255;

/**
 * The largest size of a block file in bytes, 1 TiB: every file system in use takes it, so that a commit that was accepted
 * can always be applied.
 */
export const BLOCK_FILE_BYTES = 2 ** 40;

/** Milliseconds for which a lock counts as touched. */
export const LOCK_TOUCHED_MS = 60_000;

/** Milliseconds after which a lock that cannot be parsed is stale: its maker died between making and writing it. */
export const UNREADABLE_LOCK_MS = 2_000;

/** Milliseconds after which a takeover that nobody finished is given up. */
export const TAKEOVER_MS = 10_000;

/** Milliseconds between two touches of a lock. */
export const TOUCH_INTERVAL_MS = 1_000;

/** Block files that one worker can have locked at once. */
export const HELD_LOCKS = 8;

/** Bytes that are copied at once from a commit record into its block file. */
export const COPY_BYTES = 1024 * 1024;

/** Milliseconds after which an object that nobody finished is removed. One day. */
export const UNFINISHED_OBJECT_MS = 24 * 60 * 60 * 1000;

/** Objects that one call lists at most; their names and sizes stay below what a call may carry. */
export const LISTED_OBJECTS = 65_536;

/** The storage port's errors: the contract's `storage-error`, and what the system reports turned into it. */
import { PortFailure } from "./port-failure.js";

export type StorageError =
  { readonly tag: "not-found" | "access-denied" | "busy" | "full" } | { readonly tag: "corrupt" | "other"; readonly val: string };

export class StorageFailure extends PortFailure<StorageError> {}

export function accessDenied(): StorageFailure {
  return new StorageFailure({ tag: "access-denied" });
}

/** Runs a file operation and turns what the system reports into the contract's errors. */
export function translated<Result>(operation: () => Result): Result {
  try {
    return operation();
  } catch (error) {
    throw error instanceof StorageFailure ? error : new StorageFailure(storageError(error));
  }
}

function storageError(error: unknown): StorageError {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { tag: "not-found" };
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ELOOP":
    case "EISDIR":
      return { tag: "access-denied" };
    case "EBUSY":
    case "EAGAIN":
      return { tag: "busy" };
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG": // a limit on the size of files
      return { tag: "full" };
    default:
      // The system's message holds paths; its code is enough for a person to act on.
      return { tag: "other", val: `the file could not be read or written${code === undefined ? "" : ` (${code})`}` };
  }
}

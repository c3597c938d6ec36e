/** The contract's limit on what one call of the storage port carries. */
import { PORT_CALL_BYTES } from "../limits.js";
import { StorageFailure } from "../ports/storage-failure.js";

/** `other` for more than a call may carry. */
export function requireCallSize(bytes: number): void {
  if (bytes > PORT_CALL_BYTES) {
    throw new StorageFailure({ tag: "other", val: `a call carries at most ${PORT_CALL_BYTES} bytes` });
  }
}

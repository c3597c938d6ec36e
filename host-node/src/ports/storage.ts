/**
 * The storage port over `node:fs`: canonical files, read only, in the places that the session at hand was granted.
 *
 * Block files and objects are answered with `access-denied`: this version of the host has no place for derived state,
 * and the contract allows that answer. No call carries more than 8 MiB.
 */
import { PORT_CALL_BYTES } from "../limits.js";
import { listFiles } from "./listing.js";
import { OpenFiles } from "./open-files.js";
import { accessDenied, placeFolder, resolveInPlace, StorageFailure, translated, type PlaceGrants, type PlaceName } from "./places.js";

export class StoragePort {
  #grants: PlaceGrants = {};
  readonly #files = new OpenFiles();

  /** What the next calls may read. Calls are synchronous, so the session that is at work is the only one that asks. */
  grant(grants: PlaceGrants): void {
    this.#grants = grants;
  }

  close(): void {
    this.#files.close();
  }

  readFile(place: PlaceName, path: string, offset: bigint, length: number): Uint8Array {
    if (length > PORT_CALL_BYTES) {
      throw new StorageFailure({ tag: "other", val: `a call carries at most ${PORT_CALL_BYTES} bytes` });
    }
    const real = resolveInPlace(this.#grants, place, path);
    // No file reaches beyond 2^53 bytes, so the rounding of a larger offset cannot be seen.
    return translated(() => this.#files.read(real, Number(offset), length));
  }

  listFiles(place: PlaceName, after: string | undefined, limit: number): Uint8Array {
    const folder = placeFolder(this.#grants, place);
    return translated(() => listFiles(folder, after, limit));
  }

  /** The port as the transpiled component imports it. */
  imports() {
    return {
      readFile: this.readFile.bind(this),
      listFiles: this.listFiles.bind(this),
      BlockFile: class BlockFile {},
      ObjectWriter: class ObjectWriter {
        static start = withoutDerivedState;
      },
      openBlockFile: withoutDerivedState,
      removeBlockFile: withoutDerivedState,
      getObject: withoutDerivedState,
      listObjects: withoutDerivedState,
      removeObject: withoutDerivedState,
    };
  }
}

function withoutDerivedState(): never {
  throw accessDenied();
}

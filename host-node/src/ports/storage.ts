/**
 * The storage port over `node:fs`: canonical files, read only, in the places that the session at hand was granted, and
 * derived state in its data folder. No call carries more than 8 MiB.
 */
import { requireCallSize } from "../storage/call-size.js";
import { DerivedState } from "../storage/derived-state.js";
import { HeldLocks } from "../storage/held-locks.js";
import { listFiles } from "./listing.js";
import { OpenFiles } from "./open-files.js";
import { placeFolder, resolveInPlace, type PlaceGrants, type PlaceName } from "./places.js";
import { translated } from "./storage-failure.js";

export class StoragePort {
  #grants: PlaceGrants = {};
  readonly #files = new OpenFiles();
  readonly #derivedState: DerivedState;

  /** The locks that are taken are entered in `heldLocks`. */
  constructor(heldLocks: HeldLocks = new HeldLocks()) {
    this.#derivedState = new DerivedState(heldLocks);
  }

  /**
   * What the next calls may read, and the folder for derived state; without one, calls about it are `access-denied`. Calls
   * are synchronous, so the session that is at work is the only one that asks.
   */
  grant(grants: PlaceGrants, dataFolder?: string): void {
    this.#grants = grants;
    this.#derivedState.grant(dataFolder);
  }

  close(): void {
    this.#files.close();
  }

  readFile(place: PlaceName, path: string, offset: bigint, length: number): Uint8Array {
    requireCallSize(length);
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
      ...this.#derivedState.imports(),
    };
  }
}

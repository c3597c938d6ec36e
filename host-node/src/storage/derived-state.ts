/**
 * Derived state as the transpiled component imports it: block files and objects in the data folder of the session at work,
 * `access-denied` where that has none.
 */
import { accessDenied, translated } from "../ports/storage-failure.js";
import { BlockFile, blockFileSize } from "./block-file.js";
import { DataFolder } from "./data-folder.js";
import type { HeldLocks } from "./held-locks.js";
import { getObject, listObjects, ObjectWriter, removeObject, type ObjectStat } from "./objects.js";

export class DerivedState {
  readonly #heldLocks: HeldLocks;
  #granted: string | undefined;

  constructor(heldLocks: HeldLocks) {
    this.#heldLocks = heldLocks;
  }

  /** The data folder that the next calls may use; it is made with the first of them. */
  grant(dataFolder: string | undefined): void {
    this.#granted = dataFolder;
  }

  openBlockFile(name: string): BlockFile {
    return new BlockFile(this.#folder(), name, this.#heldLocks);
  }

  /** Size in bytes at the moment, without the lock; none where the file is not there. Makes nothing. */
  blockFileSize(name: string): bigint | undefined {
    return translated(() => blockFileSize(this.#folder(), name));
  }

  removeBlockFile(name: string): void {
    this.openBlockFile(name).remove();
  }

  getObject(sha256: string, offset: bigint, length: number): Uint8Array {
    return translated(() => getObject(this.#folder(), sha256, offset, length));
  }

  listObjects(after: string | undefined, limit: number): ObjectStat[] {
    return translated(() => listObjects(this.#folder(), after, limit));
  }

  removeObject(sha256: string): void {
    translated(() => removeObject(this.#folder(), sha256));
  }

  /** The imports under their names. */
  imports() {
    const folder = this.#folder.bind(this);
    /** What `start` returns has to be of the class that is imported. */
    class StartedObject extends ObjectWriter {
      static start = (): StartedObject => translated(() => new StartedObject(folder()));
    }
    return {
      BlockFile,
      openBlockFile: this.openBlockFile.bind(this),
      blockFileSize: this.blockFileSize.bind(this),
      removeBlockFile: this.removeBlockFile.bind(this),
      ObjectWriter: StartedObject,
      getObject: this.getObject.bind(this),
      listObjects: this.listObjects.bind(this),
      removeObject: this.removeObject.bind(this),
    };
  }

  #folder(): DataFolder {
    if (this.#granted === undefined) {
      throw accessDenied();
    }
    return new DataFolder(this.#granted);
  }
}

/** The lock of a block file: what stands in it, when it is stale, and what becomes of a holder that lost it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { FileLock } from "../dist/storage/file-lock.js";
import { HeldLocks } from "../dist/storage/held-locks.js";
import { ownBeginning } from "../dist/storage/process-identity.js";
import { Takeover } from "../dist/storage/takeover.js";
import { Transaction } from "../dist/storage/transaction.js";
import { StorageFailure } from "../dist/ports/storage-failure.js";
import { commitAll, contentOf, foreignLock, forgetLock, leaveRecord, openBlockFile, tagged } from "./block-files.js";
import { temporaryFolder } from "./temporary-folder.js";

const SECOND = 1000;

function scene(context: TestContext) {
  const folder = temporaryFolder(context);
  const file = openBlockFile(folder);
  file.lock();
  commitAll(file, "content");
  file.unlock();
  const lock = join(folder, "pages.lock");
  const age = (path: string, milliseconds: number) => utimesSync(path, Date.now() / 1000, (Date.now() - milliseconds) / 1000);
  const leave = (text: string, ageMs = 0) => {
    writeFileSync(lock, text);
    age(lock, ageMs);
  };
  return { folder, file, lock, takeover: join(folder, "pages.takeover"), age, leave };
}

function requireTakenOver(folder: string): void {
  assert.deepEqual(contentOf(openBlockFile(folder)), { counter: 1n, content: "content" });
  assert.deepEqual(readdirSync(folder).sort(), ["pages", "pages.state"]);
}

/** The number of a process that was there and is gone. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

test("a lock names its process, the host with the process namespace, the process's beginning, and a nonce", (context) => {
  const { file, lock } = scene(context);
  file.lock();
  const first = readFileSync(lock, "utf8");
  file.unlock();
  file.lock();
  const second = readFileSync(lock, "utf8");
  file.unlock();
  const namespace = process.platform === "linux" ? `#${/\d+/.exec(readlinkSync("/proc/self/ns/pid"))}` : "";
  const nonces = [first, second].map((text) => (JSON.parse(text) as { nonce: string }).nonce);
  const began = process.platform === "linux" ? `"began":"${ownBeginning()}",` : "";
  assert.equal(first, `{"pid":${process.pid},"host":${JSON.stringify(hostname() + namespace)},${began}"nonce":"${nonces[0]}"}`);
  assert.match(nonces.join(), /^[0-9a-f]{32},[0-9a-f]{32}$/);
  assert.notEqual(nonces[0], nonces[1]);
});

test("a lock of a process that is gone is taken over at once", (context) => {
  const { folder, leave } = scene(context);
  const pid = deadPid();
  for (const ageMs of [0, 30 * SECOND, -3600 * SECOND]) {
    leave(foreignLock({ pid }), ageMs);
    requireTakenOver(folder);
  }
});

test("a lock of a process of which nothing is known holds for a minute", (context) => {
  const { folder, file, leave } = scene(context);
  const pid = deadPid();
  for (const text of [foreignLock({}), foreignLock({ pid, host: "elsewhere" }), foreignLock({ pid, host: `${hostname()}#1` })]) {
    for (const ageMs of [0, 55 * SECOND, -5 * SECOND, -3600 * SECOND]) {
      leave(text, ageMs);
      assert.throws(() => file.lock(), tagged("busy"), `${text} ${ageMs}`);
    }
    leave(text, 61 * SECOND);
    requireTakenOver(folder);
  }
});

const onLinux = { skip: process.platform !== "linux" && "this system does not show when a process began" };

test("a lock of a process that lives holds however long it stood still", onLinux, (context) => {
  const { folder, file, leave } = scene(context);
  const began = ownBeginning() ?? assert.fail("Linux shows it");
  for (const ageMs of [0, 61 * SECOND, 86_400 * SECOND]) {
    leave(foreignLock({ began }), ageMs);
    assert.throws(() => file.lock(), tagged("busy"), `${ageMs}`);
    // Its number was given to another process since.
    for (const other of [foreignLock({ began: "another boot/1" }), foreignLock({ pid: 1, began }), foreignLock({ pid: deadPid(), began })]) {
      leave(other, ageMs);
      requireTakenOver(folder);
    }
  }
});

test("a takeover is given up once its maker is gone and not before", onLinux, (context) => {
  const { folder, file, takeover, age, leave } = scene(context);
  leave(foreignLock({ pid: deadPid() }));
  const began = ownBeginning() ?? assert.fail("Linux shows it");
  writeFileSync(takeover, foreignLock({ began }));
  age(takeover, 3600 * SECOND);
  assert.throws(() => file.lock(), tagged("busy"));
  assert.ok(existsSync(takeover));
  writeFileSync(takeover, foreignLock({ pid: deadPid(), began }));
  assert.throws(() => file.lock(), tagged("busy"));
  assert.ok(!existsSync(takeover));
  requireTakenOver(folder);
});

test("a takeover that was given up leaves that of another process alone", (context) => {
  const { folder, takeover } = scene(context);
  const heldLocks = new HeldLocks();
  const nonce = "a".repeat(32);
  const mine = Takeover.begin(takeover, nonce, heldLocks) ?? assert.fail("nobody takes over");
  assert.ok(mine.stands());
  assert.deepEqual(heldLocks.entered(), [{ path: takeover, nonce }], "a worker that ends is not in the way");
  assert.equal(Takeover.begin(takeover, "b".repeat(32), heldLocks), undefined);
  rmSync(takeover);
  writeFileSync(takeover, "another process's");
  assert.ok(!mine.stands());
  mine.end();
  assert.equal(readFileSync(takeover, "utf8"), "another process's");
  rmSync(takeover);
  Takeover.begin(takeover, nonce, heldLocks)?.end();
  assert.deepEqual(readdirSync(folder).sort(), ["pages", "pages.state"]);
  assert.deepEqual(heldLocks.entered(), []);
});

test("a lock that cannot be parsed holds for two seconds", (context) => {
  const { folder, file, leave } = scene(context);
  const texts = [
    "",
    "{",
    "null",
    "7",
    foreignLock({}).slice(0, -1),
    foreignLock({ pid: 0 }),
    foreignLock({ pid: -1 }),
    foreignLock({ pid: 1.5 }),
    foreignLock({ pid: 2 ** 40 }),
    foreignLock({ nonce: "short" }),
    `${foreignLock({})}${" ".repeat(5000)}x`,
  ];
  for (const text of texts) {
    leave(text);
    assert.throws(() => file.lock(), tagged("busy"), text);
    leave(text, 3 * SECOND);
    requireTakenOver(folder);
  }
});

test("a takeover that is under way keeps others off, and one that was left is given up", (context) => {
  const { folder, file, takeover, age, leave } = scene(context);
  leave(foreignLock({ pid: deadPid() }));
  for (const ageMs of [0, 8 * SECOND, -3600 * SECOND]) {
    writeFileSync(takeover, "");
    age(takeover, ageMs);
    assert.throws(() => file.lock(), tagged("busy"));
    assert.ok(existsSync(takeover));
  }
  age(takeover, 11 * SECOND);
  assert.throws(() => file.lock(), tagged("busy"), "busy even now");
  assert.ok(!existsSync(takeover));
  requireTakenOver(folder);
});

test("a process that died between the steps of a takeover keeps nobody off", (context) => {
  const { folder, lock, takeover } = scene(context);
  writeFileSync(takeover, "");
  writeFileSync(`${lock}.${"e".repeat(32)}`, foreignLock({ pid: deadPid() }));
  assert.deepEqual(contentOf(openBlockFile(folder)), { counter: 1n, content: "content" });
});

test("a holder touches its lock at most once a second", async (context) => {
  const { file, lock, age } = scene(context);
  file.lock();
  age(lock, 30 * SECOND);
  file.size();
  assert.ok(Date.now() - statSync(lock).mtimeMs > 20 * SECOND, "it did so when it took it");
  await wait(1100);
  file.size();
  assert.ok(Date.now() - statSync(lock).mtimeMs < 5 * SECOND);
  file.unlock();
});

test("a holder that lost its lock reads nothing more and frees nothing", async (context) => {
  const { folder, file, lock } = scene(context);
  const other = openBlockFile(folder);
  file.lock();
  forgetLock(lock);
  other.lock();
  await wait(1100);
  assert.throws(() => file.size(), tagged("busy"));
  assert.throws(() => file.read(0n, 1), tagged("busy"));
  assert.throws(() => commitAll(file, "mine"), tagged("busy"));
  file.unlock();
  assert.ok(existsSync(lock));
  assert.throws(() => file.lock(), tagged("busy"));
  commitAll(other, "theirs");
  other.unlock();
  assert.deepEqual(contentOf(file), { counter: 2n, content: "theirs" });
});

test("a commit that lost its lock changes nothing, and leaves the record of the new holder alone", (context) => {
  const { folder, file, lock } = scene(context);
  const other = openBlockFile(folder);
  file.lock();
  file.commit([{ offset: 0n, length: 4 }], Buffer.from("mine"), 0n, false);
  forgetLock(lock);
  other.lock();
  assert.ok(!existsSync(join(folder, "pages.commit")), "half a record was found and removed");
  other.commit([{ offset: 0n, length: 3 }], Buffer.from("the"), 0n, false);
  assert.throws(() => file.commit([{ offset: 4n, length: 4 }], Buffer.from("mine"), 8n, true), tagged("busy"));
  file.unlock();
  assert.equal(other.commit([{ offset: 3n, length: 3 }], Buffer.from("irs"), 6n, true), 2n);
  other.unlock();
  assert.deepEqual(contentOf(file), { counter: 2n, content: "theirs" });
});

test("a commit whose lock is lost while it is applied is finished by the new holder", (context) => {
  /** Loses the lock after some calls of `keep`. */
  class LostLock extends FileLock {
    callsLeft: number;
    constructor(path: string, callsLeft: number) {
      super(path, new HeldLocks());
      this.callsLeft = callsLeft;
    }
    override keep(): void {
      this.callsLeft -= 1;
      if (this.callsLeft < 0) {
        throw new StorageFailure({ tag: "busy" });
      }
    }
  }
  const { folder, lock } = scene(context);
  const path = join(folder, "pages");
  // Two calls look at the size for the counter, one begins the commit; the rest come while it is applied.
  for (let calls = 3; calls < 6; calls++) {
    const before = contentOf(openBlockFile(folder)).counter;
    const transaction = new Transaction(path, dirname(path), new LostLock(lock, calls));
    const text = `text ${calls}`;
    const commit = () => transaction.commit([{ offset: 0n, length: text.length }], Buffer.from(text), BigInt(text.length), true);
    assert.throws(commit, tagged("busy"));
    assert.throws(() => transaction.size(), tagged("busy"));
    rmSync(lock);
    transaction.end();
    assert.ok(existsSync(`${path}.commit`), `${calls}: left for the new holder`);
    assert.deepEqual(contentOf(openBlockFile(folder)), { counter: before + 1n, content: text });
  }
});

test("a record that stands where a commit begins means that the lock is lost", (context) => {
  const { folder, file } = scene(context);
  file.lock();
  leaveRecord(join(folder, "pages.commit"), "theirs", 2n);
  assert.throws(() => commitAll(file, "mine"), tagged("busy"));
  assert.throws(() => file.size(), tagged("busy"));
  file.unlock();
  assert.deepEqual(contentOf(file), { counter: 2n, content: "theirs" });
});

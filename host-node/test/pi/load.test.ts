/**
 * Load: two Pis that talk in sessions of their own, while the Rust command line indexes, searches and plans the same logs and a process
 * of the Rust host follows the very session of the first Pi, all of them over one database. `DS4_LOAD_SECONDS` is how long (8).
 *
 * Whatever the others do, nobody reads an error, every request that asks for it holds its evidence, the database is whole at the end
 * and the logs were only appended to.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { MOCK_SMALL } from "./kit/agent-home.ts";
import { AppendOnlyWatch } from "./kit/append-only.ts";
import { assertFits, assertValid, isEvidence, talk } from "./kit/conversation.ts";
import { describeForEachPi, extensionPackage } from "./kit/installations.ts";
import type { ReceivedRequest } from "./kit/mock-provider.ts";
import { payloadText } from "./kit/payload.ts";
import type { PiRpc } from "./kit/pi-rpc.ts";
import { runRust, type ProgramRun } from "./kit/rust-programs.ts";
import { Scene } from "./kit/scene.ts";

const LOAD_MS = Number(process.env["DS4_LOAD_SECONDS"] ?? 8) * 1_000;
/** Questions of one Pi; each has an answer of its own in the first message. */
const MOST_QUESTIONS = 250;
/** Turns after which the window no longer holds the first message. */
const TURNS_BEFORE = 5;

interface Talker {
  readonly rpc: PiRpc;
  readonly log: string;
  readonly name: string;
  /** What only the first message of the session says. */
  readonly branch: string;
}

interface Figures {
  questions: number;
  /** Requests that were to hold evidence and did not, with what the plan says about it. */
  readonly without: string[];
}

describeForEachPi("load", (pi) => {
  test("two Pis and Rust processes share one database", { timeout: 120_000 + 3 * LOAD_MS }, async (t) => {
    const scene = await Scene.open(t, pi);
    // The Rust command line knows no projects: the database that all of them use is the agent's.
    scene.home.configure("ds4-context.json", { storage: { scope: "agent" } });
    const talkers = await Promise.all([start(scene, "heron", "rel/heron-7", 0), start(scene, "falcon", "rel/falcon-9", 1)]);
    // The engine's code is compiled once, and not while the load is on.
    succeeded(await commandLine(scene, ["inspect", "--session", talkers[0]?.log ?? ""]));
    const watches = talkers.map(({ log }) => new AppendOnlyWatch(log));
    const endsAt = performance.now() + LOAD_MS;
    const [figures, rounds, followed] = await Promise.all([
      Promise.all(talkers.map((talker, place) => talkOn(scene, talker, 1_000 * (place + 1), endsAt))),
      commandLineRounds(scene, talkers, endsAt),
      follow(scene, talkers[0] ?? assert.fail()),
    ]);
    const questions = figures.map(({ questions }) => questions);
    console.log(`${pi.version}, ${LOAD_MS / 1_000} s: ${questions.join(" and ")} questions, ${rounds} rounds of the command line, ${followed} rounds beside Pi`);
    assert.deepEqual(figures.flatMap(({ without }) => without), [], "requests without their evidence");
    assert.ok(questions.every((count) => count > 0) && rounds > 0 && followed > 0);
    for (const watch of watches) watch.check();
    const hashes = talkers.map(({ log }) => hashOf(log));
    for (const { rpc, log } of talkers) {
      assert.match((await rpc.command("/context health"))[0]?.text ?? "", /whole: every page was checked/);
      assert.deepEqual(rpc.extensionErrors, []);
      assert.deepEqual(rpc.notifications.filter(({ text }) => !/whole: every page was checked/.test(text)), []);
      assert.equal(rpc.stderr, "");
      succeeded(await commandLine(scene, ["health", "--session", log]));
    }
    assert.deepEqual(talkers.map(({ log }) => hashOf(log)), hashes);
  });
});

/** A name that the first message says once and one question asks for. */
function host(name: string, number: number): string {
  return `${name}Host${number}q`;
}

async function start(scene: Scene, name: string, branch: string, place: number): Promise<Talker> {
  const rpc = await scene.start({ extensions: [extensionPackage()] });
  await rpc.selectModel(MOCK_SMALL);
  const ports = Array.from({ length: MOST_QUESTIONS }, (_, number) => `The port of ${host(name, number)} is ${50_000 + number}.`);
  await rpc.prompt(`${name} ships from branch ${branch}.\n${ports.join("\n")}\n[[say:Noted.]]`);
  await talk(rpc, 1 + 20 * place, TURNS_BEFORE + 20 * place);
  const log = await rpc.sessionFile();
  assert.ok(log !== undefined);
  return { rpc, log, name, branch };
}

/** Turns, each followed by a question that only evidence answers. */
async function talkOn(scene: Scene, { rpc, name }: Talker, firstTurn: number, endsAt: number): Promise<Figures> {
  const figures: Figures = { questions: 0, without: [] };
  while (performance.now() < endsAt && figures.questions < MOST_QUESTIONS) {
    const number = figures.questions;
    const turn = firstTurn + number;
    const prompt = `Question ${turn}: which port has ${host(name, number)}? [[say:That one.]]`;
    await rpc.prompt(prompt);
    const request = requestOf(scene, prompt);
    assertValid(request, prompt);
    assertFits(request, MOCK_SMALL);
    figures.questions += 1;
    const port = String(50_000 + number);
    if (!request.payload.messages.some(({ text }) => isEvidence(text) && text.includes(port))) {
      const said = [...(await rpc.command("/context retrieved")), ...(await rpc.command("/context health"))];
      const why = said.map(({ text }) => text).join(" ");
      figures.without.push(`question ${turn}${payloadText(request.payload).includes(port) ? " (known)" : ""}: ${why}`);
    }
    await talk(rpc, turn, turn);
  }
  return figures;
}

function requestOf(scene: Scene, prompt: string): ReceivedRequest {
  const request = scene.provider.requests.findLast(({ payload }) => payload.messages.some(({ text }) => text === prompt));
  assert.ok(request !== undefined, prompt);
  return request;
}

/** One command after the other, as a person gives them. How many rounds of all. */
async function commandLineRounds(scene: Scene, talkers: readonly Talker[], endsAt: number): Promise<number> {
  let rounds = 0;
  for (; performance.now() < endsAt; rounds++) {
    const { log, branch } = talkers[rounds % talkers.length] ?? assert.fail();
    const session = ["--session", log];
    succeeded(await commandLine(scene, rounds % 5 === 4 ? ["index", ...session, "--rebuild"] : ["index", ...session]));
    const found = JSON.parse(succeeded(await commandLine(scene, ["search", ...session, "--json", `what ships from ${branch}?`]))) as {
      readonly indexedEntries: number;
      readonly logEntries: number;
      readonly hits: readonly { readonly excerpt: string }[];
    };
    assert.equal(found.indexedEntries, found.logEntries);
    assert.ok(found.hits.some(({ excerpt }) => excerpt.includes(branch)), JSON.stringify(found).slice(0, 2_000));
    const manifest = JSON.parse(succeeded(await commandLine(scene, ["plan", ...session, "--budget", "6000", "--manifest"]))) as {
      readonly retrieval: { readonly status: string };
    };
    assert.notEqual(manifest.retrieval.status, "failed", JSON.stringify(manifest.retrieval));
  }
  return rounds;
}

async function commandLine(scene: Scene, words: readonly string[]): Promise<ProgramRun> {
  const started = performance.now();
  const run = await runRust("ds4-context", [...words, "--data-dir", dataFolder(scene)], environmentOf(scene));
  const seconds = (performance.now() - started) / 1_000;
  return run.stderr === "" ? run : { ...run, stderr: `${words[0]}, ${seconds.toFixed(1)} s: ${run.stderr}` };
}

function succeeded({ code, stdout, stderr }: ProgramRun): string {
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

/** A process of the Rust host on the very session, and its rows, that Pi has open. How often it looked. */
async function follow(scene: Scene, { log, branch }: Talker): Promise<number> {
  const root = join(scene.home.root, "beside");
  mkdirSync(root);
  symlinkSync(dirname(log), join(root, "sessions"));
  symlinkSync(dataFolder(scene), join(root, "data"));
  const { id } = JSON.parse(readFileSync(log, "utf8").split("\n")[0] ?? "") as { readonly id: string };
  const words = ["seek", root, id, basename(log), branch, String(LOAD_MS)];
  const { code, stdout, stderr } = await runRust("index-worker", words, environmentOf(scene));
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, stdout.split("\n").at(-2)?.slice(0, 2_000));
  return stdout.split("\n").filter((line) => line === "round").length;
}

function dataFolder(scene: Scene): string {
  return join(scene.home.agentFolder, "ds4-context");
}

/** That of the Pis, with the compiled engine kept outside of the scene. */
function environmentOf(scene: Scene): Record<string, string> {
  const cache = process.env["DS4_CONTEXT_CACHE"];
  return { ...scene.home.environment(scene.pi.node), ...(cache === undefined ? {} : { DS4_CONTEXT_CACHE: cache }) };
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

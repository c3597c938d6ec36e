/** The extension in a Pi that we play: what it answers, what it says, and that nothing of it escapes. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import ds4ContextExtension from "../dist/pi/extension.js";
import type { PiCommand, PiContext, PiEntry, PiEvents, PiMessage, PiToolDefinition } from "../dist/pi/pi-types.js";
import { conversation, PiLog } from "./pi-logs.js";
import { temporaryFolder } from "./temporary-folder.js";

type Handler = (event: unknown, context: PiContext) => unknown;

/** As much of Pi as the extension sees. */
class PlayedPi {
  readonly handlers = new Map<string, Handler>();
  readonly commands = new Map<string, PiCommand>();
  readonly tools = new Map<string, PiToolDefinition>();
  told: string[] = [];
  readonly statuses: (string | undefined)[] = [];
  readonly log: PiLog;
  leafId: string | null | undefined;
  sessionFile: string | undefined;
  window = 100_000;
  trusted = false;
  isTakenBack = false;
  readonly cwd: string;

  constructor(log: PiLog, cwd: string) {
    this.log = log;
    this.sessionFile = log.file;
    this.cwd = cwd;
  }

  load(): void {
    ds4ContextExtension({
      on: (name, handler) => this.handlers.set(name, handler as Handler),
      registerCommand: (name, command) => this.commands.set(name, command),
      registerTool: (tool) => this.tools.set(tool.name, tool),
      getActiveTools: () => ["read"],
      getAllTools: () => [{ name: "read", description: "Reads", parameters: { type: "object" } }, { name: "unused" }],
    });
  }

  get context(): PiContext {
    const pi = this;
    const guarded = <Value>(value: Value): Value => {
      if (pi.isTakenBack) {
        throw new Error("this context object is stale");
      }
      return value;
    };
    return {
      ui: {
        notify: (text) => guarded(pi.told).push(text),
        setStatus: (_key, text) => guarded(pi.statuses).push(text),
      },
      mode: "tui",
      get hasUI() {
        return guarded(true);
      },
      cwd: this.cwd,
      get sessionManager() {
        return guarded({
          getSessionFile: () => pi.sessionFile,
          getSessionId: () => "played",
          getLeafId: () => (pi.leafId === undefined ? String(pi.log.entries.at(-1)?.["id"]) : pi.leafId),
          getBranch: () => pi.log.entries as unknown as PiEntry[],
          getEntries: () => pi.log.entries as unknown as PiEntry[],
        });
      },
      get model() {
        return guarded({
          provider: "mock",
          id: "mock-1",
          contextWindow: pi.window,
          maxTokens: 4096,
          cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
        });
      },
      isProjectTrusted: () => this.trusted,
      getSystemPrompt: () => "You are a coding agent.",
    };
  }

  get messages(): PiMessage[] {
    return structuredClone(this.log.messages) as PiMessage[];
  }

  async fire<Name extends keyof PiEvents>(name: Name, event: Partial<PiEvents[Name]> = {}): Promise<unknown> {
    return this.handlers.get(name)?.({ type: name, ...event }, this.context);
  }

  async plan(messages: readonly PiMessage[] = this.messages): Promise<PiMessage[] | undefined> {
    const answer = (await this.fire("context", { messages })) as { messages: PiMessage[] } | undefined;
    return answer?.messages;
  }

  async say(args: string): Promise<string> {
    await this.commands.get("context")?.handler(args, this.context);
    return this.told.at(-1) ?? "";
  }
}

async function scene(context: TestContext, log: (file: string) => PiLog, prepare: (pi: PlayedPi, folder: string) => void = () => {}) {
  const previous = process.env["PI_CODING_AGENT_DIR"];
  let played: PlayedPi | undefined;
  // Before the folder is removed: until then the index is written.
  context.after(async () => {
    if (played !== undefined) {
      played.isTakenBack = false;
      await played.fire("session_shutdown");
    }
    process.env["PI_CODING_AGENT_DIR"] = previous;
  });
  const folder = temporaryFolder(context);
  process.env["PI_CODING_AGENT_DIR"] = join(folder, "agent");
  mkdirSync(join(folder, "agent"));
  const pi = new PlayedPi(log(join(folder, "session.jsonl")), folder);
  prepare(pi, folder);
  pi.load();
  played = pi;
  await pi.fire("session_start", { reason: "startup" });
  // A request has two seconds. On a busy machine starting takes longer, so it is waited for here.
  await pi.say("status");
  pi.told = pi.told.filter((text) => !text.startsWith("ds4-context 0."));
  return { pi, folder };
}

const short = (file: string) => conversation(file, 3, 100);
const long = (file: string) => {
  const log = conversation(file, 200, 8000);
  log.user("What now?");
  return log;
};

function assertWholeExchanges(messages: readonly PiMessage[]): void {
  const open = new Set<unknown>();
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const block of message.content as { type: string; id?: string }[]) {
        block.type === "toolCall" && open.add(block.id);
      }
    } else if (message.role === "toolResult") {
      assert.ok(open.delete(message["toolCallId"]), "a result without its call");
    }
  }
  assert.equal(open.size, 0, "a call without its result");
}

test("a short context is left alone", async (context) => {
  const { pi } = await scene(context, short);
  assert.equal(await pi.plan(), undefined);
  assert.deepEqual(pi.told, []);
});

test("a long context goes out trimmed, with Pi's own objects", async (context) => {
  const { pi } = await scene(context, long);
  const messages = pi.messages;
  const planned = await pi.plan(messages);
  assert.ok(planned !== undefined && planned.length < messages.length);
  assertWholeExchanges(planned);
  assert.equal(planned.at(-1), messages.at(-1));
  const own = new Set(messages);
  assert.ok(planned.filter((message) => own.has(message)).length > 4);
  assert.deepEqual(pi.told, []);
});

test("the same request gives the same bytes", async (context) => {
  const { pi } = await scene(context, long);
  assert.equal(JSON.stringify(await pi.plan()), JSON.stringify(await pi.plan()));
});

test("a message that another extension inserted goes out where it stood", async (context) => {
  const { pi } = await scene(context, long);
  const messages = pi.messages;
  const note: PiMessage = { role: "user", content: "a note of another extension", timestamp: 5 };
  messages.splice(-1, 0, note);
  const planned = await pi.plan(messages);
  assert.equal(planned?.at(-2), note);
  assert.equal(planned?.at(-1), messages.at(-1));
});

test("a context that another extension emptied stays empty", async (context) => {
  const { pi } = await scene(context, short);
  assert.equal(await pi.plan([]), undefined);
});

test("a log that is not written yet sends every message along", async (context) => {
  const { pi, folder } = await scene(context, long, (played, at) => {
    played.sessionFile = join(at, "not-there.jsonl");
  });
  const planned = await pi.plan();
  assert.ok(planned !== undefined && planned.length < pi.messages.length);
  assertWholeExchanges(planned);
  assert.match(await pi.say("status"), /ds4-context/);
  assert.ok(folder.length > 0);
});

test("entries that are not written yet send every message along", async (context) => {
  const { pi } = await scene(context, long);
  pi.log.entries.push({
    type: "message",
    id: "unwritten",
    parentId: pi.log.entries.at(-1)?.["id"],
    timestamp: "2026-12-01T00:00:00.000Z",
    message: { role: "user", content: "new", timestamp: 7 },
  });
  const planned = await pi.plan();
  assert.equal(planned?.at(-1)?.content, "new");
});

test("a session without a file is planned from memory", async (context) => {
  const { pi } = await scene(context, long, (played) => {
    played.sessionFile = undefined;
  });
  for (let round = 0; round < 2; round++) {
    const planned = await pi.plan();
    assert.ok(planned !== undefined && planned.length < pi.messages.length);
    assertWholeExchanges(planned);
    pi.log.assistant("answer");
    pi.log.user("next");
  }
});

test("a smaller window, chosen between two requests, is respected", async (context) => {
  const { pi } = await scene(context, long);
  const wide = await pi.plan();
  pi.window = 32_768;
  await pi.fire("model_select", { model: { provider: "mock", id: "small", contextWindow: 32_768 } });
  const narrow = await pi.plan();
  assert.ok(wide !== undefined && narrow !== undefined && narrow.length < wide.length);
});

test("another leaf plans another branch", async (context) => {
  const { pi } = await scene(context, short);
  pi.leafId = "e3";
  await pi.fire("session_tree", { newLeafId: "e3" });
  assert.equal(await pi.plan(pi.messages.slice(0, 4)), undefined);
  assert.match(await pi.say("status"), /at entry e3/);
});

test("the command answers, and switches planning off for the session", async (context) => {
  const { pi } = await scene(context, long);
  assert.match(await pi.say("manifest"), /no plan in this session yet/);
  assert.match(await pi.say(""), /no plan yet/);
  await pi.plan();
  for (const [name, expected] of Object.entries({
    status: /^Last plan  [\d,]+ tokens, \d+ messages in, \d+ out$/m,
    manifest: /^Plan       m_[^]*^Size       [\d,]+ tokens, \d+ % of the window$/m,
    included: /^In: \d+ items/,
    excluded: /^Out: \d+ items/,
    explain: /^In: \d+ items; out: \d+ groups of messages/,
    retrieved: /brought nothing back from the history/,
    storage: /^Kept       context\.db in [^]*^Index      801 of 801 entries, up to date/m,
    health: /^Database   whole: every page was checked$/m,
    "rebuild-index": /^The index was made anew in [^]*^Made anew  1 time, last because somebody asked for it$/m,
  })) {
    assert.match(await pi.say(name), expected, name);
  }
  assert.match(await pi.say("off"), /off for this session/);
  assert.equal(await pi.plan(), undefined);
  assert.match(await pi.say("status"), /off for this session/);
  assert.match(await pi.say("on"), /on for this session/);
  assert.notEqual(await pi.plan(), undefined);
  assert.match(await pi.say("nonsense"), /\/context nonsense is not known; there is status/);
  assert.deepEqual(
    pi.commands
      .get("context")
      ?.getArgumentCompletions?.("ex")
      ?.map(({ value }) => value),
    ["explain", "excluded"],
  );
});

test("the configuration counts: the user's, and a project's where it is trusted", async (context) => {
  const off = JSON.stringify({ enabled: false });
  const user = await scene(context, long, (_pi, folder) => writeFileSync(join(folder, "agent", "ds4-context.json"), off));
  assert.equal(await user.pi.plan(), undefined);
  assert.match(await user.pi.say("status"), /disabled by the configuration/);
  const project = (trusted: boolean) => (pi: PlayedPi, folder: string) => {
    pi.trusted = trusted;
    mkdirSync(join(folder, ".pi"));
    writeFileSync(join(folder, ".pi", "ds4-context.json"), off);
  };
  assert.equal(await (await scene(context, long, project(true))).pi.plan(), undefined);
  assert.notEqual(await (await scene(context, long, project(false))).pi.plan(), undefined);
});

test("an observer sends nothing of its own and still has a manifest", async (context) => {
  const { pi } = await scene(context, long, (_pi, folder) =>
    writeFileSync(join(folder, "agent", "ds4-context.json"), JSON.stringify({ context: { mode: "observer" } })),
  );
  assert.equal(await pi.plan(), undefined);
  assert.match(await pi.say("manifest"), /observer/);
});

test("a problem of the configuration is told once, in one line", async (context) => {
  const { pi } = await scene(context, short, (_pi, folder) => writeFileSync(join(folder, "agent", "ds4-context.json"), "{ broken"));
  await pi.plan();
  await pi.plan();
  assert.equal(pi.told.length, 1);
  assert.match(pi.told[0] ?? "", /ds4-context\.json/);
  assert.doesNotMatch(pi.told[0] ?? "", /\n/);
  assert.match(await pi.say("status"), /ds4-context\.json/);
});

test("what cannot be planned goes out as Pi has it, and is told once", async (context) => {
  const { pi } = await scene(context, (file) => {
    const log = conversation(file, 1, 10);
    log.user("x".repeat(1_000_000));
    return log;
  });
  pi.window = 16_384;
  assert.equal(await pi.plan(), undefined);
  assert.equal(await pi.plan(), undefined);
  assert.equal(pi.told.length, 1);
  assert.match(pi.told[0] ?? "", /did not plan this request \([a-z-]+\); Pi's own context was sent/);
  assert.match(pi.statuses.at(-1) ?? "", /context not planned/);
  pi.window = 1_000_000;
  await pi.plan();
  assert.equal(pi.statuses.at(-1), undefined, "with room for it, the status is taken away");
  assert.equal(pi.told.length, 1);
});

test("Pi taking its context object back meanwhile does no harm", async (context) => {
  const { pi } = await scene(context, long);
  const planning = pi.plan();
  pi.isTakenBack = true;
  await planning;
  assert.deepEqual(pi.told, []);
});

test("hooks after the shutdown answer nothing and start nothing", async (context) => {
  const { pi } = await scene(context, long);
  await pi.fire("session_shutdown", { reason: "reload" });
  assert.equal(await pi.plan(), undefined);
  await pi.fire("session_shutdown");
});

test("two factories in one process do not know of each other", async (context) => {
  const { pi } = await scene(context, long);
  const reloaded = new PlayedPi(pi.log, pi.cwd);
  reloaded.load();
  await pi.say("off");
  assert.equal(await pi.plan(), undefined);
  assert.notEqual(await reloaded.plan(), undefined);
  await reloaded.fire("session_shutdown");
});

test("a switch to another session plans that one", async (context) => {
  const { pi, folder } = await scene(context, short);
  assert.equal(await pi.plan(), undefined);
  const other = new PlayedPi(long(join(folder, "other.jsonl")), folder);
  const answer = (await pi.handlers.get("context")?.({ messages: other.messages }, other.context)) as { messages: PiMessage[] } | undefined;
  assert.ok(answer !== undefined && answer.messages.length < other.messages.length);
});

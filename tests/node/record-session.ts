/**
 * Records the session of `fixtures/sessions` by running the real Pi against the scripted provider of `host-node/test/pi/kit`.
 *
 *     DS4_TEST_NODE=… DS4_TEST_PI=…/cli.js $DS4_TEST_NODE tests/node/record-session.ts fixtures/sessions/pi-1.6.0.jsonl
 *
 * What it writes is Pi's own log; only the folders of this run are put into other words. See `fixtures/sessions/README.md`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AgentHome, MOCK_HUGE } from "../../host-node/test/pi/kit/agent-home.ts";
import { testExtension } from "../../host-node/test/pi/kit/installations.ts";
import { MockProvider } from "../../host-node/test/pi/kit/mock-provider.ts";
import { PiRpc } from "../../host-node/test/pi/kit/pi-rpc.ts";

const [target] = process.argv.slice(2);
const { DS4_TEST_NODE: node, DS4_TEST_PI: cli } = process.env;
if (target === undefined || node === undefined || cli === undefined) {
  throw new Error("usage: DS4_TEST_NODE=… DS4_TEST_PI=…/cli.js node record-session.ts TARGET");
}

/** A tool's output that looks like a build's, a few hundred lines of it. */
function build(turn: number, files: number): string {
  return `for i in $(seq 1 ${files}); do echo "compiling src/part_${turn}/file_$i.rs: $((i * ${turn + 7})) symbols, ok"; done`;
}

function turn(number: number): string {
  return (
    `Turn ${number}: build part ${number} and look at the notes. [[bash:${build(number, 150)}]] ` +
    `[[par:bash:${build(number, 40)}||read:notes.txt]] [[bash:grep -c a notes.txt; false]] [[say:Part ${number} is built.]]`
  );
}

const logFolder = mkdtempSync(join(tmpdir(), "ds4-record-"));
const provider = await MockProvider.start(join(logFolder, "requests.jsonl"));
const home = new AgentHome(provider.url);
const rpc = await PiRpc.start({ pi: { version: "1.6.0", cli, node }, home, extensions: [testExtension("session-commands")], arguments: ["--system-prompt", "You are a careful coding agent."] });
try {
  await rpc.selectModel(MOCK_HUGE);
  await rpc.prompt("Write a file first. [[call:write {\"path\":\"src/main.rs\",\"content\":\"fn main() {}\\n\"}]] [[say:Written.]]");
  for (let number = 1; number <= 4; number++) await rpc.prompt(turn(number));
  await rpc.command("/note Keep the build quiet.");
  await rpc.request({ type: "bash", command: "ls" });
  await rpc.prompt("An answer that fails once. [[fail:500]] [[say:Answered after all.]]");
  await rpc.prompt("A way that leads nowhere. [[bash:echo nowhere]] [[say:Nowhere.]]");
  await rpc.command("/rewind Part 4 is built.");
  await rpc.prompt(`Another way. [[bash:echo ELIDE-ME; ${build(5, 60)}]] [[say:Part 5 is built.]]`);
  await rpc.request({ type: "compact", customInstructions: "short" });
  for (let number = 6; number <= 15; number++) await rpc.prompt(turn(number));
  await rpc.command("/rewind-with-summary Part 14 is built.");
  await rpc.prompt(turn(16));
  await rpc.prompt("What is left to do? [[say:Nothing.]]");
  const file = await rpc.sessionFile();
  if (file === undefined) throw new Error("Pi wrote no session");
  writeFileSync(target, withoutMachine(readFileSync(file, "utf8")));
} finally {
  await rpc.close();
  await provider.close();
  home.remove();
  rmSync(logFolder, { recursive: true, force: true });
}

/** The log with other names for the folders of this run. */
function withoutMachine(log: string): string {
  const piPackage = dirname(dirname(dirname(String(cli))));
  return log.replaceAll(piPackage, "/usr/lib/pi").replaceAll(home.workFolder, "/home/user/project").replaceAll(home.root, "/home/user");
}

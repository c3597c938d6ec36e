/** How much longer a whole `pi -p` takes with the extension. Reported, never asserted: the machine decides it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeForEachPi, extensionPackage } from "./kit/installations.ts";
import { Scene } from "./kit/scene.ts";

const RUNS = 3;

describeForEachPi("start-up", (pi) => {
  test("of pi -p with and without the extension is reported", async (t) => {
    const scene = await Scene.open(t, pi);
    const times: { without: number[]; with: number[] } = { without: [], with: [] };
    for (let run = 0; run < RUNS; run++) {
      for (const kind of ["without", "with"] as const) {
        const extensions = kind === "with" ? [extensionPackage()] : [];
        const { code, milliseconds, stderr } = await scene.print(`Hello ${run} ${kind}`, { extensions, arguments: ["--no-session"] });
        assert.equal(code, 0, stderr);
        times[kind].push(milliseconds);
      }
    }
    const [plain, ours] = [median(times.without), median(times.with)];
    t.diagnostic(`pi -p: ${plain} ms without, ${ours} ms with the extension, ${ours - plain} ms more (median of ${RUNS})`);
  });
});

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

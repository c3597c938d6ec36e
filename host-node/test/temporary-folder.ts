/** A folder that is removed when the test ends. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export function temporaryFolder(test: Pick<TestContext, "after">): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ds4-context-engine-")));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

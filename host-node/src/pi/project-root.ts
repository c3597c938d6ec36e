/**
 * Which project a session is about, where the project may have a database of its own (behaviour 2.14): a trusted one that is
 * neither the user's home folder nor the root of a file system. Anything else shares the agent's.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";

/** The root's real path, so that a project has one database whatever link leads to it. */
export function projectRoot(cwd: string, isProjectTrusted: boolean, home: string = homedir()): string | undefined {
  const root = isProjectTrusted ? realPath(cwd) : undefined;
  if (root === undefined || root === dirname(root) || root === realPath(home)) {
    return undefined;
  }
  return root;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

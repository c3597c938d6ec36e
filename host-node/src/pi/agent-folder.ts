/** Pi's folder for its user, and what of ours lies in it. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const DATA_FOLDER_NAME = "ds4-context";

/** Where derived state is kept: in the agent's folder, so that all of its sessions and projects share it. */
export function dataFolder(environment: NodeJS.ProcessEnv): string {
  return join(agentFolder(environment), DATA_FOLDER_NAME);
}

/** Pi's own rule: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export function agentFolder(environment: NodeJS.ProcessEnv): string {
  const named = environment["PI_CODING_AGENT_DIR"];
  if (named === undefined || named === "") {
    return join(homedir(), ".pi", "agent");
  }
  return resolve(named === "~" ? homedir() : named.replace(/^~(?=[/\\])/, homedir()));
}

/**
 * The configuration files of a Pi user: `ds4-context.json` in the agent's folder, then `.pi/ds4-context.json` of the
 * project where the user trusts it. What is in them the component checks.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConfigLayer } from "../contract.js";
import { agentFolder } from "./agent-folder.js";

const FILE_NAME = "ds4-context.json";

export interface ConfigFiles {
  readonly layers: readonly ConfigLayer[];
  /** One line for each file that is there and could not be read. */
  readonly unreadable: readonly string[];
}

/** The layers that are there, the least specific first. */
export async function readConfigFiles(
  cwd: string,
  isProjectTrusted: boolean,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ConfigFiles> {
  const paths = [join(agentFolder(environment), FILE_NAME), ...(isProjectTrusted ? [join(cwd, ".pi", FILE_NAME)] : [])];
  const layers: ConfigLayer[] = [];
  const unreadable: string[] = [];
  for (const path of paths) {
    try {
      layers.push({ source: path, content: new Uint8Array(await readFile(path)) });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "unknown";
      if (code !== "ENOENT" && code !== "ENOTDIR") {
        unreadable.push(`${path} cannot be read (${code}) and is ignored`);
      }
    }
  }
  return { layers, unreadable };
}

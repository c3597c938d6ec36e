/**
 * Where the suite finds Node, the Pi versions it runs, and the extension under test.
 *
 * `cargo xtask test` installs Node and both Pi versions below `target/tools` and sets the variables. By hand:
 * `DS4_TEST_NODE` (a Node binary, >= 22.19), `DS4_TEST_PI_1_6_0` and `DS4_TEST_PI_0_84_3` (path of Pi's `cli.js`).
 * `DS4_TEST_EXTENSION` names another package folder than this one, for example an unpacked release.
 *
 * Invariant: a missing variable fails the suite with one clear line. It is never a silent skip.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe } from "node:test";
import { fileURLToPath } from "node:url";

/** One installed Pi. */
export interface PiInstallation {
  readonly version: string;
  /** Path of Pi's command line script. */
  readonly cli: string;
  /** Path of the Node binary that runs it. */
  readonly node: string;
}

/** The Pi versions in which the extension has to work (issue: 1.6.0 and 0.84.3), newest first. */
export const PI_VERSIONS = ["1.6.0", "0.84.3"] as const;

/** Registers `cases` once for each Pi version, under the name `SUBJECT, Pi VERSION`. */
export function describeForEachPi(subject: string, cases: (pi: PiInstallation) => void): void {
  for (const version of PI_VERSIONS) {
    const pi = piInstallation(version);
    describe(`${subject}, Pi ${version}`, () => cases(pi));
  }
}

/** Path of the package folder of the extension under test. Throws where it is not built. */
export function extensionPackage(): string {
  const folder = process.env["DS4_TEST_EXTENSION"] ?? fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
  for (const entry of extensionEntries(folder)) {
    if (!existsSync(join(folder, entry))) throw new Error(`${join(folder, entry)} does not exist; build it: cargo xtask build`);
  }
  return folder;
}

/** The files that `pi.extensions` of a package names. Throws where there are none. */
export function extensionEntries(folder: string): string[] {
  const entries: unknown = asRecord(asRecord(readManifest(join(folder, "package.json")))["pi"])["extensions"];
  if (!Array.isArray(entries) || entries.length === 0) throw new Error(`${folder}/package.json names no pi.extensions`);
  return entries.map(String);
}

/** A test extension of this folder, by its file name without the ending. */
export function testExtension(name: string): string {
  return fileURLToPath(new URL(`../extensions/${name}.ts`, import.meta.url));
}

function piInstallation(version: string): PiInstallation {
  const cli = requiredFile(`DS4_TEST_PI_${version.replaceAll(".", "_")}`, `cli.js of Pi ${version}`);
  const found = installedVersion(cli);
  if (found !== version) throw new Error(`${cli} belongs to Pi ${found}, not to ${version}`);
  return { version, cli, node: requiredFile("DS4_TEST_NODE", "a Node binary, 22.19 or newer") };
}

function requiredFile(variable: string, meaning: string): string {
  const path = process.env[variable];
  if (path === undefined) throw new Error(`${variable} is not set (${meaning}); run this suite by: cargo xtask test`);
  if (!existsSync(path)) throw new Error(`${variable} names ${path}, which does not exist (${meaning})`);
  return path;
}

/** Version in the manifest of the package that a file belongs to. */
function installedVersion(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    const version = existsSync(manifest) ? asRecord(readManifest(manifest))["version"] : undefined;
    if (typeof version === "string") return version;
  }
  throw new Error(`${file} belongs to no package`);
}

function readManifest(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

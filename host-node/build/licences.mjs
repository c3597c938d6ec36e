// Copies the repository's licence files into the package before it is packed; they are kept in one place, the root.
import { copyFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const repositoryRoot = dirname(packageRoot);
const licences = readdirSync(repositoryRoot).filter((name) => name.startsWith("LICENSE"));
for (const name of licences) {
  copyFileSync(join(repositoryRoot, name), join(packageRoot, name));
}

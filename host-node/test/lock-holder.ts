/** A process that holds a block file for a while: `lock-holder FOLDER NAME MILLISECONDS`. Says `held`, and ends when it gave it back. */
import { openBlockFile } from "./block-files.js";

const [folder = "", name = "", milliseconds = "0"] = process.argv.slice(2);
const file = openBlockFile(folder, name);
file.lock();
process.stdout.write("held\n");
setTimeout(() => file.unlock(), Number(milliseconds));

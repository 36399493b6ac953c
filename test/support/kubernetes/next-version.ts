/** A second version of the built program, as a release with another version and another word in a condition would be. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const NEXT_VERSION = "99.0.0";
const MESSAGE = "the policy is attached";
/** What its conditions say where this version says that the policy is attached. */
export const NEXT_MESSAGE = `${MESSAGE}, says the next version`;

/** Copies the built program into the folder and changes it. Returns the path of the program. */
export function copyNextVersion(folder: string): string {
  const root = join(folder, "next-version");
  cpSync("dist", join(root, "dist"), { recursive: true });
  const facts = JSON.parse(readFileSync("package.json", "utf8")) as object;
  writeFileSync(join(root, "package.json"), JSON.stringify({ ...facts, version: NEXT_VERSION }));
  const bin = join(root, "dist", "bin");
  const changed = readdirSync(bin).filter((file) => file.endsWith(".js") && changeText(join(bin, file)));
  if (changed.length !== 1) throw new Error(`'${MESSAGE}' is in ${changed.length} files of the program, not in one`);
  return join(bin, "prevail.js");
}

/** True if the file contains the message. */
function changeText(file: string): boolean {
  const text = readFileSync(file, "utf8");
  if (!text.includes(MESSAGE)) return false;
  writeFileSync(file, text.replaceAll(MESSAGE, NEXT_MESSAGE));
  return true;
}

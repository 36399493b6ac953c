import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a generated file. With `--check` it writes nothing and sets exit code 1 if the file is out of date. */
export function writeGenerated(script, output, text) {
  if (!process.argv.includes("--check")) {
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, text);
  } else if (findText(output) !== text) {
    console.error(`${script}: ${output} is out of date; run \`node scripts/${script}.mjs\``);
    process.exitCode = 1;
  }
}

function findText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

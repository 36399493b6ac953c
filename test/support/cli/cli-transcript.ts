import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expectGolden } from "../golden.ts";
import { type CliSetup, runCli } from "./run-cli.ts";

const folder = fileURLToPath(new URL("../../golden/cli", import.meta.url));

/** Runs a command line and compares its output and exit code with `test/golden/cli/<name>.txt`. */
export async function expectTranscript(name: string, line: string, setup: CliSetup = {}): Promise<void> {
  const { code, stdout, stderr } = await runCli(line, setup);
  const width = setup.columns === undefined ? "" : ` (${setup.columns} columns)`;
  const parts = [`$ prevail ${line}${width}\n`, stdout, stderr === "" ? "" : `[stderr]\n${stderr}`, `[exit ${code}]\n`];
  expectGolden(join(folder, `${name}.txt`), parts.join(""));
}

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
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

/** The name of a golden file, a command line, and its standard input. */
export type TranscriptRow = readonly [name: string, line: string, stdin?: string];

/** One test for each row, without a terminal. */
export function testTranscripts(rows: readonly TranscriptRow[]): void {
  for (const [name, line, stdin] of rows) test(line, () => expectTranscript(name, line, input(stdin)));
}

/** Two tests for each row: on a narrow and on a wide terminal. */
export function testTerminals(rows: readonly TranscriptRow[]): void {
  for (const [name, line, stdin] of rows)
    for (const columns of [60, 120])
      test(`${name}: ${line}, ${columns} columns`, () =>
        expectTranscript(`${name}-${columns}`, line, { columns, ...input(stdin) }));
}

const input = (stdin: string | undefined): CliSetup => (stdin === undefined ? {} : { stdin });

import type { CliIo } from "../cli/io.ts";
import { run } from "../cli/run.ts";

/** Runs a command line as this process. */
export function start(argv: readonly string[], io: CliIo): void {
  void run(argv, io).then((code) => {
    process.exitCode = code;
  });
}

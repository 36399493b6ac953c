import { execute } from "../../cli/execute.ts";
import { type ProgramFacts, processIo } from "./process-io.ts";

/** Runs a command line as this process. */
export function start(argv: readonly string[], program: ProgramFacts): void {
  void execute(argv, processIo(program)).then((code) => {
    process.exitCode = code;
  });
}

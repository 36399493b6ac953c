import type { CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ServeOutput } from "../run/settings.ts";

/** The output of the controller: notes for people, or with `--log-format json` a JSON object per line for programs. */
export function createLog({ options, io, errorPrint, note, failWith }: CommandContext): ServeOutput {
  if (options.value("log-format") !== "json")
    return { write: io.stdout, errorPrint, note, fail: (...reason) => failWith(exitCodes.failed, ...reason) };
  const log = (level: "info" | "error", message: string): void => {
    io.stderr(`${JSON.stringify({ time: new Date(io.now()).toISOString(), level, message })}\n`);
  };
  return {
    write: io.stdout,
    errorPrint,
    note: (message) => {
      if (!options.has("quiet")) log("info", message);
    },
    fail: (...reason) => {
      log("error", reason.join(" "));
      return exitCodes.failed;
    },
  };
}

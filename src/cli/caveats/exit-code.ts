import type { Caveat } from "../../core/caveats/caveat.ts";
import { caveatCodes } from "../../core/caveats/caveat-codes.ts";
import type { OptionValues } from "../args/option.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

/** The exit code of an answer with caveats. A broken caveat is a mistake in the input. */
export function exitCodeWith(caveats: readonly Caveat[], options: OptionValues, code: ExitCode): ExitCode {
  if (code >= exitCodes.usage) return code;
  if (caveats.some(({ severity }) => severity === "broken")) return exitCodes.input;
  return isFailure(caveats, options) ? exitCodes.failed : code;
}

/**
 * True if the caveats of an answer make it a failure: any of them with `--fail-on caveat`. With `--complete` nothing may be missing, so those
 * that are about the input; that a definition is approximate is no matter of the input, and no file can change it.
 */
export const isFailure = (caveats: readonly Caveat[], options: OptionValues): boolean =>
  options.values("fail-on").includes("caveat")
    ? caveats.length > 0
    : options.has("complete") && caveats.some(({ code }) => caveatCodes[code].isAboutDefinition !== true);

import type { Caveat } from "../../core/caveats/caveat.ts";
import type { OptionValues } from "../args/option.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

/**
 * The exit code of an answer with caveats. A broken caveat is a failure; a partial one is a failure with `--complete`, because then nothing
 * may be missing, and with `--fail-on caveat`.
 */
export function exitCodeWith(caveats: readonly Caveat[], options: OptionValues, code: ExitCode): ExitCode {
  const isStrict = options.has("complete") || options.value("fail-on") === "caveat";
  const isFailure = caveats.some(({ severity }) => severity === "broken" || isStrict);
  return isFailure && (code === exitCodes.ok || code === exitCodes.differs) ? exitCodes.failed : code;
}

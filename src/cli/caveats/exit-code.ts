import type { Caveat } from "../../core/caveats/caveat.ts";
import type { OptionValues } from "../args/option.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

/**
 * The exit code of an answer with caveats. A broken caveat is a mistake in the input. Any caveat is a failure with `--complete`, because then
 * nothing may be missing, and with `--fail-on caveat`.
 */
export function exitCodeWith(caveats: readonly Caveat[], options: OptionValues, code: ExitCode): ExitCode {
  if (code >= exitCodes.usage) return code;
  if (caveats.some(({ severity }) => severity === "broken")) return exitCodes.input;
  return caveats.length > 0 && isStrict(options) ? exitCodes.failed : code;
}

/** True if every caveat of the answer is a failure. */
export const isStrict = (options: OptionValues): boolean =>
  options.has("complete") || options.values("fail-on").includes("caveat");

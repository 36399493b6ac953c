import type { World } from "../../../core/effective/world/world.ts";
import type { CommandContext } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import type { Ignoring } from "../finding-report.ts";
import { parseBaseline } from "./parse-baseline.ts";
import { ignoreOption, parseIgnores } from "./parse-ignores.ts";

/** Reads what `--ignore` and `--baseline` name. A number: the exit code, because something is wrong with them. */
export async function loadIgnoring(
  world: World,
  { options, io, fail, failWith }: CommandContext,
): Promise<Ignoring | ExitCode> {
  const parsed = parseIgnores(options.values(ignoreOption.name), world);
  if (!parsed.ok) return fail(parsed.message, ...parsed.hints);
  const { ignores } = parsed;
  if (options.has("write-baseline")) return { ignores, baseline: "new" };
  const path = options.value("baseline");
  if (path === undefined) return { ignores, baseline: undefined };
  let bytes: Uint8Array;
  try {
    bytes = await io.fileSystem.readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failWith(
      exitCodes.input,
      `the baseline cannot be read: ${reason}`,
      `Write one with --write-baseline ${path}.`,
    );
  }
  const baseline = parseBaseline(new TextDecoder().decode(bytes));
  if (!baseline.ok) return failWith(exitCodes.input, `the baseline ${path} ${baseline.message}`);
  return { ignores, baseline: baseline.baseline };
}

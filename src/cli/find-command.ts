import { sharedOptions } from "./args/option-groups.ts";
import { type SplitCommand, splitCommand } from "./args/split-command.ts";
import type { LoadableCommand } from "./command.ts";

/** Finds the command in a command line. Options of one command may stand before it, too: to know which of them take a value, all commands are loaded. */
export async function findCommand(
  argv: readonly string[],
  commands: readonly LoadableCommand[],
): Promise<SplitCommand> {
  const split = splitCommand(argv, sharedOptions);
  if (split.found !== "unknown option") return split;
  const loaded = await Promise.all(commands.map(({ load }) => load()));
  return splitCommand(argv, [...sharedOptions, ...loaded.flatMap(({ command }) => command.options)]);
}

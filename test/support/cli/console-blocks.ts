/** Commands and their output in Markdown: blocks marked `console`, where `$ ` begins a command and `…` stands for omitted lines. */
export interface ConsoleCommand {
  /** The line of the command, from 1. */
  readonly line: number;
  readonly argv: readonly string[];
  readonly shown: readonly string[];
}

const GAP = "…";

/** Splits commands at spaces. No page uses quotes. */
export function findCommands(markdown: string): readonly ConsoleCommand[] {
  const commands: { line: number; argv: readonly string[]; shown: string[] }[] = [];
  let isInside = false;
  for (const [index, line] of markdown.split("\n").entries()) {
    if (line.startsWith("```")) isInside = line === "```console";
    else if (isInside && line.startsWith("$ ")) {
      commands.push({ line: index + 1, argv: line.slice(2).trim().split(/ +/), shown: [] });
    } else if (isInside) commands.at(-1)?.shown.push(line);
  }
  return commands;
}

export const isWhole = (shown: readonly string[]): boolean => !shown.includes(GAP);

/** The page with new output for the first block of this command that has no omitted lines. */
export function replaceShown(markdown: string, argv: readonly string[], output: readonly string[]): string {
  const same = findCommands(markdown).find((found) => found.argv.join(" ") === argv.join(" ") && isWhole(found.shown));
  if (same === undefined) return markdown;
  const lines = markdown.split("\n");
  lines.splice(same.line, same.shown.length, ...output);
  return lines.join("\n");
}

/** The first difference between a block and the real output; undefined if there is none. */
export function findDifference(shown: readonly string[], output: readonly string[]): string | undefined {
  let at = 0;
  let maySkip = false;
  for (const part of splitAtGaps(shown)) {
    const found = findRun(output, part, at, maySkip);
    if (found === undefined) return `not in the output (after its line ${at}): ${part.join("\n")}`;
    at = found + part.length;
    maySkip = true;
  }
  const isWhole = at === output.length || shown.at(-1) === GAP;
  return isWhole ? undefined : `left out without a sign: ${output.slice(at).join("\n")}`;
}

function splitAtGaps(lines: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  for (const line of lines) {
    if (line === GAP) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts;
}

/** The index of the lines in the output: at `from`, or after it if lines may be skipped. */
function findRun(
  output: readonly string[],
  lines: readonly string[],
  from: number,
  maySkip: boolean,
): number | undefined {
  const last = maySkip ? output.length - lines.length : from;
  for (let start = from; start <= last; start++) {
    if (lines.every((line, offset) => output[start + offset] === line)) return start;
  }
  return undefined;
}

import type { Option } from "./option.ts";

/** The command of a command line, and its other words in their order. */
export type SplitCommand =
  | { readonly found: "command"; readonly name: string; readonly rest: readonly string[] }
  | { readonly found: "nothing" }
  /** An option before the command that is not among the known ones, so that it is not known whether the next word is its value. */
  | { readonly found: "unknown option"; readonly word: string };

/** Finds the command: the first word that is neither an option nor the value of one, as in `-f x.yaml -A get policies`. */
export function splitCommand(argv: readonly string[], known: readonly Option[]): SplitCommand {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") return { found: "nothing" };
    if (!word.startsWith("-") || word === "-") return { found: "command", name: word, rest: argv.toSpliced(at, 1) };
    const reading = word.startsWith("--") ? readLong(word, known) : readShort(word, known);
    if (reading === "unknown") return { found: "unknown option", word };
    if (reading === "value follows") at++;
  }
  return { found: "nothing" };
}

type Reading = "unknown" | "complete" | "value follows";

function readLong(word: string, known: readonly Option[]): Reading {
  const name = word.slice(2).split("=")[0];
  const option = known.find((candidate) => candidate.name === name);
  if (option === undefined) return "unknown";
  return option.value === undefined || word.includes("=") ? "complete" : "value follows";
}

function readShort(word: string, known: readonly Option[]): Reading {
  for (let at = 1; at < word.length; at++) {
    const option = known.find(({ short }) => short === word.charAt(at));
    if (option === undefined) return "unknown";
    if (option.value !== undefined) return at === word.length - 1 ? "value follows" : "complete";
    if (word.charAt(at + 1) === "=") return "complete";
  }
  return "complete";
}

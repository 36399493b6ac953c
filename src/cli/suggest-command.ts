import { didYouMean } from "../core/model/words/did-you-mean.ts";
import type { LoadableCommand } from "./command.ts";

/** A word that other tools use for a command, or that people try, and the command line that does it here. */
interface Habit {
  readonly words: readonly string[];
  readonly command: string;
  /** The line to type. Absent: the user's own words after the command. */
  readonly line?: string;
  /** `true`: the command takes no TARGET, so that words before the first option are left out of the line. */
  readonly isAboutAll?: boolean;
}

/** kubectl, gwctl, egctl, istioctl, terraform, and linters. */
export const habits: readonly Habit[] = [
  { words: ["describe", "show", "inspect", "why", "effective-policy"], command: "explain" },
  { words: ["analyze", "analyse", "validate", "verify", "lint", "vet", "audit"], command: "check", isAboutAll: true },
  { words: ["diff", "compare", "preview"], command: "plan", line: "plan -f CURRENT --against NEW" },
  { words: ["apply", "create", "replace", "patch", "edit"], command: "plan", line: "plan -f CURRENT --apply CHANGED" },
  { words: ["delete", "rm", "remove"], command: "plan", line: "plan -f CURRENT --delete KIND/NAME" },
  { words: ["list", "ls"], command: "get" },
  { words: ["policies", "policy"], command: "get", line: "get policies -f DIR" },
  { words: ["targets", "target"], command: "get", line: "get targets -f DIR" },
  { words: ["effective"], command: "get", line: "get effective -f DIR" },
  { words: ["definitions", "api-resources", "kinds"], command: "get", line: "get definitions -f DIR" },
  { words: ["tree", "topology", "draw", "visualize", "dot"], command: "graph" },
  { words: ["impact", "affected", "uses", "who"], command: "reach" },
  { words: ["request", "simulate", "curl", "route", "match"], command: "trace" },
  { words: ["conditions"], command: "status" },
  { words: ["serve", "start", "proxy"], command: "run" },
  { words: ["translate", "proxy-config"], command: "xds", line: "xds dump GATEWAY -f DIR" },
  { words: ["proxy-status"], command: "xds", line: "xds status" },
];

export interface Suggestion {
  /** The end of `there is no command 'describe'`. */
  readonly message: string;
  readonly hints: readonly string[];
}

/** Suggests what an unknown command may have meant: the word of another tool, an object, or a misspelt command. */
export function suggestCommand(
  word: string,
  rest: readonly string[],
  { program, commands }: { readonly program: string; readonly commands: readonly Pick<LoadableCommand, "name">[] },
): Suggestion {
  const habit = habits.find(({ words }) => words.includes(word.toLowerCase()));
  if (habit !== undefined) {
    const words = habit.isAboutAll === true ? rest.slice(firstOption(rest)) : rest;
    const line = habit.line ?? [habit.command, ...words.map(quoted)].join(" ");
    return { message: `; '${habit.command}' does that`, hints: [`Try: ${program} ${line}`] };
  }
  if (/^[A-Za-z.]+\/./.test(word))
    return { message: "", hints: [`Try: ${program} ${["explain", word, ...rest].map(quoted).join(" ")}`] };
  const names = [...commands.map(({ name }) => name), "help"];
  return { message: didYouMean(word, names), hints: [] };
}

const firstOption = (words: readonly string[]): number => {
  const at = words.findIndex((word) => word.startsWith("-"));
  return at === -1 ? words.length : at;
};

/** Quotes a word for a POSIX shell. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./#-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import { nearMiss } from "../../core/model/words/near-miss.ts";
import type { Option, OptionValues } from "./option.ts";

export type ParsedArguments =
  | { readonly ok: true; readonly args: readonly string[]; readonly options: OptionValues }
  | { readonly ok: false; readonly message: string };

interface Parsing {
  readonly known: readonly Option[];
  readonly given: Map<string, string[]>;
  /** The remaining words, in reverse order. */
  readonly rest: string[];
}

/**
 * Parses options and arguments in any order, with the syntax of kubectl: `-o json`, `-ojson`, `-o=json`, `--output json`,
 * `--output=json`, `-Ao json`; `--` ends the options. Unlike kubectl, the value of an option cannot be another option, except after `=`.
 */
export function parseArguments(argv: readonly string[], known: readonly Option[]): ParsedArguments {
  const parsing: Parsing = { known, given: new Map(), rest: argv.toReversed() };
  const args: string[] = [];
  for (let word = parsing.rest.pop(); word !== undefined; word = parsing.rest.pop()) {
    if (word === "--") {
      args.push(...parsing.rest.reverse());
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      args.push(word);
      continue;
    }
    const message = word.startsWith("--") ? readLong(parsing, word) : readShort(parsing, word);
    if (message !== undefined) return { ok: false, message };
  }
  const { given } = parsing;
  const options: OptionValues = {
    has: (name) => given.has(name),
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
  };
  return { ok: true, args, options };
}

function readLong(parsing: Parsing, word: string): string | undefined {
  const equals = word.indexOf("=");
  const name = word.slice(2, equals === -1 ? undefined : equals);
  const option = parsing.known.find((candidate) => candidate.name === name);
  if (option === undefined) return unknown(parsing, `--${name}`);
  return take(parsing, option, `--${name}`, equals === -1 ? undefined : word.slice(equals + 1));
}

/** Parses `-A`, `-Ao json` or `-ojson`: short flags, the last of which may take a value. */
function readShort(parsing: Parsing, word: string): string | undefined {
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    const option = parsing.known.find(({ short }) => short === letter);
    if (option === undefined) return unknown(parsing, `-${letter}`, word);
    const rest = word.slice(at + 1);
    if (option.value !== undefined) {
      const value = rest === "" ? undefined : rest.startsWith("=") ? rest.slice(1) : rest;
      return take(parsing, option, `-${letter}`, value);
    }
    if (rest.startsWith("=")) return take(parsing, option, `-${letter}`, rest.slice(1));
    const message = take(parsing, option, `-${letter}`, undefined);
    if (message !== undefined) return message;
  }
  return undefined;
}

function take(
  { given, rest, known }: Parsing,
  option: Option,
  shown: string,
  attached: string | undefined,
): string | undefined {
  const before = given.get(option.name) ?? [];
  if (option.value === undefined) {
    if (attached !== undefined && attached !== "true" && attached !== "false")
      return `${shown} takes no value, but has '${attached}'`;
    if (attached === "false" && option.alwaysOn !== undefined) return `${shown} is always on: ${option.alwaysOn}`;
    if (attached !== "false") given.set(option.name, [...before, "true"]);
    else given.delete(option.name);
    return undefined;
  }
  const next = rest.at(-1);
  const value = attached ?? (next === undefined || isOption(next, known) ? undefined : rest.pop());
  if (value === undefined) return `${shown} needs a value: ${shown} ${option.value}`;
  const values = option.list ? splitList(value) : [value];
  const wrong = findWrongChoice(option, values, shown);
  if (wrong !== undefined) return wrong;
  if (before.length > 0 && !option.repeatable && !option.list && before[0] !== value)
    return `${shown} is given twice, with '${before[0]}' and '${value}'; keep one`;
  given.set(option.name, [...before, ...values]);
  return undefined;
}

function findWrongChoice(
  { choices, textChoices = [] }: Option,
  values: readonly string[],
  shown: string,
): string | undefined {
  if (choices === undefined) return undefined;
  const wrong = values.find(
    (one) => !choices.includes(one) && !textChoices.some((choice) => one.startsWith(`${choice}=`)),
  );
  if (wrong === undefined) return undefined;
  if (textChoices.includes(wrong)) return `${shown} ${wrong} needs a text: ${shown} ${wrong}=…`;
  // The first two are enough: the others are variants of them.
  const known = [...choices, ...textChoices.slice(0, 2).map((choice) => `${choice}=…`)];
  const near = didYouMean(wrong.split("=")[0] ?? wrong, [...choices, ...textChoices]);
  return `${shown} is '${wrong}'; it can be ${known.join(", ")}${near}`;
}

/** `a,b` as kubectl reads it, with the quotes of CSV: `"a,b"` is one value. */
export function splitList(text: string): readonly string[] {
  const values = [...text.matchAll(/"((?:[^"]|"")*)"(?=,|$)|[^,]+/g)].map(
    ([plain, quoted]) => quoted?.replaceAll('""', '"') ?? plain,
  );
  return values.length === 0 ? [text] : values;
}

/** True for `-n -f FILE`: the namespace is missing, and `-f` is not a namespace. */
const isOption = (word: string, known: readonly Option[]): boolean =>
  known.some(
    ({ name, short }) =>
      word === `--${name}` || word.startsWith(`--${name}=`) || (short !== undefined && word === `-${short}`),
  );

function unknown({ known }: Parsing, shown: string, word = shown): string {
  const near = shown.startsWith("--")
    ? nearMiss(
        shown.slice(2),
        known.flatMap(({ name, hidden }) => (hidden ? [] : [name])),
      )
    : undefined;
  const within = word === shown ? "" : ` (in '${word}')`;
  return `there is no option ${shown}${within}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

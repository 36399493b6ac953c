/** cel-go's strings extension, and the string functions of CEL. */
import {
  CelDouble,
  CelError,
  CelTimestamp,
  CelUnsupported,
  type CelValue,
  isList,
  isMap,
  numberOf,
  typeOf,
} from "../values.ts";
import { type FunctionTable, intArg, listArg, textArg } from "./arguments.ts";
import { formatText, textOf } from "./text-of.ts";

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (one) => one.toLowerCase());
const upperAscii = (text: string): string => text.replace(/[a-z]/g, (one) => one.toUpperCase());

function substring(text: string, start: number, end: number | undefined): string {
  const characters = Array.from(text);
  const to = end ?? characters.length;
  if (start < 0 || to > characters.length || start > to) throw new CelError(`index out of range: ${start}, ${to}`);
  return characters.slice(start, to).join("");
}

function split(text: string, separator: string, limit: number): readonly string[] {
  if (limit === 0) return [];
  const all = separator === "" ? Array.from(text) : text.split(separator);
  if (limit < 0 || all.length <= limit) return all;
  return [...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)];
}

function replace(text: string, old: string, by: string, limit: number): string {
  if (limit < 0) return text.replaceAll(old, () => by);
  let [result, rest] = ["", text];
  for (let count = 0; count < limit; count++) {
    const at = rest.indexOf(old);
    if (at === -1 || (old === "" && rest === "")) break;
    result += rest.slice(0, at) + by + (old === "" ? rest.slice(0, 1) : "");
    rest = rest.slice(at + Math.max(old.length, 1));
  }
  return result + rest;
}

/** The index of a character counts code points. */
const indexIn = (text: string, at: number): number => (at === -1 ? -1 : Array.from(text.slice(0, at)).length);
const unitsAt = (text: string, index: number): number => Array.from(text).slice(0, index).join("").length;

function join(items: readonly CelValue[], separator: string): string {
  return items.map((item) => textArg(item)).join(separator);
}

function matches(
  text: CelValue | undefined,
  pattern: CelValue | undefined,
  match: (p: string, t: string) => boolean,
): boolean {
  return match(textArg(pattern), textArg(text));
}

export const stringFunctions: FunctionTable = {
  ".startsWith/1": ([text, part]) => textArg(text).startsWith(textArg(part)),
  ".endsWith/1": ([text, part]) => textArg(text).endsWith(textArg(part)),
  ".contains/1": ([text, part]) => textArg(text).includes(textArg(part)),
  ".matches/1": ([text, pattern], { matchRegex }) => matches(text, pattern, regexWith(matchRegex)),
  "matches/2": ([text, pattern], { matchRegex }) => matches(text, pattern, regexWith(matchRegex)),
  ".charAt/1": ([text, at]) =>
    substring(textArg(text), intArg(at), Math.min(intArg(at) + 1, Array.from(textArg(text)).length)),
  ".lowerAscii/0": ([text]) => lowerAscii(textArg(text)),
  ".upperAscii/0": ([text]) => upperAscii(textArg(text)),
  ".trim/0": ([text]) => textArg(text).trim(),
  ".reverse/0": ([value]) =>
    typeof value === "string" ? Array.from(value).reverse().join("") : listArg(value).toReversed(),
  ".substring/1": ([text, start]) => substring(textArg(text), intArg(start), undefined),
  ".substring/2": ([text, start, end]) => substring(textArg(text), intArg(start), intArg(end)),
  ".split/1": ([text, separator]) => split(textArg(text), textArg(separator), -1),
  ".split/2": ([text, separator, limit]) => split(textArg(text), textArg(separator), intArg(limit)),
  ".replace/2": ([text, old, by]) => replace(textArg(text), textArg(old), textArg(by), -1),
  ".replace/3": ([text, old, by, limit]) => replace(textArg(text), textArg(old), textArg(by), intArg(limit)),
  ".join/0": ([items]) => join(listArg(items), ""),
  ".join/1": ([items, separator]) => join(listArg(items), textArg(separator)),
  ".format/1": ([text, args]) => formatText(textArg(text), listArg(args)),
  "strings.quote/1": ([text]) => JSON.stringify(textArg(text)),
  "string/1": ([value]) => textOf(value as CelValue),
  "size/1": ([value]) => sizeOfValue(value),
  ".size/0": ([value]) => sizeOfValue(value),
};

/** `indexOf` and `lastIndexOf` of a string; those of lists are in `lists.ts`. */
export function textIndex(text: string, part: string, from: number | undefined, isLast: boolean): number {
  if (from !== undefined && (from < 0 || from > Array.from(text).length))
    throw new CelError(`index out of range: ${from}`);
  const start = from === undefined ? undefined : unitsAt(text, from);
  return indexIn(text, isLast ? text.lastIndexOf(part, start) : text.indexOf(part, start));
}

type MatchOutcome =
  | { readonly state: "value"; readonly matches: boolean }
  | { readonly state: "error"; readonly message: string };

const regexWith =
  (matchRegex: (pattern: string, text: string) => MatchOutcome) =>
  (pattern: string, text: string): boolean => {
    const outcome = matchRegex(pattern, text);
    if (outcome.state === "error")
      throw new CelUnsupported(`the regular expression ${JSON.stringify(pattern)}: ${outcome.message}`);
    return outcome.matches;
  };

function sizeOfValue(value: CelValue | undefined): number {
  if (typeof value === "string") return isShort(value) ? value.length : Array.from(value).length;
  if (value !== undefined && isList(value)) return value.length;
  if (value !== undefined && isMap(value)) return Object.keys(value).length;
  throw new CelError(`no such overload: size(${value === undefined ? "" : typeOf(value)})`);
}

/** True if every character is one UTF-16 code unit. */
const isShort = (text: string): boolean => !/[\ud800-\udfff]/.test(text);

const DECIMAL = /^[+-]?[0-9]+$/;
export const conversionFunctions: FunctionTable = {
  "int/1": ([value]) => {
    if (value instanceof CelTimestamp) return Number(value.nanos / 1_000_000_000n);
    const number =
      typeof value === "string" && DECIMAL.test(value)
        ? Number(value)
        : value === undefined
          ? undefined
          : numberOf(value);
    if (number === undefined || !Number.isSafeInteger(Math.trunc(number))) throw new CelError("cannot convert to int");
    return Math.trunc(number);
  },
  "double/1": ([value]) => {
    const number =
      typeof value === "string" && value.trim() !== ""
        ? Number(value)
        : value === undefined
          ? undefined
          : numberOf(value);
    if (number === undefined || Number.isNaN(number)) throw new CelError("cannot convert to double");
    return new CelDouble(number);
  },
  "bool/1": ([value]) => {
    if (typeof value === "boolean") return value;
    if (/^(?:1|t|true|TRUE|True)$/.test(textArg(value))) return true;
    if (/^(?:0|f|false|FALSE|False)$/.test(textArg(value))) return false;
    throw new CelError("cannot convert to bool");
  },
  "dyn/1": ([value]) => value as CelValue,
};

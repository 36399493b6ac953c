/** cel-go's strings extension, and the string functions of CEL. */
import { type Frame, pay } from "../frame.ts";
import { isAnyMap, sizeOfMap } from "../maps.ts";
import { CelBytes, CelError, CelOverload, type CelValue, isList } from "../values.ts";
import { type FunctionTable, intArg, listArg, textArg } from "./arguments.ts";
import { formatText } from "./text-of.ts";

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

/** Characters are written 64 for a unit of cost. */
function payForText(length: number, frame: Frame): void {
  pay(frame, length / 64);
}

/** A search may compare every character of the part at every offset of the text. */
function payForSearch(text: string, part: string, frame: Frame): void {
  pay(frame, (text.length * part.length) / 4096);
}

function replace(text: string, old: string, by: string, limit: number, frame: Frame): string {
  payForSearch(text, old, frame);
  const found = old === "" ? text.length + 1 : text.split(old, limit < 0 ? undefined : limit + 1).length - 1;
  payForText((limit < 0 ? found : Math.min(found, limit)) * by.length, frame);
  if (limit < 0) return text.replaceAll(old, () => by);
  let [result, rest] = ["", text];
  for (let count = 0; count < Math.min(limit, found); count++) {
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

function join(items: readonly CelValue[], separator: string, frame: Frame): string {
  const texts = items.map((item) => textArg(item));
  payForText(
    texts.reduce((sum, text) => sum + text.length + separator.length, 0),
    frame,
  );
  return texts.join(separator);
}

/** A search in a text. */
function contains(text: string, part: string, frame: Frame): boolean {
  payForSearch(text, part, frame);
  return text.includes(part);
}

function splitText(text: string, separator: string, limit: number, frame: Frame): readonly string[] {
  payForSearch(text, separator, frame);
  return split(text, separator, limit);
}

export const stringFunctions: FunctionTable = {
  ".startsWith/1": ([text, part]) => textArg(text).startsWith(textArg(part)),
  ".endsWith/1": ([text, part]) => textArg(text).endsWith(textArg(part)),
  ".contains/1": ([text, part], frame) => contains(textArg(text), textArg(part), frame),
  ".matches/1": ([text, pattern], frame) => frame.matches(textArg(text), textArg(pattern), frame),
  "matches/2": ([text, pattern], frame) => frame.matches(textArg(text), textArg(pattern), frame),
  ".charAt/1": ([text, at]) =>
    substring(textArg(text), intArg(at), Math.min(intArg(at) + 1, Array.from(textArg(text)).length)),
  ".lowerAscii/0": ([text]) => lowerAscii(textArg(text)),
  ".upperAscii/0": ([text]) => upperAscii(textArg(text)),
  ".trim/0": ([text]) => textArg(text).trim(),
  ".reverse/0": ([value]) =>
    typeof value === "string" ? Array.from(value).reverse().join("") : listArg(value).toReversed(),
  ".substring/1": ([text, start]) => substring(textArg(text), intArg(start), undefined),
  ".substring/2": ([text, start, end]) => substring(textArg(text), intArg(start), intArg(end)),
  ".split/1": ([text, separator], frame) => splitText(textArg(text), textArg(separator), -1, frame),
  ".split/2": ([text, separator, limit], frame) => splitText(textArg(text), textArg(separator), intArg(limit), frame),
  ".replace/2": ([text, old, by], frame) => replace(textArg(text), textArg(old), textArg(by), -1, frame),
  ".replace/3": ([text, old, by, limit], frame) =>
    replace(textArg(text), textArg(old), textArg(by), intArg(limit), frame),
  ".join/0": ([items], frame) => join(listArg(items), "", frame),
  ".join/1": ([items, separator], frame) => join(listArg(items), textArg(separator), frame),
  ".format/1": ([text, args], frame) => formatText(textArg(text), listArg(args), frame),
  "strings.quote/1": ([text]) => JSON.stringify(textArg(text)),
  "size/1": ([value], frame) => sizeOfValue(value as CelValue, frame),
  ".size/0": ([value], frame) => sizeOfValue(value as CelValue, frame),
};

/** `indexOf` and `lastIndexOf` of a string; those of lists are in `lists.ts`. */
export function textIndex(text: string, part: string, from: number | undefined, isLast: boolean, frame: Frame): number {
  payForSearch(text, part, frame);
  if (from !== undefined && (from < 0 || from > Array.from(text).length))
    throw new CelError(`index out of range: ${from}`);
  const start = from === undefined ? undefined : unitsAt(text, from);
  return indexIn(text, isLast ? text.lastIndexOf(part, start) : text.indexOf(part, start));
}

function sizeOfValue(value: CelValue, frame: Frame): number {
  if (typeof value === "string") return isShort(value) ? value.length : Array.from(value).length;
  if (isList(value)) return value.length;
  if (value instanceof CelBytes) return value.bytes.length;
  if (!isAnyMap(value)) throw new CelOverload();
  const size = sizeOfMap(value);
  pay(frame, size >> 4);
  return size;
}

/** True if every character is one UTF-16 code unit. */
const isShort = (text: string): boolean => !/[\ud800-\udfff]/.test(text);

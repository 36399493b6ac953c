import { type ComparisonOperator, comparisonOperators, type JsonPathStep, type Parsed, refuse } from "./json-path.ts";
import { endOfQuote, indexOutside, isQuote, splitOutside, unquote } from "./scan-text.ts";

/** A step and the index after it. Undefined: there is no step here, such as at a space. */
type Read = Parsed<{ readonly steps: readonly JsonPathStep[]; readonly next: number }>;

/** Parses what is between braces, or one side of a comparison. */
export function parseSteps(text: string): Parsed<readonly JsonPathStep[]> {
  const steps: JsonPathStep[] = [];
  let at = 0;
  while (at < text.length) {
    const read = readStep(text, at);
    if (!read.ok) return read;
    if (read.value.steps[0]?.type === "recursive" && steps.at(-1)?.type === "recursive")
      return refuse(`'${text.trim()}' has two recursive descents (..) in a row`);
    steps.push(...read.value.steps);
    at = read.value.next;
  }
  return { ok: true, value: steps };
}

function readStep(text: string, at: number): Read {
  const character = text.charAt(at);
  // The current value: expressions begin there anyway.
  if (/[\s@$]/.test(character)) return step([], at + 1);
  if (text.startsWith("..", at)) {
    const isField = /[\p{L}\p{N}_]/u.test(text.charAt(at + 2));
    const field = isField ? readField(text, at + 2) : { steps: [], next: at + 2 };
    return step([{ type: "recursive" }, ...field.steps], field.next);
  }
  if (character === ".") return { ok: true, value: readField(text, at + 1) };
  if (character === "[") return readBrackets(text, at);
  if (isQuote(character)) return readQuote(text, at);
  const number = /^[+-]?\d+(?:\.\d+)?/.exec(text.slice(at))?.[0];
  if (number !== undefined) return step([{ type: "literal", value: Number(number) }], at + number.length);
  const word = /^[\p{L}\p{N}_]+/u.exec(text.slice(at))?.[0];
  if (word === "true" || word === "false") return step([{ type: "literal", value: word === "true" }], at + word.length);
  if (word !== undefined)
    return refuse(`'${word}' is not known; a path begins with a dot, such as .${word}, and text is quoted`);
  return refuse(`'${text.slice(at)}' is not the beginning of a path, a number or a quoted text`);
}

const step = (steps: readonly JsonPathStep[], next: number): Read => ({ ok: true, value: { steps, next } });

/** A name up to a space or one of `. , [ ] $ @ { }`. A backslash takes the next character as it is. */
function readField(text: string, from: number): { readonly steps: readonly JsonPathStep[]; readonly next: number } {
  const name = /^(?:\\.|[^\s.,[\]$@{}\\])*/s.exec(text.slice(from))?.[0] ?? "";
  const next = from + name.length;
  if (name === "") return { steps: [], next };
  return { steps: [name === "*" ? { type: "wildcard" } : { type: "field", name: name.replaceAll("\\", "") }], next };
}

function readQuote(text: string, at: number): Read {
  const end = endOfQuote(text, at);
  if (end === -1) return refuse(`'${text.slice(at)}' has no closing quote`);
  const quoted = text.slice(at, end + 1);
  const value = unquote(quoted);
  return value === undefined ? refuse(`${quoted} has an unknown escape`) : step([{ type: "literal", value }], end + 1);
}

/** `[…]`: an index, a slice, a key, several of them, or a filter. */
function readBrackets(text: string, at: number): Read {
  const end = indexOutside(text, at + 1, (character) => character === "]");
  if (end === -1) return refuse(`'${text.slice(at)}' has no closing bracket`);
  const inside = text.slice(at + 1, end).trim();
  const filter = /^\?\s*\((.*)\)$/s.exec(inside)?.[1];
  const parsed = filter === undefined ? parseSelection(inside) : parseFilter(filter);
  return parsed.ok ? step(parsed.value, end + 1) : parsed;
}

function parseSelection(inside: string): Parsed<readonly JsonPathStep[]> {
  const parts = splitOutside(inside);
  if (parts.length > 1) {
    const union: (readonly JsonPathStep[])[] = [];
    for (const part of parts) {
      const steps = parseSelection(part.trim());
      if (!steps.ok) return steps;
      union.push(steps.value);
    }
    return { ok: true, value: [{ type: "union", parts: union }] };
  }
  if (inside === "*") return { ok: true, value: [{ type: "slice", start: undefined, end: undefined, step: 1 }] };
  if (isQuote(inside.charAt(0)) && endOfQuote(inside, 0) === inside.length - 1)
    return parseSteps(`.${inside.slice(1, -1)}`);
  if (/^-?\d+$/.test(inside)) return { ok: true, value: [{ type: "index", at: Number(inside) }] };
  return parseSlice(inside);
}

function parseSlice(inside: string): Parsed<readonly JsonPathStep[]> {
  const match = /^(-?\d+)?:(-?\d+)?(?::(-?\d+)?)?$/.exec(inside);
  if (match === null) return refuse(`[${inside}] is not an index, a slice, a quoted key or a filter`);
  const [start, end, given] = [1, 2, 3].map((group) => (match[group] === undefined ? undefined : Number(match[group])));
  if (given !== undefined && given < 1) return refuse(`[${inside}] has the step ${given}; a step is at least 1`);
  return { ok: true, value: [{ type: "slice", start, end, step: given ?? 1 }] };
}

/** `@.a`, or `@.a=="x"`. One comparison: kubectl has neither `&&` and `||` nor regular expressions. */
function parseFilter(text: string): Parsed<readonly JsonPathStep[]> {
  const at = indexOutside(text, 0, (character) => /[!<>=~&|]/.test(character));
  const left = parseSteps(at === -1 ? text : text.slice(0, at));
  if (!left.ok) return left;
  if (at === -1) return { ok: true, value: [{ type: "filter", left: left.value, operator: "exists", right: [] }] };
  const written = /^[!<>=~&|]+/.exec(text.slice(at))?.[0] ?? "";
  const operator = comparisonOperators.find((one): one is ComparisonOperator => one === written);
  if (operator === undefined)
    return refuse(`the filter '${text}' has '${written}'; a filter has one of ${comparisonOperators.join(" ")}`);
  const rest = text.slice(at + written.length);
  if (indexOutside(rest, 0, (character) => /[!<>=~&|]/.test(character)) !== -1)
    return refuse(`the filter '${text}' has more than one comparison`);
  const right = parseSteps(rest);
  if (!right.ok) return right;
  return { ok: true, value: [{ type: "filter", left: left.value, operator, right: right.value }] };
}

/** Parses one path as `--sort-by` and custom columns take it: `metadata.name`, `.metadata.name` or `{.metadata.name}`. */
export function parsePath(text: string): Parsed<readonly JsonPathStep[]> {
  const [, inBraces, bare] = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/s.exec(text.trim()) ?? [];
  const path = inBraces ?? bare;
  if (path === undefined) return refuse(`'${text}' is not a path; write one as .metadata.name`);
  return parseSteps(/^[.[@$]/.test(path) ? path : `.${path}`);
}

import { create, isMessage } from "@bufbuild/protobuf";
import { isReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { MatchRegex } from "../../core/model/regex.ts";
import { type CelValue, celList, celUint, isCelList, isCelMap, isCelUint } from "./cel-library.ts";
import type { EvaluationTrace } from "./create-evaluation-trace.ts";
import { findTimePart, isTimePart } from "./find-time-part.ts";
import { parseDouble, parseInt64, parseUint64 } from "./parse-int64.ts";
import { valueEquality } from "./value-equality.ts";

/** Our own version of a standard function for these operands (a method's target first), or nothing where the library's will do. */
export type ReplaceFunction = (name: string, operands: readonly CelValue[]) => CelValue | undefined;

export interface RegexSupport {
  readonly match: MatchRegex;
  /** About how many instructions the pattern compiles to. */
  readonly weigh: (pattern: string) => number;
}

type Replacement = (first: CelValue, second: CelValue | undefined) => CelValue | undefined;

/** The standard functions that we do not leave to the library: it is wrong there, or its cost has no bound, or the machine shows through. */
export function replaceFunctions(trace: EvaluationTrace, regex: RegexSupport | undefined): ReplaceFunction {
  const table = new Map<string, Replacement>([
    ["_==_", (a, b) => (b === undefined ? undefined : valueEquality(a, b, trace.charge))],
    ["_!=_", (a, b) => (b === undefined ? undefined : !valueEquality(a, b, trace.charge))],
    ["@in", (item, container) => isIn(item, container, trace)],
    ["_+_", (a, b) => concatenate(a, b, trace)],
    ["contains", (text, part) => chargeSearch(text, part, trace)],
    ["matches", createMatches(trace, regex)],
    ["int", (value) => convert(value, "int", parseInt64, trace)],
    ["uint", (value) => convert(value, "uint", (text) => asUint(parseUint64(text)), trace)],
    ["double", (value) => convert(value, "double", parseDouble, trace)],
    ["timestamp", (value) => timestampOfSeconds(value, trace)],
  ]);
  return (name, operands) => {
    const [first, second] = operands;
    if (first === undefined) return undefined;
    if (isTimePart(name)) return timePart(name, first, second, trace);
    return table.get(name)?.(first, second);
  };
}

function isIn(item: CelValue, container: CelValue | undefined, trace: EvaluationTrace): boolean | undefined {
  if (isCelList(container)) {
    for (const candidate of container) if (valueEquality(item, candidate, trace.charge)) return true;
    return false;
  }
  if (!isCelMap(container)) return undefined;
  if (typeof item === "string" || typeof item === "boolean") return container.get(item) !== undefined;
  trace.charge(container.size / 16);
  if (typeof item === "bigint" || typeof item === "number" || isCelUint(item)) return container.get(item) !== undefined;
  return undefined;
}

/** The library chains lists, so that a list built from many takes a stack frame for each when it is read. */
function concatenate(a: CelValue, b: CelValue | undefined, trace: EvaluationTrace): CelValue | undefined {
  if (!isCelList(a) || !isCelList(b)) return undefined;
  trace.charge((a.size + b.size) / 8);
  return celList([...a, ...b]);
}

/** A search may compare every character of the part at every offset of the text. */
function chargeSearch(text: CelValue, part: CelValue | undefined, trace: EvaluationTrace): undefined {
  if (typeof text === "string" && typeof part === "string") trace.charge((text.length * part.length) / 4096);
}

/** Patterns that one evaluation may come back to without paying for their compilation again. */
const KNOWN_PATTERNS = 16;

function createMatches(trace: EvaluationTrace, regex: RegexSupport | undefined): Replacement {
  return (text, pattern) => {
    if (typeof text !== "string" || typeof pattern !== "string") return undefined;
    if (regex === undefined) throw trace.failure("matches() is not available: no regular expression matcher was given");
    const weight = regex.weigh(pattern);
    trace.charge((trace.isKnown(pattern, KNOWN_PATTERNS) ? 1 : 6 * weight) + (weight * text.length) / 8);
    const outcome = regex.match(pattern, text);
    if (outcome.state === "error") throw trace.failure(outcome.message);
    return outcome.matches;
  };
}

function convert(
  value: CelValue,
  type: string,
  parse: (text: string) => CelValue | undefined,
  trace: EvaluationTrace,
): CelValue | undefined {
  if (typeof value !== "string") return undefined;
  const parsed = parse(value);
  if (parsed !== undefined) return parsed;
  const shown = value.length > 64 ? `${value.slice(0, 64)}…` : value;
  throw trace.failure(`${JSON.stringify(shown)} is not a valid ${type}`);
}

function asUint(value: bigint | undefined): CelValue | undefined {
  return value === undefined ? undefined : celUint(value);
}

/** The first second of the year 1 and the last of 9999: the range of a timestamp. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

/** CEL counts seconds here; the library takes them for milliseconds. */
function timestampOfSeconds(value: CelValue, trace: EvaluationTrace): CelValue | undefined {
  if (typeof value !== "bigint") return undefined;
  if (value < FIRST_SECOND || value > LAST_SECOND) throw trace.failure(`timestamp out of range: ${value}`);
  return reflect(TimestampSchema, create(TimestampSchema, { seconds: value }));
}

function timePart(
  name: string,
  value: CelValue,
  zone: CelValue | undefined,
  trace: EvaluationTrace,
): CelValue | undefined {
  const moment = findTimestamp(value);
  if (moment === undefined || (zone !== undefined && typeof zone !== "string")) return undefined;
  const part = findTimePart(name, moment, zone);
  if (part !== undefined) return part;
  throw trace.failure(
    `unknown time zone: give "UTC" or an offset such as "+02:00"; named zones differ between machines`,
  );
}

function findTimestamp(value: CelValue): Timestamp | undefined {
  if (!isReflectMessage(value)) return undefined;
  return isMessage(value.message, TimestampSchema) ? value.message : undefined;
}

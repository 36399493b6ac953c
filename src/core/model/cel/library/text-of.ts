import { decodeText } from "../bytes.ts";
import { type Frame, pay } from "../frame.ts";
import { entriesOf, isAnyMap } from "../maps.ts";
import { numericOf } from "../numbers.ts";
import {
  CelBytes,
  CelDuration,
  CelError,
  CelOpaque,
  CelOverload,
  CelTimestamp,
  CelType,
  type CelValue,
  isList,
  typeOf,
} from "../values.ts";
import { calendarOf } from "./time.ts";

/** `string(value)`. */
export function textOf(value: CelValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const number = numericOf(value);
  if (number !== undefined) return numberText(number);
  if (value instanceof CelDuration) return durationText(value);
  if (value instanceof CelTimestamp) return timestampText(value);
  if (value instanceof CelOpaque) return value.key;
  throw new CelOverload();
}

/** Infinity and exponents are written as in Go: `+Inf`, `1e-07`. */
function numberText(number: number | bigint): string {
  if (number === Number.POSITIVE_INFINITY) return "+Inf";
  if (number === Number.NEGATIVE_INFINITY) return "-Inf";
  if (Object.is(number, -0)) return "-0";
  return String(number).replace(/e([+-])(\d)$/, "e$10$2");
}

function durationText({ nanos }: CelDuration): string {
  const seconds = nanos / 1_000_000_000n;
  const rest = nanos % 1_000_000_000n;
  if (rest === 0n) return `${seconds}s`;
  const digits = String(rest < 0n ? -rest : rest)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${nanos < 0n && seconds === 0n ? "-" : ""}${seconds}.${digits}s`;
}

function timestampText({ nanos }: CelTimestamp): string {
  const { year, month, day, time } = calendarOf(nanos);
  const two = (value: number | bigint): string => String(value).padStart(2, "0");
  const seconds = time / 1_000_000_000n;
  const clock = `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`;
  const rest = time % 1_000_000_000n;
  const fraction = rest === 0n ? "" : `.${String(rest).padStart(9, "0").replace(/0+$/, "")}`;
  return `${String(year).padStart(4, "0")}-${two(month + 1)}-${two(day)}T${clock}${fraction}Z`;
}

/** `'%s is %d'.format([a, b])`: cel-go's strings extension. */
export function formatText(text: string, args: readonly CelValue[], frame: Frame): string {
  let next = 0;
  const result = text.replace(
    /%(?:%|(?:\.([0-9]+))?([a-zA-Z]))/g,
    (all, precision: string | undefined, verb: string | undefined) => {
      if (all === "%%") return "%";
      const value = args[next++];
      if (value === undefined) throw new CelError("format: more verbs than arguments");
      const digits = precision === undefined ? undefined : Math.min(Number(precision), 100);
      return formatVerb(verb ?? "", value, digits, frame);
    },
  );
  if (next < args.length) throw new CelError("format: more arguments than verbs");
  return result;
}

const BASES: Readonly<Record<string, number>> = { x: 16, X: 16, o: 8, b: 2 };

function formatVerb(verb: string, value: CelValue, precision: number | undefined, frame: Frame): string {
  if (verb === "s") return shown(value, frame, 0);
  const number = typeof value === "boolean" && verb === "b" ? Number(value) : numericOf(value);
  if (verb === "x" && typeof value === "string") return hexText(value, frame);
  if (number === undefined) throw new CelError(`format: %${verb} of ${typeOf(value)}`);
  const base = BASES[verb];
  if (base !== undefined) return verb === "X" ? number.toString(base).toUpperCase() : number.toString(base);
  switch (verb) {
    case "d":
      return String(number);
    case "f":
      return Number(number).toFixed(precision ?? 6);
    case "e":
      return Number(number)
        .toExponential(precision ?? 6)
        .replace(/e([+-])([0-9])$/, "e$10$2");
    default:
      throw new CelError(`format: unknown verb %${verb}`);
  }
}

function hexText(text: string, frame: Frame): string {
  pay(frame, text.length >> 3);
  return Array.from(text, (one) => (one.codePointAt(0) ?? 0).toString(16)).join("");
}

/** How deep a value is shown. */
const MAX_SHOWN_DEPTH = 50;

function shown(value: CelValue, frame: Frame, depth: number): string {
  pay(frame, 1 + (typeof value === "string" ? value.length >> 6 : 0));
  if (depth > MAX_SHOWN_DEPTH) throw new CelError("format: the value nests too deeply");
  if (value === null) return "null";
  if (isList(value)) return `[${value.map((item) => shown(item, frame, depth + 1)).join(", ")}]`;
  if (value instanceof CelType) return value.name;
  if (value instanceof CelBytes) return decodeText(value.bytes);
  if (isAnyMap(value))
    return `{${entriesOf(value)
      .map(([key, member]) => `${textOf(key)}: ${shown(member, frame, depth + 1)}`)
      .sort()
      .join(", ")}}`;
  return textOf(value);
}

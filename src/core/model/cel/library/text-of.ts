import {
  CelDouble,
  CelDuration,
  CelError,
  CelOpaque,
  CelTimestamp,
  CelType,
  type CelValue,
  isList,
  isMap,
  numberOf,
  typeOf,
} from "../values.ts";
import { calendarOf } from "./time.ts";

/** `string(value)`. */
export function textOf(value: CelValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value instanceof CelDouble) return String(value.value);
  if (value instanceof CelDuration) return durationText(value);
  if (value instanceof CelTimestamp) return timestampText(value);
  if (value instanceof CelOpaque) return value.key;
  throw new CelError(`no such overload: string(${typeOf(value)})`);
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
export function formatText(text: string, args: readonly CelValue[]): string {
  let next = 0;
  const result = text.replace(
    /%(?:%|(?:\.([0-9]+))?([a-zA-Z]))/g,
    (all, precision: string | undefined, verb: string | undefined) => {
      if (all === "%%") return "%";
      const value = args[next++];
      if (value === undefined) throw new CelError("format: more verbs than arguments");
      return formatVerb(verb ?? "", value, precision === undefined ? undefined : Math.min(Number(precision), 100));
    },
  );
  if (next < args.length) throw new CelError("format: more arguments than verbs");
  return result;
}

function formatVerb(verb: string, value: CelValue, precision: number | undefined): string {
  if (verb === "s") return shown(value);
  const number = numberOf(value);
  if (verb === "x" && typeof value === "string")
    return Array.from(value)
      .map((one) => (one.codePointAt(0) ?? 0).toString(16))
      .join("");
  if (number === undefined) throw new CelError(`format: %${verb} of ${typeOf(value)}`);
  switch (verb) {
    case "d":
      return String(number);
    case "f":
      return number.toFixed(precision ?? 6);
    case "e":
      return number.toExponential(precision ?? 6).replace(/e([+-])([0-9])$/, "e$10$2");
    case "x":
      return number.toString(16);
    case "X":
      return number.toString(16).toUpperCase();
    case "o":
      return number.toString(8);
    case "b":
      return number.toString(2);
    default:
      throw new CelError(`format: unknown verb %${verb}`);
  }
}

function shown(value: CelValue): string {
  if (value === null) return "null";
  if (isList(value)) return `[${value.map(shown).join(", ")}]`;
  if (value instanceof CelType) return value.name;
  if (isMap(value))
    return `{${Object.keys(value)
      .sort()
      .map((key) => `${key}: ${shown(value[key] as CelValue)}`)
      .join(", ")}}`;
  return textOf(value);
}

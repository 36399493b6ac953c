/** Durations and timestamps. */
import { CelDuration, CelError, CelTimestamp, CelUnsupported, type CelValue, numberOf } from "../values.ts";
import { type FunctionTable, textArg } from "./arguments.ts";

const UNIT_NANOS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const DURATION =
  /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))*$/;

/** As Go's time.ParseDuration: `1h30m`, `1.5s`, `0`. */
export function parseDuration(text: string): CelDuration {
  if (/^[+-]?0$/.test(text)) return new CelDuration(0n);
  if (text.length > 256 || !DURATION.test(text)) throw new CelError(`invalid duration ${JSON.stringify(text)}`);
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(/([0-9]*)\.?([0-9]*)([a-zµμ]+)/g)) {
    const scale = UNIT_NANOS[unit] ?? 0;
    nanos += BigInt(whole === "" ? 0 : whole) * BigInt(scale);
    if (fraction !== "") nanos += BigInt(Math.trunc(Number(`0.${fraction}`) * scale));
  }
  return new CelDuration(text.startsWith("-") ? -nanos : nanos);
}

const TIMESTAMP =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?([Zz]|[+-][0-9]{2}:[0-9]{2})$/;

/** As RFC 3339. */
export function parseTimestamp(text: string): CelTimestamp {
  const parts = TIMESTAMP.exec(text);
  const millis = parts === null ? Number.NaN : Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
  if (parts === null || Number.isNaN(millis)) throw new CelError(`invalid timestamp ${JSON.stringify(text)}`);
  const fraction = BigInt((parts[7] ?? "").padEnd(9, "0"));
  const nanos = BigInt(millis) * 1_000_000n + fraction - BigInt(offsetMinutes(parts[8] as string)) * 60_000_000_000n;
  return new CelTimestamp(nanos);
}

function offsetMinutes(zone: string): number {
  if (/^(?:[Zz]|UTC)$/.test(zone)) return 0;
  const parts = /^([+-]?)([0-9]{2}):([0-9]{2})$/.exec(zone);
  if (parts === null) throw new CelUnsupported("time zones by name are not supported");
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  return parts[1] === "-" ? -minutes : minutes;
}

const DAY = 86_400_000_000_000n;
const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

/** A timestamp in a zone, in the fields of a calendar. */
interface Calendar {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** Days since 1970. */
  readonly days: number;
  /** Nanoseconds of the day. */
  readonly time: bigint;
}

/** The date of a number of days since 1970, in the Gregorian calendar. Months are counted from March, so that a leap day is the last day. */
export function calendarOf(nanos: bigint): Calendar {
  const days = Number(floorDivide(nanos, DAY));
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = (fromMarch + 2) % 12;
  return {
    year: yearOfEra + era * 400 + (month <= 1 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
    days,
    time: nanos - BigInt(days) * DAY,
  };
}

function calendarIn(value: CelValue | undefined, zone: CelValue | undefined): Calendar {
  if (!(value instanceof CelTimestamp)) throw new CelError("no such overload: a timestamp is needed");
  const minutes = zone === undefined ? 0 : offsetMinutes(textArg(zone));
  return calendarOf(value.nanos + BigInt(minutes) * 60_000_000_000n);
}

const dayOfYear = ({ year, days }: Calendar): number => days - Date.UTC(year, 0, 1) / 86_400_000;

const DATE_PARTS: Readonly<Record<string, (date: Calendar) => number>> = {
  getFullYear: ({ year }) => year,
  getMonth: ({ month }) => month,
  getDate: ({ day }) => day,
  getDayOfMonth: ({ day }) => day - 1,
  getDayOfWeek: ({ days }) => (((days + 4) % 7) + 7) % 7,
  getDayOfYear: dayOfYear,
};
/** Parts that durations have as well: the nanoseconds of one, and how many make up the next part. */
const TIME_PARTS: Readonly<Record<string, readonly [nanos: bigint, of: bigint]>> = {
  getHours: [3_600_000_000_000n, 24n],
  getMinutes: [60_000_000_000n, 60n],
  getSeconds: [1_000_000_000n, 60n],
  getMilliseconds: [1_000_000n, 1000n],
};

const timePart = ({ time }: Calendar, [nanos, of]: readonly [bigint, bigint]): number => Number((time / nanos) % of);

export const timeFunctions: FunctionTable = {
  "duration/1": ([value]) => (value instanceof CelDuration ? value : parseDuration(textArg(value))),
  "timestamp/1": ([value]) => {
    if (value instanceof CelTimestamp) return value;
    const seconds = value === undefined ? undefined : numberOf(value);
    if (seconds !== undefined) return new CelTimestamp(BigInt(Math.trunc(seconds)) * 1_000_000_000n);
    return parseTimestamp(textArg(value));
  },
  ...Object.fromEntries(
    Object.entries(DATE_PARTS).flatMap(([name, of]) => [
      [`.${name}/0`, ([value]: readonly CelValue[]) => of(calendarIn(value, undefined))],
      [`.${name}/1`, ([value, zone]: readonly CelValue[]) => of(calendarIn(value, zone))],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(TIME_PARTS).flatMap(([name, part]) => [
      [
        `.${name}/0`,
        ([value]: readonly CelValue[]) =>
          value instanceof CelDuration
            ? Number(name === "getMilliseconds" ? (value.nanos / part[0]) % 1000n : value.nanos / part[0])
            : timePart(calendarIn(value, undefined), part),
      ],
      [`.${name}/1`, ([value, zone]: readonly CelValue[]) => timePart(calendarIn(value, zone), part)],
    ]),
  ),
};

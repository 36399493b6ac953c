/** Durations and timestamps. */
import { intOf } from "../numbers.ts";
import { CelDuration, CelError, CelTimestamp, CelUnsupported, type CelValue } from "../values.ts";
import { type FunctionTable, textArg, timestampArg } from "./arguments.ts";

const SECOND = 1_000_000_000n;
/** The first second of the year 1 and the last of 9999. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
/** A duration of CEL is a number of nanoseconds that fits 64 bits. */
const LONGEST = 2n ** 63n;

export function timestampValue(nanos: bigint): CelTimestamp {
  if (nanos < FIRST_SECOND * SECOND || nanos >= (LAST_SECOND + 1n) * SECOND)
    throw new CelError("timestamp out of range: it is not in the years 1 to 9999");
  return new CelTimestamp(nanos);
}

export function durationValue(nanos: bigint): CelDuration {
  if (nanos < -LONGEST || nanos >= LONGEST) throw new CelError("duration out of range");
  return new CelDuration(nanos);
}

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

/** Parses a duration like Go's time.ParseDuration: `1h30m`, `1.5s`, `0`. */
export function parseDuration(text: string): CelDuration {
  if (/^[+-]?0$/.test(text)) return new CelDuration(0n);
  if (text.length > 256 || !DURATION.test(text)) throw new CelError(`invalid duration ${JSON.stringify(text)}`);
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(/([0-9]*)\.?([0-9]*)([a-zµμ]+)/g)) {
    const scale = UNIT_NANOS[unit] ?? 0;
    nanos += BigInt(whole === "" ? 0 : whole) * BigInt(scale);
    if (fraction !== "") nanos += BigInt(Math.trunc(Number(`0.${fraction}`) * scale));
  }
  return durationValue(text.startsWith("-") ? -nanos : nanos);
}

const TIMESTAMP =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?([Zz]|[+-][0-9]{2}:[0-9]{2})$/;

/** Parses a timestamp of RFC 3339. */
export function parseTimestamp(text: string): CelTimestamp {
  const parts = TIMESTAMP.exec(text);
  const millis = parts === null ? Number.NaN : Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
  // JavaScript reads February 30 as March 2, and 24:00 as the next day.
  const isWrong = Number.isNaN(millis) || calendarOf(BigInt(millis) * 1_000_000n).day !== Number(parts?.[3]);
  if (parts === null || isWrong || Number(parts[4]) > 23)
    throw new CelError(`invalid timestamp ${JSON.stringify(text.slice(0, 64))}`);
  const fraction = BigInt((parts[7] ?? "").padEnd(9, "0"));
  const nanos = BigInt(millis) * 1_000_000n + fraction - BigInt(offsetMinutes(parts[8] as string)) * 60_000_000_000n;
  return timestampValue(nanos);
}

function offsetMinutes(zone: string): number {
  if (/^(?:[Zz]|UTC)$/.test(zone)) return 0;
  const parts = /^([+-]?)([0-9]{2}):([0-9]{2})$/.exec(zone);
  if (parts === null)
    throw new CelUnsupported(
      `unknown time zone: give "UTC" or an offset such as "+02:00"; named zones differ between machines`,
    );
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
  const { nanos } = timestampArg(value);
  const minutes = zone === undefined ? 0 : offsetMinutes(textArg(zone));
  return calendarOf(nanos + BigInt(minutes) * 60_000_000_000n);
}

function dayOfYear({ year, days }: Calendar): number {
  const before = year - 1;
  const firstDay = 365 * before + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  // From the first day of the year 1 to that of 1970.
  return days - (firstDay - 719_162);
}

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
    const seconds = value === undefined ? undefined : intOf(value);
    if (seconds !== undefined) return timestampValue(seconds * SECOND);
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

/** A moment as protobuf has it: whole seconds since 1970 and nanoseconds after them. */
export interface Moment {
  readonly seconds: bigint;
  readonly nanos: number;
}

type Part = (date: Date) => number;

const DAY_MS = 86_400_000;

const parts: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["getFullYear", (date) => date.getUTCFullYear()],
  ["getMonth", (date) => date.getUTCMonth()],
  ["getDate", (date) => date.getUTCDate()],
  ["getDayOfMonth", (date) => date.getUTCDate() - 1],
  ["getDayOfWeek", (date) => date.getUTCDay()],
  ["getDayOfYear", (date) => Math.floor((date.getTime() - firstOfYear(date)) / DAY_MS)],
  ["getHours", (date) => date.getUTCHours()],
  ["getMinutes", (date) => date.getUTCMinutes()],
  ["getSeconds", (date) => date.getUTCSeconds()],
  ["getMilliseconds", (date) => date.getUTCMilliseconds()],
]);

/**
 * A part of a timestamp, such as its hour, in UTC or at a fixed offset (`"+02:00"`).
 *
 * The library's own goes through the machine's time zone, so that `getHours()` of a moment which daylight saving skips
 * there is an hour off. Named zones are refused, because their rules come with the machine.
 */
export function findTimePart(name: string, moment: Moment, zone: string | undefined): bigint | undefined {
  const part = parts.get(name);
  const offsetMs = zone === undefined ? 0 : parseOffsetMs(zone);
  if (part === undefined || offsetMs === undefined) return undefined;
  return BigInt(part(new Date(Number(moment.seconds) * 1000 + Math.floor(moment.nanos / 1e6) + offsetMs)));
}

export function isTimePart(name: string): boolean {
  return parts.has(name);
}

function parseOffsetMs(zone: string): number | undefined {
  if (zone === "UTC" || zone === "Z") return 0;
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Not `Date.UTC`, which takes the years 0 to 99 for 1900 to 1999. */
function firstOfYear(date: Date): number {
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);
}

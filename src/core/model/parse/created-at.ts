import { isJsonObject, type Json, ownValue } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";

/** Kubernetes writes RFC 3339. JavaScript reads other formats in the local time zone. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** `metadata.creationTimestamp` as written; null if it is absent. */
export function writtenCreationTime({ raw }: KubeObject): Json {
  const metadata = ownValue(raw, "metadata");
  return isJsonObject(metadata) ? (ownValue(metadata, "creationTimestamp") ?? null) : null;
}

/** The creation time in whole seconds since the epoch; undefined if it is absent or not RFC 3339. */
export function createdAt(object: KubeObject): number | undefined {
  const written = writtenCreationTime(object);
  if (typeof written !== "string") return undefined;
  return secondsAsWritten(written) ?? secondsOf(written);
}

function secondsOf(text: string): number | undefined {
  const ms = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** Parses the format of the API server, `2021-07-15T01:02:03Z`, faster than `Date.parse`. */
function secondsAsWritten(text: string): number | undefined {
  const isShaped =
    text.length === 20 &&
    text[4] === "-" &&
    text[7] === "-" &&
    text[10] === "T" &&
    text[13] === ":" &&
    text[16] === ":" &&
    text[19] === "Z";
  if (!isShaped) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // Comparisons with NaN are false. `Date.parse` decides whether the days 29 to 31 exist.
  const isPlain = month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour <= 23 && minute <= 59 && second <= 59;
  if (!isPlain || !(year >= 1970)) return undefined;
  return ((daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.NaN;
}

const ZERO = 48;
/** 1 March of year 0 to 1 January 1970. */
const EPOCH = 719_468;

/** Counts years from March, so that the leap day is the last day of a year and month lengths follow a linear formula. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const monthOfYear = (month + 9) % 12;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return 365 * marchYear + leapDays + Math.floor((153 * monthOfYear + 2) / 5) + day - 1 - EPOCH;
}

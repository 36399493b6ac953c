import { parseIp } from "../../cel/library/addresses.ts";
import { parseDuration, parseTimestamp } from "../../cel/library/time.ts";

const does = (act: () => unknown): boolean => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/i;

/** The formats of strings that the API server checks, with what is allowed. */
const FORMATS: Readonly<Record<string, readonly [allowed: string, is: (text: string) => boolean]>> = {
  ipv4: ["an IPv4 address", (text) => parseIp(text)?.length === 4],
  ipv6: ["an IPv6 address", (text) => parseIp(text)?.length === 16],
  cidr: ["a CIDR, like 10.0.0.0/8", isCidr],
  mac: ["a MAC address", (text) => /^(?:[0-9a-f]{2}[:-]){5}(?:[0-9a-f]{2}[:-]?){0,2}[0-9a-f]{2}$/i.test(text)],
  uuid: ["a UUID", (text) => UUID.test(text)],
  uri: ["a URI", (text) => /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+|\/[^\s]*)$/.test(text)],
  email: ["an email address", (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  hostname: ["a hostname", (text) => text.length <= 253 && text.split(".").every((part) => LABEL.test(part))],
  byte: ["base64", (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)],
  date: ["a date, like 2026-01-31", (text) => does(() => parseTimestamp(`${text}T00:00:00Z`))],
  "date-time": ["a time, like 2026-01-31T12:00:00Z", (text) => does(() => parseTimestamp(text))],
  duration: ["a duration, like 1m30s", (text) => does(() => parseDuration(text))],
};

function isCidr(text: string): boolean {
  const [address = "", prefix = "", ...more] = text.split("/");
  const length = parseIp(address)?.length ?? 0;
  return more.length === 0 && /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= length * 8;
}

/** True if a text has a format. A format that the API server does not know is not checked. */
export const isOfFormat = (format: string, text: string): boolean =>
  !Object.hasOwn(FORMATS, format) || FORMATS[format]?.[1](text) === true;

/** The texts that a format allows, for messages; undefined if it is not checked. */
export const allowedByFormat = (format: string): string | undefined =>
  Object.hasOwn(FORMATS, format) ? FORMATS[format]?.[0] : undefined;

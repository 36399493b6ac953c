/** Headers that a backend gets on top of the client's, about the client. */
import type { ClientExchange } from "./client-exchange.ts";
import { type Fields, valuesOf, withoutNames } from "./fields.ts";
import type { RequestHead } from "./request-head.ts";

const CLAIMED: ReadonlySet<string> = new Set([
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
]);
const SET_HERE: ReadonlySet<string> = new Set(["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"]);

/** `Overwrite`: what the client says about itself is dropped, so that nobody can pose as somebody else. */
export function forwardFields(
  { fields, host, hostPort }: RequestHead,
  { client, isSecure, protocol }: ClientExchange,
  forwarded: "Overwrite" | "Append",
): Fields {
  const kept = withoutNames(fields, forwarded === "Overwrite" ? CLAIMED : SET_HERE);
  const before = forwarded === "Overwrite" ? [] : valuesOf(fields, "x-forwarded-for");
  kept.push(
    "x-forwarded-for",
    before.length === 0 ? client : [...before, client].join(", "),
    "x-forwarded-proto",
    first(fields, "x-forwarded-proto", forwarded) ?? (isSecure ? "https" : "http"),
    "x-forwarded-host",
    first(fields, "x-forwarded-host", forwarded) ?? (hostPort === undefined ? host : `${host}:${hostPort}`),
    "via",
    protocol === "HTTP/2" ? "2 prevail" : "1.1 prevail",
  );
  return kept;
}

/** Whoever is in front knows better which scheme and host the client asked for. */
function first(fields: Fields, name: string, forwarded: "Overwrite" | "Append"): string | undefined {
  return forwarded === "Append" ? valuesOf(fields, name)[0] : undefined;
}

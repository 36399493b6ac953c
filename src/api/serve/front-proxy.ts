/**
 * The front proxy of the API server: which certificates it may have, and in which headers it names the user.
 *
 * Kubernetes, "Configure the aggregation layer": the API server authenticates and authorises a request, then sends it on with the user in headers. Only a connection with a
 * certificate of the front proxy's authority, and with one of its names, may set them.
 */
import type { ReviewedUser } from "../../adapters/cluster/client/reviews.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../core/model/json.ts";

export interface FrontProxy {
  /** Certificates in PEM. */
  readonly authority: string;
  /** The common names that are allowed; empty: every name. */
  readonly allowedNames: readonly string[];
  /** In lower case. */
  readonly userHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Reads the ConfigMap `extension-apiserver-authentication`. Returns what is wrong with it as a text. */
export function parseFrontProxy(configMap: JsonObject): FrontProxy | string {
  const data = ownValue(configMap, "data");
  const values = isJsonObject(data) ? data : {};
  const authority = ownValue(values, "requestheader-client-ca-file");
  if (typeof authority !== "string" || !authority.includes("BEGIN CERTIFICATE"))
    return "it has no requestheader-client-ca-file: start the API server with --requestheader-client-ca-file";
  const userHeaders = names(values, "requestheader-username-headers");
  if (userHeaders.length === 0)
    return "it has no requestheader-username-headers: start the API server with --requestheader-username-headers";
  return {
    authority,
    allowedNames: texts(values, "requestheader-allowed-names"),
    userHeaders,
    uidHeaders: names(values, "requestheader-uid-headers"),
    groupHeaders: names(values, "requestheader-group-headers"),
    extraPrefixes: names(values, "requestheader-extra-headers-prefix"),
  };
}

/** The values are JSON lists in text. */
function texts(values: JsonObject, key: string): readonly string[] {
  const text = ownValue(values, key);
  if (typeof text !== "string") return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}

const names = (values: JsonObject, key: string): readonly string[] =>
  texts(values, key).map((name) => name.toLowerCase());

/** True if a certificate with these common names may be that of the front proxy. Its authority has been checked. */
export const isAllowedName = ({ allowedNames }: FrontProxy, commonNames: readonly string[]): boolean =>
  allowedNames.length === 0 || commonNames.some((name) => allowedNames.includes(name));

/** The user of a request, or why it is refused. `headers` are names and values in turns, as they came. */
export function readUser(proxy: FrontProxy, headers: readonly string[]): ReviewedUser | string {
  const values = collectHeaders(headers);
  for (const name of values.keys())
    if (name.startsWith("impersonate-")) return "impersonation ends at the API server: this request still asks for it";
  const users = firstOf(proxy.userHeaders, values);
  const [user, ...others] = users;
  if (user === undefined || user === "") return "the request names no user";
  if (others.length > 0) return "the request names more than one user";
  const uids = firstOf(proxy.uidHeaders, values);
  if (uids.length > 1) return "the request has more than one uid";
  return {
    user,
    ...(uids[0] === undefined ? {} : { uid: uids[0] }),
    groups: proxy.groupHeaders.flatMap((name) => values.get(name) ?? []),
    extra: extraOf(proxy, values),
  };
}

function collectHeaders(headers: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] ?? "").toLowerCase();
    const list = values.get(name) ?? [];
    values.set(name, list);
    list.push(headers[i + 1] ?? "");
  }
  return values;
}

/** The values of the first of these headers that is there. */
const firstOf = (wanted: readonly string[], values: ReadonlyMap<string, readonly string[]>): readonly string[] =>
  wanted.map((name) => values.get(name) ?? []).find((list) => list.length > 0) ?? [];

function extraOf(
  { extraPrefixes }: FrontProxy,
  values: ReadonlyMap<string, readonly string[]>,
): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, readonly string[]>();
  for (const prefix of extraPrefixes) {
    for (const [name, list] of values) {
      if (!name.startsWith(prefix)) continue;
      const key = decodeKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...list]);
    }
  }
  return Object.fromEntries(extra);
}

/** Keys are percent-encoded, as header names allow few characters. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

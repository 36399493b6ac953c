/** Kubernetes' URL library. */
import { CelError, CelOpaque, type CelValue } from "../values.ts";
import { parseIp } from "./addresses.ts";
import { type FunctionTable, opaqueArg, textArg } from "./arguments.ts";

interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const URL_PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:[^/?#@]*@)?([^/?#]*))?([^?]*)(?:\?(.*))?$/s;

/** Parses a URL like Go's url.ParseRequestURI: an absolute URL, or an absolute path. */
function parseUrl(text: string): Url | undefined {
  if (text === "" || /[\s\p{Cc}]/u.test(text)) return undefined;
  const parts = URL_PARTS.exec(text);
  if (parts === null) return undefined;
  const [, scheme = "", host = "", path = "", query = ""] = parts;
  const isAbsolute = scheme !== "" || path.startsWith("/");
  if (!isAbsolute || /%(?![0-9a-fA-F]{2})/.test(path) || !isHost(host)) return undefined;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

function isHost(host: string): boolean {
  const bracket = /^\[([^\]]*)\](?::[0-9]*)?$/.exec(host);
  if (bracket !== null) return parseIp((bracket[1] as string).replace(/%25.*$/, "")) !== undefined;
  return /^[^:[\]<>"{}|\\^`]*(?::[0-9]*)?$/.test(host);
}

const urlOf = (value: CelValue | undefined): Url => opaqueArg<"kubernetes.URL", Url>("kubernetes.URL", value).content;

function queryOf(query: string): CelValue {
  const values = Object.create(null) as Record<string, string[]>;
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const [key, value] = at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
    const name = decode(key);
    const known = values[name] ?? [];
    known.push(decode(value));
    values[name] = known;
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new CelError("the query of the URL is invalid");
  }
}

const hostname = ({ host }: Url): string => host.replace(/:[0-9]*$/, "").replace(/^\[(.*)\]$/, "$1");

export const urlFunctions: FunctionTable = {
  "isURL/1": ([text]) => parseUrl(textArg(text)) !== undefined,
  "url/1": ([text]) => {
    const url = parseUrl(textArg(text));
    if (url === undefined) throw new CelError(`URL ${JSON.stringify(text)} is invalid`);
    return new CelOpaque("kubernetes.URL", url, textArg(text));
  },
  ".getScheme/0": ([url]) => urlOf(url).scheme,
  ".getHost/0": ([url]) => urlOf(url).host,
  ".getHostname/0": ([url]) => hostname(urlOf(url)),
  ".getPort/0": ([url]) => /:([0-9]*)$/.exec(urlOf(url).host.replace(/^\[.*\]/, ""))?.[1] ?? "",
  ".getEscapedPath/0": ([url]) => urlOf(url).path,
  ".getQuery/0": ([url]) => queryOf(urlOf(url).query),
};

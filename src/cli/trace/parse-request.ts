import type { TraceRequest } from "../../core/explain/trace/result.ts";
import { HTTP_TOKEN } from "../../core/model/words/http-token.ts";

export type ParsedRequest =
  | { readonly ok: true; readonly request: TraceRequest }
  | { readonly ok: false; readonly message: string };

/** Parses `METHOD URL` and `-H 'name: value'`, in the syntax of curl. */
export function parseRequest(words: readonly string[], headers: readonly string[]): ParsedRequest {
  const [method, url, ...rest] = words;
  if (method === undefined || url === undefined || rest.length > 0) {
    return { ok: false, message: "no request given: give METHOD and URL" };
  }
  if (!HTTP_TOKEN.test(method)) return { ok: false, message: `'${method}' is not an HTTP method` };
  const parsed = parseUrl(url);
  if (typeof parsed === "string") return { ok: false, message: parsed };
  const fields: (readonly [string, string])[] = [];
  for (const header of headers) {
    const colon = header.indexOf(":");
    const name = colon === -1 ? header : header.slice(0, colon);
    if (colon === -1 || !HTTP_TOKEN.test(name))
      return { ok: false, message: `'${header}' is not a header: write -H 'name: value'` };
    fields.push([name.toLowerCase(), header.slice(colon + 1).trim()]);
  }
  // A Host header replaces the host of the URL, as in curl.
  const host = fields.find(([name]) => name === "host")?.[1];
  const named = host === undefined ? parsed.hostname : host.replace(/:\d*$/, "");
  const scheme = parsed.protocol === "https:" ? "https" : "http";
  return {
    ok: true,
    request: {
      scheme,
      method: method.toUpperCase(),
      host: named.toLowerCase(),
      port: parsed.port === "" ? (scheme === "https" ? 443 : 80) : Number(parsed.port),
      path: parsed.pathname,
      query: [...parsed.searchParams],
      headers: fields,
    },
  };
}

function parseUrl(text: string): URL | string {
  if (!/^https?:\/\//i.test(text)) return `'${text}' is not an HTTP URL: begin with http:// or https://`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url ?? `'${text}' is not a valid URL`;
}

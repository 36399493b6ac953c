/**
 * Finds configuration that Envoy would reject. Envoy rejects a whole virtual host for one invalid route, so an invalid match is left out and
 * requests of an invalid rule get a 500; all other routes are unaffected.
 */
import type { FilterConfig, HeaderChanges, PathModifier, RouteConfig } from "../dataplane/gateway-config.ts";
import type { MatchRegex } from "../model/regex.ts";
import { HTTP_TOKEN } from "../model/words/http-token.ts";
import type { NamedMatch, RouteMatch, TextMatch } from "../routing/route-match.ts";

/** Characters that would end a header value. */
const NOT_IN_HEADERS = ["\0", "\r", "\n"];
const LONGEST_VALUE = 16_384;
const LONGEST_NAME = 256;

/** Why Envoy would reject a match. Undefined: it accepts it. */
export function faultOfMatch({ path, grpc, headers, query }: RouteMatch, matchRegex: MatchRegex): string | undefined {
  if (path?.type === "RegularExpression") {
    const fault = faultOfPattern(path.value, matchRegex);
    if (fault !== undefined) return `the path's pattern ${fault}`;
  }
  // A path never contains them, so the match would match nothing.
  if (path !== undefined && path.type !== "RegularExpression" && /[?#]/.test(path.value)) {
    return `the path ${path.value} contains ? or #, which a path never contains`;
  }
  for (const part of grpc?.type === "RegularExpression" ? [grpc.service, grpc.method] : []) {
    const fault = part === undefined ? undefined : faultOfPattern(part, matchRegex);
    if (fault !== undefined) return `the gRPC method's pattern ${fault}`;
  }
  return (
    firstFault(headers, (header) => faultOfNamed("header", header, HTTP_TOKEN, matchRegex)) ??
    firstFault(query, (parameter) => faultOfNamed("query parameter", parameter, /./s, matchRegex))
  );
}

function faultOfNamed(
  what: string,
  { name, value }: NamedMatch,
  allowed: RegExp,
  matchRegex: MatchRegex,
): string | undefined {
  if (!allowed.test(name) || name.length > LONGEST_NAME)
    return `${JSON.stringify(name)} is not a valid name of a ${what}`;
  const fault = faultOfText(value, matchRegex);
  return fault === undefined ? undefined : `the pattern for ${what} ${name} ${fault}`;
}

const faultOfText = ({ type, value }: TextMatch, matchRegex: MatchRegex): string | undefined =>
  type === "Exact" ? undefined : faultOfPattern(value, matchRegex);

function faultOfPattern(pattern: string, matchRegex: MatchRegex): string | undefined {
  if (pattern === "") return "is empty";
  const outcome = matchRegex(pattern, "");
  return outcome.state === "error" ? `cannot be used: ${outcome.message}` : undefined;
}

/** Why Envoy would reject a rule. Undefined: it accepts it. */
export function faultOfRule({ rule }: RouteConfig): string | undefined {
  const { action, filters } = rule;
  const own = firstFault(filters, faultOfFilter);
  if (own !== undefined) return own;
  switch (action.type) {
    case "Respond":
      return undefined;
    case "Redirect":
      return faultOfHost(action.redirect.hostname) ?? faultOfPath(action.redirect.path);
    case "Forward":
      return firstFault(action.backends, ({ target }) =>
        target.type === "Backend" ? firstFault(target.filters, faultOfFilter) : undefined,
      );
  }
}

function faultOfFilter(filter: FilterConfig): string | undefined {
  switch (filter.type) {
    case "RequestHeaderModifier":
    case "ResponseHeaderModifier":
      return faultOfChanges(filter);
    case "URLRewrite":
      return faultOfHost(filter.hostname) ?? faultOfPath(filter.path);
    case "CORS":
      return firstFault([...filter.allowHeaders, ...filter.exposeHeaders, ...filter.allowMethods], (name) =>
        name === "*" ? undefined : faultOfName(name),
      );
    case "RequestMirror":
      return undefined;
    case "ExternalAuth":
      return (
        firstFault([...filter.allowedHeaders, ...filter.allowedResponseHeaders], faultOfName) ??
        (/^[^\s?#]*$/.test(filter.path) ? undefined : `the path ${JSON.stringify(filter.path)} has white space, ? or #`)
      );
  }
}

const faultOfChanges = ({ remove, set, add }: HeaderChanges): string | undefined =>
  firstFault(remove, faultOfName) ??
  firstFault([...set, ...add], ({ name, value }) => faultOfName(name) ?? faultOfValue(name, value));

const faultOfName = (name: string): string | undefined =>
  HTTP_TOKEN.test(name) && name.length <= LONGEST_NAME
    ? undefined
    : `${JSON.stringify(name)} is not a valid header name`;

function faultOfValue(name: string, value: string): string | undefined {
  if (NOT_IN_HEADERS.some((character) => value.includes(character)))
    return `the value of header ${name} has a line break or a zero`;
  return value.length > LONGEST_VALUE ? `the value of header ${name} is longer than ${LONGEST_VALUE}` : undefined;
}

const faultOfHost = (hostname: string | undefined): string | undefined =>
  hostname === undefined || /^[A-Za-z0-9._:[\]-]+$/.test(hostname)
    ? undefined
    : `${JSON.stringify(hostname)} is not a valid host`;

function faultOfPath(change: PathModifier | undefined): string | undefined {
  if (change === undefined || !/[\s?#]/.test(change.path)) return undefined;
  return `the path ${JSON.stringify(change.path)} has white space, ? or #`;
}

function firstFault<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = find(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Matches a request with a rule, and says why it does not match. */
import type { MatchRegex } from "../model/regex.ts";
import type { NamedMatch, PathMatch, RouteMatch, TextMatch } from "./route-match.ts";

export interface HttpRequest {
  readonly method: string;
  /** In lower case, without the port. */
  readonly host: string;
  /** With a slash at the beginning, without the query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** One condition that the request does not meet. */
export interface Mismatch {
  readonly part: "path" | "method" | "header" | "query";
  /** An example is `the path is /bread, not /cake or below it`. */
  readonly message: string;
}

/** Empty: the request matches. */
export function findMismatches(match: RouteMatch, request: HttpRequest, matchRegex: MatchRegex): readonly Mismatch[] {
  const mismatches: Mismatch[] = [];
  if (match.path !== undefined) {
    const reason = findPathMismatch(match.path, request.path, matchRegex);
    if (reason !== undefined) mismatches.push({ part: "path", message: reason });
  }
  if (match.grpc !== undefined) {
    const reason = findGrpcMismatch(match.grpc, request.path, matchRegex);
    if (reason !== undefined) mismatches.push({ part: "path", message: reason });
  }
  if (match.method !== undefined && match.method !== request.method) {
    mismatches.push({ part: "method", message: `the method is ${request.method}, not ${match.method}` });
  }
  for (const header of match.headers) addMismatch("header", header, request.headers, matchRegex, mismatches);
  for (const parameter of match.query) addMismatch("query", parameter, request.query, matchRegex, mismatches);
  return mismatches;
}

/** True if `findMismatches` is empty, without the cost of the messages. */
export function matchesRequest(match: RouteMatch, request: HttpRequest, matchRegex: MatchRegex): boolean {
  const { path, grpc, method, headers, query } = match;
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || matchesPath(path, request.path, matchRegex)) &&
    (grpc === undefined || findGrpcMismatch(grpc, request.path, matchRegex) === undefined) &&
    headers.every((header) => hasNamed(header, request.headers, matchRegex)) &&
    query.every((parameter) => hasNamed(parameter, request.query, matchRegex))
  );
}

function matchesPath({ type, value }: PathMatch, path: string, matchRegex: MatchRegex): boolean {
  switch (type) {
    case "Exact":
      return path === value;
    case "PathPrefix":
      return hasPathPrefix(path, value);
    case "RegularExpression":
      return matchesText({ type, value }, path, matchRegex);
  }
}

function hasNamed({ name, value }: NamedMatch, found: HttpRequest["headers"], matchRegex: MatchRegex): boolean {
  const entry = found.find(([other]) => other === name);
  return entry !== undefined && matchesText(value, entry[1], matchRegex);
}

function matchesText({ type, value }: TextMatch, found: string, matchRegex: MatchRegex): boolean {
  if (type === "Exact") return found === value;
  const outcome = matchRegex(whole(value), found);
  return outcome.state === "value" && outcome.matches;
}

function findPathMismatch({ type, value }: PathMatch, path: string, matchRegex: MatchRegex): string | undefined {
  switch (type) {
    case "Exact":
      return path === value ? undefined : `the path is ${path}, not exactly ${value}`;
    case "PathPrefix":
      return hasPathPrefix(path, value) ? undefined : `the path is ${path}, not ${value} or below it`;
    case "RegularExpression": {
      const outcome = matchRegex(whole(value), path);
      if (outcome.state === "error") return `the pattern ${value} cannot be used: ${outcome.message}`;
      return outcome.matches ? undefined : `the path ${path} does not match ${value}`;
    }
  }
}

/**
 * Path prefixes match whole elements
 *
 * `/abc` matches `/abc`, `/abc/` and `/abc/d`, not `/abcd`. A slash at the end of the prefix is ignored.
 * Gateway API, "PathMatchType"
 */
export function hasPathPrefix(path: string, prefix: string): boolean {
  const trimmed = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  return path === trimmed || path.startsWith(`${trimmed}/`);
}

/** A pattern must match the whole text, as in Envoy. */
const whole = (pattern: string): string => `^(?:${pattern})$`;

function findGrpcMismatch(
  { type, service, method }: NonNullable<RouteMatch["grpc"]>,
  path: string,
  matchRegex: MatchRegex,
): string | undefined {
  const [, calledService = "", calledMethod = ""] = path.split("/");
  const isMatch = (wanted: string | undefined, found: string): boolean =>
    wanted === undefined || findTextMismatch({ type, value: wanted }, found, matchRegex) === undefined;
  if (isMatch(service, calledService) && isMatch(method, calledMethod)) return undefined;
  return `the call is ${path}, not /${service ?? "*"}/${method ?? "*"}`;
}

function addMismatch(
  part: "header" | "query",
  { name, value }: NamedMatch,
  found: HttpRequest["headers"],
  matchRegex: MatchRegex,
  mismatches: Mismatch[],
): void {
  const entry = found.find(([other]) => other === name);
  const noun = part === "header" ? `header ${name}` : `query parameter ${name}`;
  const reason = entry === undefined ? "is missing" : findTextMismatch(value, entry[1], matchRegex);
  if (reason !== undefined) mismatches.push({ part, message: `${noun} ${reason}` });
}

/** Returns the reason why the text does not match. Undefined: it matches. */
function findTextMismatch({ type, value }: TextMatch, found: string, matchRegex: MatchRegex): string | undefined {
  if (type === "Exact") return found === value ? undefined : `is '${found}', not '${value}'`;
  const outcome = matchRegex(whole(value), found);
  if (outcome.state === "error") return `has a pattern that cannot be used: ${outcome.message}`;
  return outcome.matches ? undefined : `is '${found}', which does not match ${value}`;
}

/** Whether a request is what a rule asks for, and if not, what it lacks. */
import type { MatchRegex } from "../model/regex.ts";
import type { NamedMatch, PathMatch, RouteMatch, TextMatch } from "./route-match.ts";

export interface HttpRequest {
  readonly method: string;
  /** In lower case, without the port. */
  readonly host: string;
  /** Begins with a slash; no query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** One condition that the request does not meet. */
export interface Miss {
  readonly part: "path" | "method" | "header" | "query";
  /** For people: `path is /bread, not prefix /cake`. */
  readonly message: string;
}

/** Empty: it matches. */
export function missesOf(match: RouteMatch, request: HttpRequest, matchRegex: MatchRegex): readonly Miss[] {
  const misses: Miss[] = [];
  if (match.path !== undefined) {
    const why = pathMiss(match.path, request.path, matchRegex);
    if (why !== undefined) misses.push({ part: "path", message: why });
  }
  if (match.grpc !== undefined) {
    const why = grpcMiss(match.grpc, request.path, matchRegex);
    if (why !== undefined) misses.push({ part: "path", message: why });
  }
  if (match.method !== undefined && match.method !== request.method) {
    misses.push({ part: "method", message: `the method is ${request.method}, not ${match.method}` });
  }
  for (const header of match.headers) addMiss("header", header, request.headers, matchRegex, misses);
  for (const parameter of match.query) addMiss("query", parameter, request.query, matchRegex, misses);
  return misses;
}

/** The same as `missesOf` finding nothing, for those who ask often and do not want to know why not. */
export function matchesRequest(match: RouteMatch, request: HttpRequest, matchRegex: MatchRegex): boolean {
  const { path, grpc, method, headers, query } = match;
  return (
    (method === undefined || method === request.method) &&
    (path === undefined || matchesPath(path, request.path, matchRegex)) &&
    (grpc === undefined || grpcMiss(grpc, request.path, matchRegex) === undefined) &&
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

function pathMiss({ type, value }: PathMatch, path: string, matchRegex: MatchRegex): string | undefined {
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

/** By path element: `/abc` is a prefix of `/abc` and `/abc/d`, not of `/abcd`; a slash at its end says nothing. */
export function hasPathPrefix(path: string, prefix: string): boolean {
  const trimmed = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  return path === trimmed || path.startsWith(`${trimmed}/`);
}

/** A pattern is about the whole text, as in Envoy. */
const whole = (pattern: string): string => `^(?:${pattern})$`;

function grpcMiss(
  { type, service, method }: NonNullable<RouteMatch["grpc"]>,
  path: string,
  matchRegex: MatchRegex,
): string | undefined {
  const [, asked = "", called = ""] = path.split("/");
  const isIt = (wanted: string | undefined, found: string): boolean =>
    wanted === undefined || meets({ type, value: wanted }, found, matchRegex) === undefined;
  if (isIt(service, asked) && isIt(method, called)) return undefined;
  return `the call is ${path}, not /${service ?? "*"}/${method ?? "*"}`;
}

function addMiss(
  part: "header" | "query",
  { name, value }: NamedMatch,
  found: HttpRequest["headers"],
  matchRegex: MatchRegex,
  misses: Miss[],
): void {
  const entry = found.find(([other]) => other === name);
  const noun = part === "header" ? `header ${name}` : `query parameter ${name}`;
  const why = entry === undefined ? "is not there" : meets(value, entry[1], matchRegex);
  if (why !== undefined) misses.push({ part, message: `${noun} ${why}` });
}

/** Why not; undefined: it does. */
function meets({ type, value }: TextMatch, found: string, matchRegex: MatchRegex): string | undefined {
  if (type === "Exact") return found === value ? undefined : `is '${found}', not '${value}'`;
  const outcome = matchRegex(whole(value), found);
  if (outcome.state === "error") return `has a pattern that cannot be used: ${outcome.message}`;
  return outcome.matches ? undefined : `is '${found}', which does not match ${value}`;
}

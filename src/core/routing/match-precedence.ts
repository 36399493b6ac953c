/** Decides which of several matching routes is used. */
import { compareText } from "../model/refs.ts";
import { compareHostnames } from "./hostname-match.ts";
import type { GrpcMethodMatch, PathMatch, RouteMatch } from "./route-match.ts";

/** A match of a rule, with the data of its route that the precedence depends on. */
export interface RankedMatch {
  readonly match: RouteMatch;
  /** The route's hostname that matches the request. */
  readonly hostname: string | undefined;
  /** In seconds. Undefined: newest. */
  readonly createdAt: number | undefined;
  /** `namespace/name`. */
  readonly route: string;
  readonly ruleIndex: number;
}

/** The first criterion in which two matches differ, in the words of the specification. */
export type Criterion =
  | "the more specific hostname"
  | "an exact path"
  | "a regular expression before a prefix"
  | "the longer path"
  | "the longer service name"
  | "the longer method name"
  | "a match on the method"
  | "more header matches"
  | "more query parameter matches"
  | "the older route"
  | "the route first by namespace/name"
  | "the earlier rule"
  | "the earlier match";

export interface Precedence {
  /** Negative: the first comes first. */
  readonly order: number;
  readonly by: Criterion;
}

/**
 * Match precedence
 *
 * Of several matching routes: the more specific hostname, an exact path, the longest path, a match on the method, more header matches, more
 * query parameter matches, the older route, the first by `namespace/name`, the earlier rule. The specification does not order regular
 * expressions: here they come after exact paths and before prefixes, the longer pattern first.
 * Gateway API, "HTTPRouteRule.matches"
 */
const CRITERIA: readonly (readonly [Criterion, (a: RankedMatch, b: RankedMatch) => number])[] = [
  ["the more specific hostname", (a, b) => compareHostnames(a.hostname, b.hostname)],
  ["an exact path", (a, b) => rank(b.match.path, "Exact") - rank(a.match.path, "Exact")],
  [
    "a regular expression before a prefix",
    (a, b) => rank(b.match.path, "RegularExpression") - rank(a.match.path, "RegularExpression"),
  ],
  ["the longer path", (a, b) => length(b.match.path?.value) - length(a.match.path?.value)],
  ["the longer service name", (a, b) => grpcLength(b.match.grpc, "service") - grpcLength(a.match.grpc, "service")],
  ["the longer method name", (a, b) => grpcLength(b.match.grpc, "method") - grpcLength(a.match.grpc, "method")],
  ["a match on the method", (a, b) => presence(b.match.method) - presence(a.match.method)],
  ["more header matches", (a, b) => b.match.headers.length - a.match.headers.length],
  ["more query parameter matches", (a, b) => b.match.query.length - a.match.query.length],
  ["the older route", (a, b) => compareAge(a.createdAt, b.createdAt)],
  ["the route first by namespace/name", (a, b) => compareText(a.route, b.route)],
  ["the earlier rule", (a, b) => a.ruleIndex - b.ruleIndex],
];

export function comparePrecedence(a: RankedMatch, b: RankedMatch): Precedence {
  for (const [by, compare] of CRITERIA) {
    const order = compare(a, b);
    if (order !== 0) return { order, by };
  }
  return { order: a.match.index - b.match.index, by: "the earlier match" };
}

const rank = (path: PathMatch | undefined, type: PathMatch["type"]): number => (path?.type === type ? 1 : 0);
const length = (text: string | undefined): number => text?.length ?? 0;
const presence = (text: string | undefined): number => (text === undefined ? 0 : 1);
const grpcLength = (match: GrpcMethodMatch | undefined, part: "service" | "method"): number => length(match?.[part]);

/** An object without a creation time (from a file) counts as newest. */
function compareAge(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return (a ?? Number.POSITIVE_INFINITY) < (b ?? Number.POSITIVE_INFINITY) ? -1 : 1;
}

/**
 * Finds the first route that matches a request. It gives the same result as a linear search through the routes in the order of precedence,
 * but skips routes whose path cannot match.
 */
import type { MatchRegex } from "../model/regex.ts";
import { type HttpRequest, matchesRequest } from "./match-request.ts";
import type { RouteMatch } from "./route-match.ts";

export interface RouteIndex<Route> {
  readonly find: (request: HttpRequest) => Route | undefined;
}

/** Indexes of routes, ascending. A plain number saves memory, because most paths have one route. */
type Indexes = number | number[];

export function buildRouteIndex<Route extends { readonly match: RouteMatch }>(
  routes: readonly Route[],
  matchRegex: MatchRegex,
): RouteIndex<Route> {
  const exact = new Map<string, Indexes>();
  const prefixes = new Map<string, Indexes>();
  const others: number[] = [];
  let deepest = 0;
  for (let index = 0; index < routes.length; index++) {
    const match = routes[index]?.match;
    if (match?.path?.type === "Exact") addIndex(exact, match.path.value, index);
    else {
      const prefix = match && prefixOf(match);
      if (prefix === undefined) others.push(index);
      else {
        addIndex(prefixes, prefix, index);
        deepest = Math.max(deepest, countSlashes(prefix));
      }
    }
  }

  const matches = (index: number, request: HttpRequest): boolean => {
    const route = routes[index];
    return route !== undefined && matchesRequest(route.match, request, matchRegex);
  };
  /** The lowest index that matches, if it is lower than the best so far. */
  const better = (best: number, indexes: Indexes | undefined, request: HttpRequest): number => {
    if (indexes === undefined) return best;
    if (typeof indexes === "number") return indexes < best && matches(indexes, request) ? indexes : best;
    for (const index of indexes) {
      if (index >= best) return best;
      if (matches(index, request)) return index;
    }
    return best;
  };

  return {
    find: (request) => {
      const { path } = request;
      let best = better(Number.POSITIVE_INFINITY, exact.get(path), request);
      // Looks up one prefix per path element, but no deeper than the longest prefix: a path may have thousands of elements.
      let slash = path.indexOf("/");
      for (let depth = 0; depth <= deepest && slash !== -1; depth++) {
        best = better(best, prefixes.get(path.slice(0, slash)), request);
        slash = path.indexOf("/", slash + 1);
      }
      if (slash === -1) best = better(best, prefixes.get(path), request);
      best = better(best, others, request);
      return routes[best];
    },
  };
}

/** The path prefix that a match requires. Undefined: it requires none. */
function prefixOf({ path, grpc }: RouteMatch): string | undefined {
  if (path?.type === "PathPrefix") return path.value.endsWith("/") ? path.value.slice(0, -1) : path.value;
  if (path === undefined && grpc?.type === "Exact" && grpc.service !== undefined && !grpc.service.includes("/")) {
    return `/${grpc.service}`;
  }
  return undefined;
}

function addIndex(table: Map<string, Indexes>, key: string, index: number): void {
  const indexes = table.get(key);
  if (indexes === undefined) table.set(key, index);
  else if (typeof indexes === "number") table.set(key, [indexes, index]);
  else indexes.push(index);
}

function countSlashes(text: string): number {
  let count = 0;
  for (let at = text.indexOf("/"); at !== -1; at = text.indexOf("/", at + 1)) count++;
  return count;
}

/**
 * Many routes, in their precedence, and the first of them that takes a request: the same answer as asking one after the other, found without
 * asking those whose path cannot match.
 */
import type { MatchRegex } from "../model/regex.ts";
import { type HttpRequest, matchesRequest } from "./match-request.ts";
import type { RouteMatch } from "./route-match.ts";

export interface RouteIndex<Route> {
  readonly find: (request: HttpRequest) => Route | undefined;
}

interface Entry<Route> {
  /** Its place among all routes: the lowest that matches wins. */
  readonly place: number;
  readonly route: Route;
}

/** A path element and what follows it. */
interface Element<Route> {
  children: Map<string, Element<Route>> | undefined;
  /** Routes whose prefix ends here. */
  entries: Entry<Route>[] | undefined;
}

export function buildRouteIndex<Route extends { readonly match: RouteMatch }>(
  routes: readonly Route[],
  matchRegex: MatchRegex,
): RouteIndex<Route> {
  const exact = new Map<string, Entry<Route>[]>();
  const prefixes: Element<Route> = { children: undefined, entries: undefined };
  const others: Entry<Route>[] = [];
  routes.forEach((route, place) => {
    const entry = { place, route };
    const key = keyOf(route.match);
    if (key === undefined) others.push(entry);
    else if (key.type === "Exact") addTo(exact, key.path, entry);
    else addPrefix(prefixes, key.path, entry);
  });

  const better = (
    best: Entry<Route> | undefined,
    entries: readonly Entry<Route>[] | undefined,
    request: HttpRequest,
  ): Entry<Route> | undefined => {
    if (entries === undefined) return best;
    for (const entry of entries) {
      if (best !== undefined && entry.place > best.place) return best;
      if (matchesRequest(entry.route.match, request, matchRegex)) return entry;
    }
    return best;
  };

  return {
    find: (request) => {
      let best = better(undefined, exact.get(request.path), request);
      for (const entries of walkPrefixes(prefixes, request.path)) best = better(best, entries, request);
      return better(best, others, request)?.route;
    },
  };
}

type Key = { readonly type: "Exact" | "Prefix"; readonly path: string };

/** What a path must be or begin with; undefined: nothing that could be looked up. */
function keyOf({ path, grpc }: RouteMatch): Key | undefined {
  if (path?.type === "Exact") return { type: "Exact", path: path.value };
  if (path?.type === "PathPrefix") {
    return { type: "Prefix", path: path.value.endsWith("/") ? path.value.slice(0, -1) : path.value };
  }
  if (path === undefined && grpc?.type === "Exact" && grpc.service !== undefined && !grpc.service.includes("/")) {
    return { type: "Prefix", path: `/${grpc.service}` };
  }
  return undefined;
}

function addTo<Route>(map: Map<string, Entry<Route>[]>, key: string, entry: Entry<Route>): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

function addPrefix<Route>(root: Element<Route>, path: string, entry: Entry<Route>): void {
  let element = root;
  for (const name of path.split("/")) {
    element.children ??= new Map();
    let child = element.children.get(name);
    if (child === undefined) {
      child = { children: undefined, entries: undefined };
      element.children.set(name, child);
    }
    element = child;
  }
  element.entries ??= [];
  element.entries.push(entry);
}

/** Longest prefixes first, as these tend to have the lowest places. */
function walkPrefixes<Route>(root: Element<Route>, path: string): readonly Entry<Route>[][] {
  const found: Entry<Route>[][] = [];
  let element: Element<Route> | undefined = root;
  let start = 0;
  while (start <= path.length) {
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    element = element.children?.get(path.slice(start, end));
    if (element === undefined) break;
    if (element.entries !== undefined) found.push(element.entries);
    start = end + 1;
  }
  return found.reverse();
}

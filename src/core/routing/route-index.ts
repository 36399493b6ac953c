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

/** Places of routes, ascending; most paths have one, and one needs no list. */
type Places = number | number[];

export function buildRouteIndex<Route extends { readonly match: RouteMatch }>(
  routes: readonly Route[],
  matchRegex: MatchRegex,
): RouteIndex<Route> {
  const exact = new Map<string, Places>();
  const prefixes = new Map<string, Places>();
  const others: number[] = [];
  let deepest = 0;
  for (let place = 0; place < routes.length; place++) {
    const match = routes[place]?.match;
    if (match?.path?.type === "Exact") addPlace(exact, match.path.value, place);
    else {
      const prefix = match && prefixOf(match);
      if (prefix === undefined) others.push(place);
      else {
        addPlace(prefixes, prefix, place);
        deepest = Math.max(deepest, countSlashes(prefix));
      }
    }
  }

  const matches = (place: number, request: HttpRequest): boolean => {
    const route = routes[place];
    return route !== undefined && matchesRequest(route.match, request, matchRegex);
  };
  /** The lowest place that matches, if it is lower than the best so far. */
  const better = (best: number, places: Places | undefined, request: HttpRequest): number => {
    if (places === undefined) return best;
    if (typeof places === "number") return places < best && matches(places, request) ? places : best;
    for (const place of places) {
      if (place >= best) return best;
      if (matches(place, request)) return place;
    }
    return best;
  };

  return {
    find: (request) => {
      const { path } = request;
      let best = better(Number.POSITIVE_INFINITY, exact.get(path), request);
      // Element by element, and no deeper than any prefix goes: a path may have thousands.
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

/** What a path must begin with, by element; undefined: nothing that could be looked up. */
function prefixOf({ path, grpc }: RouteMatch): string | undefined {
  if (path?.type === "PathPrefix") return path.value.endsWith("/") ? path.value.slice(0, -1) : path.value;
  if (path === undefined && grpc?.type === "Exact" && grpc.service !== undefined && !grpc.service.includes("/")) {
    return `/${grpc.service}`;
  }
  return undefined;
}

function addPlace(index: Map<string, Places>, key: string, place: number): void {
  const places = index.get(key);
  if (places === undefined) index.set(key, place);
  else if (typeof places === "number") index.set(key, [places, place]);
  else places.push(place);
}

function countSlashes(text: string): number {
  let count = 0;
  for (let at = text.indexOf("/"); at !== -1; at = text.indexOf("/", at + 1)) count++;
  return count;
}

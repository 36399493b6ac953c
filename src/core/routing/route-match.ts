/** Parses the matches of a rule of an HTTPRoute or GRPCRoute. A rule without matches matches every request. */
import { isJsonObject, type Json, type JsonObject, objectsIn } from "../model/json.ts";

export type TextMatch =
  | { readonly type: "Exact"; readonly value: string }
  | { readonly type: "RegularExpression"; readonly value: string };

export type PathMatch = TextMatch | { readonly type: "PathPrefix"; readonly value: string };

export interface NamedMatch {
  readonly name: string;
  readonly value: TextMatch;
}

/** The method match of a GRPCRoute. An undefined part matches everything. */
export interface GrpcMethodMatch {
  readonly type: TextMatch["type"];
  readonly service: string | undefined;
  readonly method: string | undefined;
}

export interface RouteMatch {
  /** The index in the rule's `matches`. -1: the rule has none, and this is the default match. */
  readonly index: number;
  readonly path: PathMatch | undefined;
  readonly grpc: GrpcMethodMatch | undefined;
  readonly method: string | undefined;
  readonly headers: readonly NamedMatch[];
  readonly query: readonly NamedMatch[];
}

const EVERYTHING: PathMatch = { type: "PathPrefix", value: "/" };

/** The matches of a rule. A request must match at least one. */
export function routeMatches(rule: JsonObject, kind: "HTTPRoute" | "GRPCRoute"): readonly RouteMatch[] {
  const matches = objectsIn(rule["matches"]);
  if (matches.length === 0) return [readMatch({}, -1, kind)];
  return matches.map((match, index) => readMatch(match, index, kind));
}

function readMatch(match: JsonObject, index: number, kind: "HTTPRoute" | "GRPCRoute"): RouteMatch {
  // Header names are case-insensitive, and the first entry of a name is used (Gateway API, HTTPHeaderMatch).
  const headers = namedMatches(match["headers"], (name) => name.toLowerCase());
  if (kind === "GRPCRoute") {
    return { index, path: undefined, grpc: grpcMethod(match["method"]), method: undefined, headers, query: [] };
  }
  const { path, method } = match;
  return {
    index,
    path: isJsonObject(path) ? pathMatch(path) : EVERYTHING,
    grpc: undefined,
    method: typeof method === "string" && method !== "" ? method : undefined,
    headers,
    query: namedMatches(match["queryParams"], (name) => name),
  };
}

function pathMatch({ type, value }: JsonObject): PathMatch {
  const text = typeof value === "string" && value !== "" ? value : "/";
  return type === "Exact" || type === "RegularExpression" ? { type, value: text } : { type: "PathPrefix", value: text };
}

function namedMatches(list: Json | undefined, keyOf: (name: string) => string): readonly NamedMatch[] {
  const found = new Map<string, NamedMatch>();
  for (const { name, type, value } of objectsIn(list)) {
    if (typeof name !== "string" || found.has(keyOf(name))) continue;
    found.set(keyOf(name), { name: keyOf(name), value: textMatch(type, value) });
  }
  return [...found.values()];
}

const textMatch = (type: Json | undefined, value: Json | undefined): TextMatch => ({
  type: type === "RegularExpression" ? type : "Exact",
  value: typeof value === "string" ? value : "",
});

function grpcMethod(value: Json | undefined): GrpcMethodMatch | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, service, method } = value;
  return {
    type: type === "RegularExpression" ? type : "Exact",
    service: typeof service === "string" && service !== "" ? service : undefined,
    method: typeof method === "string" && method !== "" ? method : undefined,
  };
}

/** Formats a match as `path prefix /bread, method GET, header x-a=1`. */
export function formatMatch({ path, grpc, method, headers, query }: RouteMatch): string {
  const parts = [
    ...(path === undefined ? [] : [`path ${formatPath(path)}`]),
    ...(grpc === undefined ? [] : [`gRPC ${grpc.service ?? "*"}/${grpc.method ?? "*"}`]),
    ...(method === undefined ? [] : [`method ${method}`]),
    ...headers.map(({ name, value }) => `header ${name}${formatText(value)}`),
    ...query.map(({ name, value }) => `query ${name}${formatText(value)}`),
  ];
  return parts.length === 0 ? "everything" : parts.join(", ");
}

function formatPath({ type, value }: PathMatch): string {
  switch (type) {
    case "Exact":
      return value;
    case "PathPrefix":
      return `prefix ${value}`;
    case "RegularExpression":
      return `~ ${value}`;
  }
}

const formatText = ({ type, value }: TextMatch): string => (type === "Exact" ? `=${value}` : `~${value}`);

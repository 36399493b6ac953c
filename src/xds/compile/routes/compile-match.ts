/** Compiles the match of a route for Envoy. */
import { escapePattern } from "../../../core/model/words/escape-pattern.ts";
import type {
  GrpcMethodMatch,
  NamedMatch,
  PathMatch,
  RouteMatch,
  TextMatch,
} from "../../../core/routing/route-match.ts";
import type { HeaderMatcherSchema, RouteMatchSchema } from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import type { StringMatcherSchema } from "../../gen/envoy/type/matcher/v3/string_pb.ts";
import type { Init } from "../../protobuf.ts";

export type MatchInit = Init<typeof RouteMatchSchema>;
export type HeaderMatchInit = Init<typeof HeaderMatcherSchema>;

export function compileMatch({ path, grpc, method, headers, query }: RouteMatch): MatchInit {
  return {
    pathSpecifier: path === undefined ? grpcPath(grpc) : pathSpecifier(path),
    headers: [...(method === undefined ? [] : [exactHeader(":method", method)]), ...headers.map(headerMatcher)],
    queryParameters: query.map(({ name, value }) => ({
      name,
      queryParameterMatchSpecifier: { case: "stringMatch", value: stringMatcher(value) },
    })),
  };
}

const exactHeader = (name: string, value: string): HeaderMatchInit => ({
  name,
  headerMatchSpecifier: { case: "stringMatch", value: { matchPattern: { case: "exact", value } } },
});

/** The pattern must match the whole value. */
export const headerLike = (name: string, regex: string): HeaderMatchInit => ({
  name,
  headerMatchSpecifier: {
    case: "stringMatch",
    value: { matchPattern: { case: "safeRegex", value: { regex } } },
  },
});

const headerMatcher = ({ name, value }: NamedMatch): HeaderMatchInit => ({
  name,
  headerMatchSpecifier: { case: "stringMatch", value: stringMatcher(value) },
});

/** Patterns must match the whole text, in Envoy as in Prevail. */
const stringMatcher = ({ type, value }: TextMatch): Init<typeof StringMatcherSchema> => ({
  matchPattern: type === "Exact" ? { case: "exact", value } : { case: "safeRegex", value: { regex: value } },
});

type PathSpecifier = NonNullable<MatchInit["pathSpecifier"]>;

const EVERY_PATH: PathSpecifier = { case: "prefix", value: "/" };
export const EVERYTHING: MatchInit = { pathSpecifier: EVERY_PATH };

/** Envoy merges slashes except in the path `//`, which must not bypass the routes for `/`. */
const ROOT: PathSpecifier = { case: "safeRegex", value: { regex: "//?" } };

function pathSpecifier({ type, value }: PathMatch): PathSpecifier {
  switch (type) {
    case "Exact":
      return value === "/" ? ROOT : { case: "path", value };
    case "RegularExpression":
      return { case: "safeRegex", value: { regex: value } };
    case "PathPrefix": {
      const trimmed = trimSlash(value);
      return trimmed === "" ? EVERY_PATH : { case: "pathSeparatedPrefix", value: trimmed };
    }
  }
}

/** A slash at the end of a prefix is ignored. */
export const trimSlash = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : path);

const ONE_ELEMENT = "[^/]+";

function grpcPath(grpc: GrpcMethodMatch | undefined): PathSpecifier {
  if (grpc === undefined || (grpc.service === undefined && grpc.method === undefined)) return EVERY_PATH;
  const { type, service, method } = grpc;
  if (type === "Exact" && service !== undefined) {
    return method === undefined
      ? { case: "prefix", value: `/${service}/` }
      : { case: "path", value: `/${service}/${method}` };
  }
  const part = (value: string | undefined): string =>
    value === undefined ? ONE_ELEMENT : type === "Exact" ? escapePattern(value) : `(?:${value})`;
  return { case: "safeRegex", value: { regex: `/${part(service)}/${part(method)}` } };
}

/** True if the match matches every request, so that routes after it are never reached. */
export const isCatchAll = ({ path, grpc, method, headers, query }: RouteMatch): boolean =>
  (path === undefined ? grpc === undefined : path.type === "PathPrefix" && trimSlash(path.value) === "") &&
  method === undefined &&
  headers.length === 0 &&
  query.length === 0;

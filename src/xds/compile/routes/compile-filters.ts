/** Compiles the filters of a rule and of its backendRef for Envoy. */

import type {
  AuthConfig,
  BackendConfig,
  CorsConfig,
  FilterConfig,
  HeaderChanges,
  PathModifier,
} from "../../../core/dataplane/gateway-config.ts";
import { escapePattern } from "../../../core/model/words/escape-pattern.ts";
import {
  type HeaderValueOption,
  HeaderValueOption_HeaderAppendAction,
  HeaderValueOptionSchema,
} from "../../gen/envoy/config/core/v3/base_pb.ts";
import { CorsPolicySchema } from "../../gen/envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import type { RegexMatchAndSubstituteSchema } from "../../gen/envoy/type/matcher/v3/regex_pb.ts";
import type { StringMatcherSchema } from "../../gen/envoy/type/matcher/v3/string_pb.ts";
import { type Any, create, type Init, pack } from "../../protobuf.ts";
import { trimSlash } from "./compile-match.ts";

export type RewriteInit = Init<typeof RegexMatchAndSubstituteSchema>;

/** Must not be changed, because messages share these lists. */
export interface CompiledHeaders {
  readonly remove: string[];
  readonly add: HeaderValueOption[];
}

export const NO_CHANGES: CompiledHeaders = { remove: [], add: [] };

export interface Mirror {
  readonly backend: BackendConfig;
  /** Parts per million of the requests. */
  readonly perMillion: number;
}

export interface EnvoyFilters {
  readonly request: CompiledHeaders;
  readonly response: CompiledHeaders;
  /** Undefined: unchanged. */
  readonly host: string | undefined;
  readonly path: RewriteInit | undefined;
  readonly mirrors: readonly Mirror[];
  readonly cors: Any | undefined;
  readonly auth: AuthConfig | undefined;
}

export function compileFilters(filters: readonly FilterConfig[]): EnvoyFilters {
  return filters.length === 0 ? NO_FILTERS : compileSome(filters);
}

const NO_FILTERS: EnvoyFilters = {
  request: NO_CHANGES,
  response: NO_CHANGES,
  host: undefined,
  path: undefined,
  mirrors: [],
  cors: undefined,
  auth: undefined,
};

/** In one pass, because there may be thousands of rules. */
function compileSome(filters: readonly FilterConfig[]): EnvoyFilters {
  const request: HeaderChanges[] = [];
  const response: HeaderChanges[] = [];
  const mirrors: Mirror[] = [];
  let host: string | undefined;
  let path: PathModifier | undefined;
  let cors: CorsConfig | undefined;
  let auth: AuthConfig | undefined;
  for (const filter of filters) {
    switch (filter.type) {
      case "RequestHeaderModifier":
        request.push(filter);
        break;
      case "ResponseHeaderModifier":
        response.push(filter);
        break;
      case "URLRewrite":
        host = filter.hostname ?? host;
        path = filter.path ?? path;
        break;
      case "RequestMirror":
        mirrors.push(mirror(filter));
        break;
      case "CORS":
        cors ??= filter;
        break;
      case "ExternalAuth":
        auth = filter;
        break;
    }
  }
  return {
    request: headerOptions(request.map(withoutHost)),
    response: headerOptions(cors === undefined ? response : [...response, VARIES_BY_ORIGIN]),
    host: host ?? hostOf(request),
    path: path === undefined ? undefined : pathRewrite(path),
    mirrors,
    cors: cors === undefined ? undefined : corsPolicy(cors),
    auth,
  };
}

/** Envoy's CORS filter repeats the origin of a request, so caches must keep a response for each origin; the filter does not say so itself. */
const VARIES_BY_ORIGIN: HeaderChanges = { remove: [], set: [], add: [{ name: "vary", value: "origin" }] };

/** Envoy does not treat Host as a header: setting it is a host rewrite. */
const hostOf = (changes: readonly HeaderChanges[]): string | undefined =>
  changes.flatMap(({ set }) => set.filter(({ name }) => name === "host")).at(-1)?.value;

const isNotHost = ({ name }: { readonly name: string }): boolean => name !== "host";

const withoutHost = ({ remove, set, add }: HeaderChanges): HeaderChanges => ({
  remove: remove.filter((name) => name !== "host"),
  set: set.filter(isNotHost),
  add: add.filter(isNotHost),
});

const { APPEND_IF_EXISTS_OR_ADD, OVERWRITE_IF_EXISTS_OR_ADD } = HeaderValueOption_HeaderAppendAction;

/**
 * Combines several header modifiers into one change. Envoy removes first, then goes through the list. A header that a later filter removes or sets
 * loses the changes of earlier filters.
 */
function headerOptions(changes: readonly HeaderChanges[]): CompiledHeaders {
  const [first, ...later] = changes;
  if (first === undefined) return NO_CHANGES;
  let headers: CompiledHeaders = { remove: [...first.remove], add: optionsOf(first) };
  for (const change of later) {
    const gone = new Set([...change.remove, ...change.set.map(({ name }) => name)]);
    headers = {
      remove: [...new Set([...headers.remove, ...change.remove])],
      add: [...headers.add.filter(({ header }) => !gone.has(header?.key ?? "")), ...optionsOf(change)],
    };
  }
  return headers;
}

const optionsOf = ({ set, add }: HeaderChanges): HeaderValueOption[] => [
  ...set.map(({ name, value }) => headerOption(name, value, OVERWRITE_IF_EXISTS_OR_ADD)),
  ...add.map(({ name, value }) => headerOption(name, value, APPEND_IF_EXISTS_OR_ADD)),
];

/** Escapes percent signs, because Envoy interprets them as the start of a variable. */
const headerOption = (
  key: string,
  value: string,
  appendAction: HeaderValueOption_HeaderAppendAction,
): HeaderValueOption =>
  create(HeaderValueOptionSchema, {
    header: { key, value: value.replaceAll("%", "%%") },
    appendAction,
    keepEmptyValue: true,
  });

/** Does not use Envoy's `prefix_rewrite`, which ignores path elements: replacing `/old` by `/` would turn `/old/bread` into `//bread`. */
export function pathRewrite(change: PathModifier): RewriteInit {
  switch (change.type) {
    case "ReplaceFullPath":
      return rewrite("^.*$", escapeSubstitution(change.path));
    case "ReplacePrefixMatch": {
      const prefix = escapePattern(trimSlash(change.prefix));
      const replacement = trimSlash(change.path);
      return replacement === ""
        ? rewrite(`^${prefix}/*(.*)$`, "/\\1")
        : rewrite(`^${prefix}(.*)$`, `${escapeSubstitution(replacement)}\\1`);
    }
  }
}

const rewrite = (regex: string, substitution: string): RewriteInit => ({ pattern: { regex }, substitution });

const escapeSubstitution = (text: string): string => text.replaceAll("\\", "\\\\");

const MILLION = 1_000_000;

const mirror = ({ backend, numerator, denominator }: Extract<FilterConfig, { type: "RequestMirror" }>): Mirror => ({
  backend,
  perMillion: Math.min(MILLION, Math.round((numerator / denominator) * MILLION)),
});

function corsPolicy(cors: CorsConfig): Any {
  return pack(CorsPolicySchema, {
    allowOriginStringMatch: cors.allowOrigins.map(originMatcher),
    allowMethods: cors.allowMethods.join(", "),
    allowHeaders: cors.allowHeaders.join(", "),
    exposeHeaders: cors.exposeHeaders.join(", "),
    maxAge: String(cors.maxAgeSeconds),
    allowCredentials: cors.allowCredentials,
    // Requests of origins that are not allowed are not forwarded to backends.
    forwardNotMatchingPreflights: false,
  });
}

/** In `https://*.example.com` the star matches one or more labels. */
function originMatcher(origin: string): Init<typeof StringMatcherSchema> {
  if (origin === "*") return { matchPattern: { case: "prefix", value: "http" } };
  if (!origin.includes("*")) return { matchPattern: { case: "exact", value: origin } };
  const regex = origin.split("*").map(escapePattern).join("[^/:]+");
  return { matchPattern: { case: "safeRegex", value: { regex } } };
}

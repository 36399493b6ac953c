/** Compiles the filters of a rule or of a backendRef. */
import { isJsonList, isJsonObject, type Json, type JsonObject, objectsIn, textsIn } from "../../model/json.ts";
import type { RouteMatch } from "../../routing/route-match.ts";
import type {
  AuthConfig,
  BackendConfig,
  CorsConfig,
  FilterConfig,
  HeaderChanges,
  HeaderValue,
  PathModifier,
  RedirectConfig,
} from "../gateway-config.ts";
import { nonEmptyText } from "./non-empty-text.ts";

export type CompiledFilters =
  | {
      readonly state: "compiled";
      readonly filters: readonly FilterConfig[];
      readonly redirect: RedirectConfig | undefined;
    }
  | { readonly state: "unusable"; readonly field: string; readonly reason: string };

export interface FilterContext {
  readonly at: "Rule" | "BackendRef";
  /** `spec.rules[0].filters`. */
  readonly field: string;
  readonly matches: readonly RouteMatch[];
  /** The backend of a mirror. Undefined: it is not usable, the problem is reported, and nothing is mirrored. */
  readonly mirrorTo: (ref: JsonObject, field: string) => BackendConfig | undefined;
  /** The authorization server. A text is the reason why it is not usable. */
  readonly authBy: (ref: JsonObject, protocol: AuthConfig["protocol"]) => BackendConfig | string;
}

const NOTHING: JsonObject = {};
const NONE: CompiledFilters = { state: "compiled", filters: [], redirect: undefined };

/**
 * Filters that cannot be carried out give 500
 *
 * A filter that is unknown, unsupported or invalid must not be skipped. The requests of its rule or backendRef get a 500 instead.
 * Gateway API, "HTTPRouteFilter"
 */
export function compileFilters(list: Json | undefined, context: FilterContext): CompiledFilters {
  if (!isJsonList(list) || list.length === 0) return NONE;
  const filters: FilterConfig[] = [];
  let redirect: RedirectConfig | undefined;
  for (const [index, item] of list.entries()) {
    const field = `${context.field}[${index}]`;
    const compiled = compileFilter(isJsonObject(item) ? item : NOTHING, field, context);
    if (typeof compiled === "string") return { state: "unusable", field, reason: compiled };
    if (compiled?.type === "ExternalAuth" && filters.some(({ type }) => type === "ExternalAuth"))
      return { state: "unusable", field, reason: "a rule can have one ExternalAuth filter" };
    if (compiled?.type === "RequestRedirect") redirect ??= compiled.redirect;
    else if (compiled !== undefined) filters.push(compiled);
  }
  return { state: "compiled", filters, redirect };
}

type CompiledFilter =
  | FilterConfig
  | { readonly type: "RequestRedirect"; readonly redirect: RedirectConfig }
  | undefined;

/** Returns a text with the reason if the filter cannot be carried out. */
function compileFilter(filter: JsonObject, field: string, context: FilterContext): CompiledFilter | string {
  const type = nonEmptyText(filter["type"]) ?? "?";
  switch (type) {
    case "RequestHeaderModifier":
      return { type, ...headerChanges(settings(filter, "requestHeaderModifier")) };
    case "ResponseHeaderModifier":
      return { type, ...headerChanges(settings(filter, "responseHeaderModifier")) };
    case "URLRewrite":
      return urlRewrite(settings(filter, "urlRewrite"), context);
    case "RequestMirror":
      return requestMirror(settings(filter, "requestMirror"), field, context);
    case "RequestRedirect":
      if (context.at === "BackendRef")
        return `${type} takes effect before a backend is picked; move it to the filters of the rule`;
      return requestRedirect(settings(filter, "requestRedirect"), context);
    case "CORS":
      if (context.at === "BackendRef")
        return `${type} takes effect before a backend is picked; move it to the filters of the rule`;
      return { type, ...corsConfig(settings(filter, "cors")) };
    case "ExternalAuth":
      if (context.at === "BackendRef")
        return `${type} takes effect before a backend is picked; move it to the filters of the rule`;
      return externalAuth(settings(filter, "externalAuth"), context);
    default:
      return `filters of type ${type} are not supported`;
  }
}

function settings(filter: JsonObject, key: string): JsonObject {
  const value = filter[key];
  return isJsonObject(value) ? value : NOTHING;
}

function headerChanges({ remove, set, add }: JsonObject): HeaderChanges {
  const removed = textsIn(remove).map((name) => name.toLowerCase());
  return { remove: [...new Set(removed)], set: headerValues(set), add: headerValues(add) };
}

/** The first entry is used if names differ only in case (HTTPHeaderFilter). */
function headerValues(list: Json | undefined): readonly HeaderValue[] {
  const found = new Map<string, HeaderValue>();
  for (const { name, value } of objectsIn(list)) {
    if (typeof name !== "string" || typeof value !== "string" || found.has(name.toLowerCase())) continue;
    found.set(name.toLowerCase(), { name: name.toLowerCase(), value });
  }
  return [...found.values()];
}

function urlRewrite({ hostname, path }: JsonObject, { matches }: FilterContext): CompiledFilter | string {
  const change = pathChange(path, matches);
  if (typeof change === "string") return change;
  return { type: "URLRewrite", hostname: nonEmptyText(hostname), path: change };
}

/** Gateway API, HTTPPathModifier: ReplacePrefixMatch needs a rule with exactly one match, of type PathPrefix. */
function pathChange(path: Json | undefined, matches: readonly RouteMatch[]): PathModifier | string | undefined {
  if (!isJsonObject(path)) return undefined;
  const { type, replaceFullPath, replacePrefixMatch } = path;
  if (type === "ReplaceFullPath") return { type, path: nonEmptyText(replaceFullPath) ?? "/" };
  const [match] = matches;
  if (matches.length !== 1 || match?.path?.type !== "PathPrefix") {
    return "ReplacePrefixMatch needs a rule with exactly one match, which has a path of type PathPrefix";
  }
  return { type: "ReplacePrefixMatch", prefix: match.path.value, path: nonEmptyText(replacePrefixMatch) ?? "/" };
}

const STATUSES: readonly RedirectConfig["status"][] = [301, 302, 303, 307, 308];

function requestRedirect(
  { scheme, hostname, path, port, statusCode = 302 }: JsonObject,
  { matches }: FilterContext,
): CompiledFilter | string {
  const change = pathChange(path, matches);
  if (typeof change === "string") return change;
  const status = STATUSES.find((known) => known === statusCode);
  if (status === undefined)
    return `redirects with status ${JSON.stringify(statusCode)} are not supported, only ${STATUSES.join(", ")}`;
  return {
    type: "RequestRedirect",
    redirect: {
      scheme: scheme === "http" || scheme === "https" ? scheme : undefined,
      hostname: nonEmptyText(hostname),
      path: change,
      port: typeof port === "number" ? port : undefined,
      status,
    },
  };
}

function requestMirror(
  { backendRef, percent, fraction }: JsonObject,
  field: string,
  { mirrorTo }: FilterContext,
): CompiledFilter {
  const backend = mirrorTo(isJsonObject(backendRef) ? backendRef : NOTHING, `${field}.requestMirror.backendRef`);
  if (backend === undefined) return undefined;
  const { numerator, denominator = 100 } = isJsonObject(fraction) ? fraction : { numerator: percent ?? 100 };
  return {
    type: "RequestMirror",
    backend,
    numerator: typeof numerator === "number" ? numerator : 100,
    denominator: typeof denominator === "number" ? denominator : 100,
  };
}

/**
 * Authorization fails closed
 *
 * If a problem prevents that the authorization server is asked, requests are refused: those of a rule whose server does not exist, or may not be
 * referenced, get a 500.
 * Gateway API, "HTTPExternalAuthFilter"
 */
function externalAuth(auth: JsonObject, { authBy }: FilterContext): CompiledFilter | string {
  const protocol = (["GRPC", "HTTP"] as const).find((one) => one === auth["protocol"]);
  if (protocol === undefined) return "the protocol of an ExternalAuth filter is GRPC or HTTP";
  const backend = authBy(settings(auth, "backendRef"), protocol);
  if (typeof backend === "string") return `externalAuth.backendRef: ${backend}`;
  const own = settings(auth, protocol === "GRPC" ? "grpc" : "http");
  const { maxSize } = settings(auth, "forwardBody");
  const lowerCase = (list: Json | undefined): readonly string[] => textsIn(list).map((name) => name.toLowerCase());
  return {
    type: "ExternalAuth",
    protocol,
    backend,
    allowedHeaders: lowerCase(own["allowedHeaders"]),
    path: nonEmptyText(own["path"]) ?? "",
    allowedResponseHeaders: lowerCase(own["allowedResponseHeaders"]),
    maxBodyBytes: typeof maxSize === "number" ? maxSize : 0,
  };
}

/** Gateway API's default of `maxAge`, in seconds. */
const MAX_AGE = 5;

const corsConfig = (cors: JsonObject): CorsConfig => ({
  allowOrigins: textsIn(cors["allowOrigins"]),
  allowCredentials: cors["allowCredentials"] === true,
  allowMethods: textsIn(cors["allowMethods"]),
  allowHeaders: textsIn(cors["allowHeaders"]).map((name) => name.toLowerCase()),
  exposeHeaders: textsIn(cors["exposeHeaders"]).map((name) => name.toLowerCase()),
  maxAgeSeconds: typeof cors["maxAge"] === "number" ? cors["maxAge"] : MAX_AGE,
});

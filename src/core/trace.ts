import { type Evaluation, worldOf } from "./evaluation.ts";
import type { GatewayTrace, MeshTrace, TraceRequest } from "./explain/trace/result.ts";
import { findService, traceMesh as traceToService } from "./explain/trace/trace-mesh.ts";
import { traceRequest } from "./explain/trace/trace-request.ts";
import { type TargetName, targetNamed } from "./find-target.ts";
import type { MatchRegex } from "./model/regex.ts";

/**
 * A request to trace.
 *
 * @example
 * ```ts
 * const request: TracedRequest = { method: "GET", host: "bakery.example", path: "/menu" };
 * for (const { outcome } of trace(evaluation, request)) console.log(outcome);
 * ```
 */
export interface TracedRequest {
  readonly method: string;
  /** `http` if left out. */
  readonly scheme?: "http" | "https";
  readonly host: string;
  /** The port of the scheme if left out. */
  readonly port?: number;
  /** Begins with a slash, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Options of `trace`.
 *
 * @example
 * ```ts
 * const options: TraceOptions = { gateway: "gateway/shop" };
 * console.log(trace(evaluation, { method: "GET", host: "bakery.example", path: "/menu" }, options).length);
 * ```
 */
export interface TraceOptions {
  /** Only this Gateway. Without it every Gateway is asked. */
  readonly gateway?: TargetName;
}

/** Traces the request at each Gateway. Gateways that route it are first. Empty if the named Gateway does not exist. */
export function trace(
  evaluation: Evaluation,
  request: TracedRequest,
  { gateway, matchRegex }: TraceOptions & { readonly matchRegex: MatchRegex },
): readonly GatewayTrace[] {
  const world = worldOf(evaluation);
  const only = gateway === undefined ? undefined : targetNamed(world, gateway);
  if (gateway !== undefined && only === undefined) return [];
  return traceRequest(world, completed(request), matchRegex, only?.id);
}

/**
 * Options of `traceMesh`.
 *
 * @example
 * ```ts
 * const options: MeshTraceOptions = { from: "bakery" };
 * console.log(traceMesh(evaluation, { method: "GET", host: "oven", path: "/" }, options)?.outcome);
 * ```
 */
export interface MeshTraceOptions {
  /** The namespace that the request comes from. */
  readonly from: string;
}

/** Traces a request in a mesh, from a namespace to the Service that its host names. Undefined if there is no such Service. */
export function traceMesh(
  evaluation: Evaluation,
  request: TracedRequest,
  { from, matchRegex }: MeshTraceOptions & { readonly matchRegex: MatchRegex },
): MeshTrace | undefined {
  const world = worldOf(evaluation);
  const whole = completed(request);
  const service = findService(world, whole.host, from);
  return service === undefined ? undefined : traceToService(world, whole, { service, from }, matchRegex);
}

/** The request with defaults for what is left out, and names as they are compared. */
const completed = ({
  method,
  scheme = "http",
  host,
  port,
  path,
  query = {},
  headers = {},
}: TracedRequest): TraceRequest => ({
  scheme,
  method: method.toUpperCase(),
  host: host.toLowerCase(),
  port: port ?? (scheme === "https" ? 443 : 80),
  path,
  query: Object.entries(query),
  headers: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const),
});

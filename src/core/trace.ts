import { type Evaluation, worldOf } from "./evaluation.ts";
import type { GatewayTrace } from "./explain/trace/result.ts";
import { traceRequest } from "./explain/trace/trace-request.ts";
import { type TargetName, targetNamed } from "./find-target.ts";
import type { MatchRegex } from "./model/regex.ts";

/** A request to trace. */
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

export interface TraceOptions {
  /** Only this Gateway. Without it every Gateway is asked. */
  readonly gateway?: TargetName;
}

/** What each Gateway does with the request. Gateways that route it are first. Empty if the named Gateway does not exist. */
export function trace(
  evaluation: Evaluation,
  { method, scheme = "http", host, port, path, query = {}, headers = {} }: TracedRequest,
  { gateway, matchRegex }: TraceOptions & { readonly matchRegex: MatchRegex },
): readonly GatewayTrace[] {
  const world = worldOf(evaluation);
  const only = gateway === undefined ? undefined : targetNamed(world, gateway);
  if (gateway !== undefined && only === undefined) return [];
  const request = {
    scheme,
    method: method.toUpperCase(),
    host: host.toLowerCase(),
    port: port ?? (scheme === "https" ? 443 : 80),
    path,
    query: Object.entries(query),
    headers: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const),
  };
  return traceRequest(world, request, matchRegex, only?.id);
}

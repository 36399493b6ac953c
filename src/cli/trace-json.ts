import type { GatewayTrace, TraceRequest } from "../core/explain/trace.ts";
import { API_VERSION } from "./effective-json.ts";
import { kindJson } from "./explanation-json.ts";
import type { Source } from "./load-source.ts";
import type { Redaction } from "./redaction.ts";

/** `trace -o json`: the facts behind the story. */
export function traceJson(
  request: TraceRequest,
  traces: readonly GatewayTrace[],
  source: Source,
  redaction: Redaction,
): object {
  return {
    apiVersion: API_VERSION,
    kind: "Trace",
    request: {
      ...request,
      query: request.query.map(([name, value]) => ({ name, value })),
      headers: request.headers.map(([name, value]) => ({ name, value })),
    },
    gateways: traces.map((trace) =>
      trace.outcome === "Routed"
        ? { ...trace, kinds: undefined, policyKinds: trace.kinds.map((kind) => kindJson(kind, source, redaction)) }
        : trace,
    ),
  };
}

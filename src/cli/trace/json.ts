import type { GatewayTrace, TraceRequest } from "../../core/explain/trace/result.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import { kindJson } from "../explain/json.ts";
import { API_VERSION } from "../print/effective-json.ts";

/** `trace -o json`. */
export function traceJson(
  request: TraceRequest,
  traces: readonly GatewayTrace[],
  source: LoadedSource,
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

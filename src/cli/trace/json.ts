import type { GatewayTrace, MeshTrace, RoutedTrace, TraceRequest } from "../../core/explain/trace/result.ts";
import { trafficOfTrace } from "../../core/explain/worth/traffic-of-trace.ts";
import type { RetryReport } from "../../core/retry/retry-counts.ts";
import { caveatsJson } from "../caveats/json.ts";
import { failuresJson, kindJson } from "../explain/json.ts";
import { API_VERSION } from "../print/data/effective-json.ts";
import type { TextContext } from "../print/text-context.ts";
import { trafficCountsJson } from "../worth/json.ts";
import { MESH_NOTE } from "./mesh-note.ts";

/** `trace --from NAMESPACE -o json`. */
export function meshTraceJson(
  request: TraceRequest,
  trace: MeshTrace,
  { source, redaction, caveats }: Pick<TextContext, "source" | "redaction" | "caveats">,
): object {
  return {
    apiVersion: API_VERSION,
    kind: "MeshTrace",
    request: requestJson(request),
    ...(trace.outcome === "Unrouted"
      ? { ...trace, kinds: undefined, policyKinds: trace.kinds.map((kind) => kindJson(kind, source, redaction)) }
      : trace.outcome === "Routed"
        ? routedJson(trace, { source, redaction })
        : trace),
    notes: [MESH_NOTE],
    caveats: caveatsJson(caveats),
  };
}

const requestJson = (request: TraceRequest): object => ({
  ...request,
  query: request.query.map(([name, value]) => ({ name, value })),
  headers: request.headers.map(([name, value]) => ({ name, value })),
});

const routedJson = (
  { kinds, failures, ...rest }: RoutedTrace,
  { source, redaction }: Pick<TextContext, "source" | "redaction">,
): object => ({
  ...rest,
  policyKinds: kinds.map((kind) => kindJson(kind, source, redaction)),
  failures: failuresJson(failures, redaction),
});

/** `trace -o json`. */
export function traceJson(
  request: TraceRequest,
  traces: readonly GatewayTrace[],
  {
    source,
    redaction,
    caveats,
    reportOf,
  }: Pick<TextContext, "source" | "redaction" | "caveats"> & {
    /** The retry report of the Gateway of a trace. */
    readonly reportOf: (trace: GatewayTrace) => RetryReport | undefined;
  },
): object {
  const withRetries = (trace: GatewayTrace): object => {
    const report = reportOf(trace);
    return report === undefined ? {} : { retries: trafficCountsJson(trafficOfTrace(trace, report.counts), report) };
  };
  return {
    apiVersion: API_VERSION,
    kind: "Trace",
    request: requestJson(request),
    gateways: traces.map((trace) =>
      trace.outcome === "Routed" ? { ...routedJson(trace, { source, redaction }), ...withRetries(trace) } : trace,
    ),
    caveats: caveatsJson(caveats),
  };
}

import type { GatewayTrace, MeshTrace, TraceRequest } from "../../core/explain/trace/result.ts";
import { caveatsJson } from "../caveats/json.ts";
import { kindJson } from "../explain/json.ts";
import { API_VERSION } from "../print/effective-json.ts";
import type { TextContext } from "../print/text-context.ts";
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
    ...("kinds" in trace
      ? { ...trace, kinds: undefined, policyKinds: trace.kinds.map((kind) => kindJson(kind, source, redaction)) }
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

/** `trace -o json`. */
export function traceJson(
  request: TraceRequest,
  traces: readonly GatewayTrace[],
  { source, redaction, caveats }: Pick<TextContext, "source" | "redaction" | "caveats">,
): object {
  return {
    apiVersion: API_VERSION,
    kind: "Trace",
    request: requestJson(request),
    gateways: traces.map((trace) =>
      trace.outcome === "Routed"
        ? { ...trace, kinds: undefined, policyKinds: trace.kinds.map((kind) => kindJson(kind, source, redaction)) }
        : trace,
    ),
    caveats: caveatsJson(caveats),
  };
}

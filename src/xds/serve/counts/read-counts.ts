/** Reads the counters that an Envoy sends: an ExportMetricsServiceRequest of OpenTelemetry. */
import { ALIVE_METRIC, COUNT_TAGS, NODE_TAGS, REQUESTS_METRIC } from "../../compile/retry-counters.ts";
import { ExportMetricsServiceRequestSchema } from "../../gen/opentelemetry/proto/collector/metrics/v1/metrics_service_pb.ts";
import type { KeyValue } from "../../gen/opentelemetry/proto/common/v1/common_pb.ts";
import type { Metric } from "../../gen/opentelemetry/proto/metrics/v1/metrics_pb.ts";
import { fromBinary } from "../../protobuf.ts";

/** Requests with the same rule, backend and outcome, since the last message of the Envoy. */
export interface RequestCount {
  /** `namespace/name`. */
  readonly gateway: string;
  /** The names of Envoy's route and cluster. */
  readonly route: string;
  readonly cluster: string;
  /** Attempts of Envoy, waits included. 0: it was not forwarded. */
  readonly attempts: number;
  /** The first digit of the status; undefined: there was no response. */
  readonly statusDigit: number | undefined;
  readonly flags: readonly string[];
  readonly requests: number;
}

/** The counts of one message, by the Envoy that is named in it. */
export interface NodeCounts {
  readonly node: string;
  /** `node.cluster` of the Envoy. */
  readonly gateway: string;
  readonly counts: readonly RequestCount[];
}

/** Throws if the bytes are no such message. Metrics of other names are ignored. */
export function readCounts(bytes: Uint8Array): readonly NodeCounts[] {
  const { resourceMetrics } = fromBinary(ExportMetricsServiceRequestSchema, bytes);
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  const byNode = new Map<
    string,
    { readonly node: string; readonly gateway: string; readonly counts: RequestCount[] }
  >();
  for (const metric of metrics) {
    if (metric.name !== REQUESTS_METRIC && metric.name !== ALIVE_METRIC) continue;
    for (const { attributes, value } of pointsOf(metric)) {
      const tags = tagsOf(attributes);
      const [node, of] = [tags.get(NODE_TAGS.node), tags.get(NODE_TAGS.gateway)];
      if (node === undefined || of === undefined) continue;
      const key = `${of} ${node}`;
      const known = byNode.get(key) ?? { node, gateway: of, counts: [] };
      byNode.set(key, known);
      if (metric.name !== REQUESTS_METRIC) continue;
      const count = countOf(tags, value.case === "asInt" ? Number(value.value) : (value.value ?? 0));
      if (count !== undefined) known.counts.push(count);
    }
  }
  return [...byNode.values()];
}

const pointsOf = ({ data }: Metric) => (data.case === undefined ? [] : data.value.dataPoints);

function tagsOf(attributes: readonly KeyValue[]): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const { key, value } of attributes) {
    const text = value?.value;
    if (text?.case === "stringValue") tags.set(key, text.value);
  }
  return tags;
}

function countOf(tags: ReadonlyMap<string, string>, requests: number): RequestCount | undefined {
  const [gateway, route, cluster, attempts] = [
    COUNT_TAGS.gateway,
    COUNT_TAGS.route,
    COUNT_TAGS.cluster,
    COUNT_TAGS.attempts,
  ].map((tag) => tags.get(tag));
  if (gateway === undefined || route === undefined || cluster === undefined) return undefined;
  // A sum with one of these would never be a number again.
  if (!Number.isFinite(requests) || requests < 0) return undefined;
  const [status, flags] = [tags.get(COUNT_TAGS.status) ?? "", tags.get(COUNT_TAGS.flags) ?? ""];
  return {
    gateway,
    route,
    cluster,
    attempts: Number(attempts) || 0,
    statusDigit: /^\d$/.test(status) ? Number(status) : undefined,
    flags: flags.split(",").filter((flag) => flag !== "" && flag !== "-"),
    requests,
  };
}

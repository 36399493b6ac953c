/** The metrics of the control plane. docs/envoy.md lists names and labels. */
import { type ConfigMetrics, createConfigMetrics } from "../../adapters/admin/config-metrics.ts";
import { createCounters, createGauge, label, type MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { NodeStatus, XdsEvent } from "./xds-server.ts";

export interface XdsMetrics {
  readonly observe: (event: XdsEvent) => void;
  readonly noteConfig: ConfigMetrics["noteConfig"];
  readonly families: readonly MetricFamily[];
  readonly render: () => string;
}

export interface XdsMetricsOptions {
  readonly nodes: () => readonly NodeStatus[];
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

export function createXdsMetrics({ nodes, nowMs }: XdsMetricsOptions): XdsMetrics {
  const config = createConfigMetrics();
  const sent = createCounters("prevail_xds_resources_sent_total", "Resources that were sent, by type.");
  const removed = createCounters("prevail_xds_resources_removed_total", "Resources that were removed, by type.");
  const acknowledgements = createCounters(
    "prevail_xds_acknowledgements_total",
    "Acknowledgements of Envoys by resource type: ack or nack.",
  );
  const refused = createCounters("prevail_xds_refused_resources_total", "Resources that an Envoy refused, by type.");
  const rejected = createCounters("prevail_xds_rejected_streams_total", "Streams that were ended, by cause.");
  const handshakes = createCounters(
    "prevail_xds_failed_handshakes_total",
    "Connections that were closed because their TLS handshake failed or took too long, by reason.",
  );
  const bytes = createCounters("prevail_xds_bytes_total", "Bytes of messages, without those of gRPC.");
  const lastNacks = new Map<string, number>();
  const families = [
    createGauge("prevail_xds_envoys", "Envoys that are connected, by gateway.", () => countBy(nodes(), () => true)),
    createGauge("prevail_xds_envoys_settled", "Connected Envoys that have their whole configuration, by gateway.", () =>
      countBy(nodes(), ({ isSettled }) => isSettled),
    ),
    createGauge("prevail_xds_refusals", "Resources that connected Envoys refuse at present.", () =>
      nodes().reduce((sum, { refusals }) => sum + refusals.length, 0),
    ),
    sent,
    removed,
    acknowledgements,
    refused,
    createGauge(
      "prevail_xds_last_nack_timestamp_seconds",
      "When an Envoy last refused a resource, by type.",
      () => lastNacks,
    ),
    rejected,
    handshakes,
    bytes,
    ...config.families,
  ];
  return {
    noteConfig: config.noteConfig,
    families,
    observe: (event) => {
      switch (event.type) {
        case "Sent":
          sent.cell(`type="${event.resourceType}"`).count += event.resources;
          removed.cell(`type="${event.resourceType}"`).count += event.removed;
          bytes.cell('direction="sent"').count += event.bytes;
          return;
        case "Received": {
          bytes.cell('direction="received"').count += event.bytes;
          if (event.acknowledgement === undefined) return;
          const { resourceType, isTaken } = event.acknowledgement;
          acknowledgements.cell(`type="${resourceType}",result="${isTaken ? "ack" : "nack"}"`).count++;
          if (!isTaken) lastNacks.set(`type="${resourceType}"`, nowMs() / 1000);
          return;
        }
        case "Refused":
          refused.cell(`type="${event.refusal.type}"`).count++;
          return;
        case "Rejected":
          rejected.cell(`cause="${event.cause}"`).count++;
          return;
        case "HandshakeFailed":
          handshakes.cell(`reason="${event.failure.reason}"`).count++;
          return;
        case "Connected":
        case "Disconnected":
        case "Current":
      }
    },
    render: () => families.map((family) => family.render()).join(""),
  };
}

/** A gateway without such a node has the count 0. */
function countBy(nodes: readonly NodeStatus[], is: (node: NodeStatus) => boolean): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const labels = `gateway="${label(node.gateway)}"`;
    counts.set(labels, (counts.get(labels) ?? 0) + Number(is(node)));
  }
  return counts;
}

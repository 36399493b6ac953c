/** The metrics of the control plane. docs/envoy.md lists names and labels. */
import { type ConfigMetrics, createConfigMetrics } from "../../adapters/admin/config-metrics.ts";
import { createCounters, createGauge, label, type MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { XdsEvent } from "./xds-event.ts";
import type { NodeStatus } from "./xds-server.ts";

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
  const counted = createEventCounters();
  const { sent, removed, acknowledgements, refused, rejected, handshakes, bytes } = counted;
  const lastNacks = new Map<string, number>();
  const families = [
    ...createNodeGauges(nodes),
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
      countEvent(event, counted);
      if (event.type !== "Received" || event.acknowledgement?.isTaken !== false) return;
      lastNacks.set(`type="${event.acknowledgement.resourceType}"`, nowMs() / 1000);
    },
    render: () => families.map((family) => family.render()).join(""),
  };
}

/** The state of the Envoys that are connected. */
const createNodeGauges = (nodes: XdsMetricsOptions["nodes"]): readonly MetricFamily[] => [
  createGauge("prevail_xds_envoys", "Envoys that are connected, by gateway.", () => countBy(nodes(), () => true)),
  createGauge("prevail_xds_envoys_settled", "Connected Envoys that have their whole configuration, by gateway.", () =>
    countBy(nodes(), ({ isSettled }) => isSettled),
  ),
  createGauge("prevail_xds_refusals", "Resources that connected Envoys refuse at present.", () =>
    nodes().reduce((sum, { refusals }) => sum + refusals.length, 0),
  ),
];

const createEventCounters = () => ({
  sent: createCounters("prevail_xds_resources_sent_total", "Resources that were sent, by type."),
  removed: createCounters("prevail_xds_resources_removed_total", "Resources that were removed, by type."),
  acknowledgements: createCounters(
    "prevail_xds_acknowledgements_total",
    "Acknowledgements of Envoys by resource type: ack or nack.",
  ),
  refused: createCounters("prevail_xds_refused_resources_total", "Resources that an Envoy refused, by type."),
  rejected: createCounters("prevail_xds_rejected_streams_total", "Streams that were ended, by cause."),
  handshakes: createCounters(
    "prevail_xds_failed_handshakes_total",
    "Connections that were closed because their TLS handshake failed or took too long, by reason.",
  ),
  bytes: createCounters("prevail_xds_bytes_total", "Bytes of messages, without those of gRPC."),
});

function countEvent(event: XdsEvent, counted: ReturnType<typeof createEventCounters>): void {
  switch (event.type) {
    case "Sent":
      counted.sent.cell(`type="${event.resourceType}"`).count += event.resources;
      counted.removed.cell(`type="${event.resourceType}"`).count += event.removed;
      counted.bytes.cell('direction="sent"').count += event.bytes;
      return;
    case "Received": {
      counted.bytes.cell('direction="received"').count += event.bytes;
      if (event.acknowledgement === undefined) return;
      const { resourceType, isTaken } = event.acknowledgement;
      counted.acknowledgements.cell(`type="${resourceType}",result="${isTaken ? "ack" : "nack"}"`).count++;
      return;
    }
    case "Refused":
      counted.refused.cell(`type="${event.refusal.type}"`).count++;
      return;
    case "Rejected":
      counted.rejected.cell(`cause="${event.cause}"`).count++;
      return;
    case "HandshakeFailed":
      counted.handshakes.cell(`reason="${event.failure.reason}"`).count++;
      return;
    case "Connected":
    case "Disconnected":
    case "Current":
  }
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

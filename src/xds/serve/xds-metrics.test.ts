import { describe, expect, test } from "vitest";
import type { XdsEvent } from "./xds-event.ts";
import { createXdsMetrics, type XdsMetrics } from "./xds-metrics.ts";
import type { NodeStatus } from "./xds-server.ts";

const node = (name: string, gateway: string, more: Partial<NodeStatus> = {}): NodeStatus => ({
  node: name,
  gateway,
  protocol: "Delta",
  isSettled: true,
  isCurrent: true,
  waitingFor: [],
  refusals: [],
  ...more,
});

const refusal = { type: "Listener", name: "door:80", version: "1", reason: "no" } as const;

const metricsOf = (nodes: readonly NodeStatus[], events: readonly XdsEvent[] = []): XdsMetrics => {
  const metrics = createXdsMetrics({ nodes: () => nodes, nowMs: () => 1_500 });
  for (const event of events) metrics.observe(event);
  return metrics;
};

/** Without explanations. */
const linesOf = (metrics: XdsMetrics): readonly string[] =>
  metrics
    .render()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

describe("metrics of a control plane", () => {
  test("connected Envoys by gateway, and their state", () => {
    const nodes = [
      node("a", "bakery/door"),
      node("b", "bakery/door", { isSettled: false, refusals: [refusal] }),
      node("c", 'shop/"till"', { isSettled: false }),
    ];
    expect(linesOf(metricsOf(nodes))).toEqual([
      'prevail_xds_envoys{gateway="bakery/door"} 2',
      'prevail_xds_envoys{gateway="shop/\\"till\\""} 1',
      'prevail_xds_envoys_settled{gateway="bakery/door"} 1',
      'prevail_xds_envoys_settled{gateway="shop/\\"till\\""} 0',
      "prevail_xds_refusals 1",
      "prevail_config_generation 0",
    ]);
  });

  test("acknowledgements", () => {
    const sent = { type: "Sent", resourceType: "Listener", resources: 2, removed: 1, bytes: 100 } as const;
    const lines = linesOf(
      metricsOf(
        [],
        [
          sent,
          sent,
          { type: "Received", bytes: 10, acknowledgement: undefined },
          { type: "Received", bytes: 10, acknowledgement: { resourceType: "Listener", isTaken: true } },
          { type: "Received", bytes: 10, acknowledgement: { resourceType: "Listener", isTaken: false } },
          { type: "Refused", node: "a", gateway: "bakery/door", refusal },
          { type: "HandshakeFailed", failure: { reason: "timed_out", client: "10.0.0.1", message: "too slow" } },
          { type: "Rejected", node: "b", cause: "rate_limit", reason: "too many messages" },
        ],
      ),
    );
    expect(lines).toEqual([
      "prevail_xds_refusals 0",
      'prevail_xds_resources_sent_total{type="Listener"} 4',
      'prevail_xds_resources_removed_total{type="Listener"} 2',
      'prevail_xds_acknowledgements_total{type="Listener",result="ack"} 1',
      'prevail_xds_acknowledgements_total{type="Listener",result="nack"} 1',
      'prevail_xds_refused_resources_total{type="Listener"} 1',
      'prevail_xds_last_nack_timestamp_seconds{type="Listener"} 1.5',
      'prevail_xds_rejected_streams_total{cause="rate_limit"} 1',
      'prevail_xds_failed_handshakes_total{reason="timed_out"} 1',
      'prevail_xds_bytes_total{direction="received"} 30',
      'prevail_xds_bytes_total{direction="sent"} 200',
      "prevail_config_generation 0",
    ]);
  });

  test("which configuration is served", () => {
    const metrics = metricsOf([]);
    metrics.noteConfig({ generation: 3 });
    metrics.noteConfig("Kept");
    expect(linesOf(metrics)).toEqual([
      "prevail_xds_refusals 0",
      'prevail_config_reloads_total{result="applied"} 1',
      'prevail_config_reloads_total{result="kept"} 1',
      "prevail_config_generation 3",
    ]);
  });
});

import { expect, test } from "vitest";
import type { GatewayEdition } from "./gateway-editions.ts";
import { formatReplicaReport, parseReplicaReport, type ReplicaGateway, type ReplicaReport } from "./replica-report.ts";

const acknowledged = (edition: string): ReplicaGateway => ({
  edition: edition as GatewayEdition,
  isAcknowledged: true,
  refusals: [],
});

const throughLease = (report: ReplicaReport): ReplicaReport =>
  parseReplicaReport({ metadata: { annotations: formatReplicaReport(report).annotations } }).gateways;

test("what one replica says is what the others read", () => {
  const refusals = [{ type: "Listener", name: "infra/b:80", reason: "cannot bind" }];
  const report: ReplicaReport = new Map([
    ["infra/b", { ...acknowledged("two"), refusals }],
    ["infra/a", acknowledged("one")],
  ]);
  expect(throughLease(report)).toEqual(report);
  const reversed = new Map([...report].reverse());
  expect(formatReplicaReport(reversed)).toEqual(formatReplicaReport(report));
});

test("an Envoy that is connected and has not acknowledged is distinguished from none", () => {
  const waiting = { ...acknowledged("one"), isAcknowledged: false };
  expect(throughLease(new Map([["infra/a", waiting]])).get("infra/a")).toMatchObject({ isAcknowledged: false });
});

test("annotations that cannot be read count as absent", () => {
  const read = (annotations: unknown): number =>
    parseReplicaReport({ metadata: { annotations } } as never).gateways.size;
  expect(read(undefined)).toBe(0);
  expect(read({ "prevail.dev/acknowledged": "{" })).toBe(0);
  expect(read({ "prevail.dev/acknowledged": "[1]" })).toBe(0);
  expect(read({ "prevail.dev/acknowledged": '{"infra/a":7}', "prevail.dev/refused": '{"infra/a":"x"}' })).toBe(0);
});

test("a Lease stays below what the API server accepts, and says what did not fit", () => {
  const reason = "x".repeat(10_000);
  const refusals = Array.from({ length: 100 }, (_, index) => ({ type: "Cluster", name: `c${index}`, reason }));
  const many: ReplicaReport = new Map(
    Array.from({ length: 20_000 }, (_, index) => [
      `namespace-${index}/gateway`,
      { ...acknowledged("abcdefghijkl"), refusals },
    ]),
  );
  const { annotations, leftOut } = formatReplicaReport(many);
  expect(Object.entries(annotations).join("").length).toBeLessThan(256 * 1024);
  expect(leftOut).toBeGreaterThan(10_000);
  expect(parseReplicaReport({ metadata: { annotations } }).isWhole).toBe(false);
  const fitting = formatReplicaReport(new Map([...many].slice(0, 4000)));
  expect(fitting.leftOut).toBe(0);
  expect(parseReplicaReport({ metadata: { annotations: fitting.annotations } }).isWhole).toBe(true);
});

test("a refusal for which there is no room is one, and never an acknowledgement", () => {
  const refusals = [{ type: "Cluster", name: "é".repeat(500), reason: "é".repeat(10_000) }];
  const many: ReplicaReport = new Map(
    Array.from({ length: 4000 }, (_, index) => [
      `namespace-${index}/gateway`,
      { ...acknowledged("abcdefghijkl"), isAcknowledged: false, refusals },
    ]),
  );
  const { annotations, leftOut } = formatReplicaReport(many);
  expect(leftOut).toBe(0);
  expect(Buffer.byteLength(Object.entries(annotations).join(""))).toBeLessThan(256 * 1024);
  const read = throughLease(many);
  expect(read.size).toBe(many.size);
  for (const one of read.values()) {
    expect(one).toMatchObject({ edition: "abcdefghijkl", isAcknowledged: false });
    expect(one.refusals).toHaveLength(1);
  }
});

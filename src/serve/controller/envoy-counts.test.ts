import { expect, test } from "vitest";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { objectId } from "../../core/model/refs.ts";
import { EnvoyCounts } from "./envoy-counts.ts";

const id = objectId({ group: GATEWAY_API, kind: "Gateway", namespace: "infra", name: "door" });

/** What is known of the Gateway with one Envoy that has sent its counters. */
function gapWith(elsewhere: string | undefined): string | undefined {
  const node = { node: "envoy", gateway: "infra/door" };
  const counts = new EnvoyCounts({
    nodes: () => [node],
    nowMs: () => 0,
    elsewhere: (gateway) => (gateway === node.gateway ? elsewhere : undefined),
  });
  counts.receive({ ...node, counts: [] });
  const { counted, gaps } = counts.knowledge([id]);
  expect([...counted]).toEqual([id]);
  return gaps.get(id);
}

test("a Gateway whose Envoys all send their counters to this replica has no gap, and one with others has", () => {
  expect(gapWith(undefined)).toBeUndefined();
  expect(gapWith("another replica counts")).toBe("another replica counts");
});

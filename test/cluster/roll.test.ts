/** The chart with webhooks that refuse what they cannot judge (failurePolicy Fail), in a cluster whose Pods are processes: Pods are replaced under load, and all end at once. */
import { describe, expect, test } from "vitest";
import { findHelm } from "../support/kubernetes/find-kubernetes.ts";
import { buildProgram } from "../support/kubernetes/program-process.ts";
import { CLUSTER_START } from "../support/kubernetes/until.ts";
import { findRig } from "../support/rig/run-in-rig.ts";

const rig = await findRig();
const helm = await findHelm();

describe.skipIf(rig === undefined || helm === undefined)("replicas while the cluster is being read", () => {
  test("a roll leaves no write unjudged and no view unread; after an outage discovery is served before the cluster has been read", {
    timeout: CLUSTER_START,
  }, async () => {
    buildProgram();
    const run = await rig?.("test/cluster/rig-roll.ts", [helm ?? ""]);
    expect(JSON.parse(run?.out ?? "null")).toEqual({
      roll: {
        unjudged: [],
        hasLoad: true,
        facts: ["one that has not waits", "requests are led to a replica that has read the cluster"],
        viewFailures: [],
      },
      outage: { readiness: "the cluster is being read; no other replica serves the view API" },
    });
    expect(run?.status).toBe(0);
  });
});

/** The chart in the mode gateway, installed in a cluster whose Pods are processes. `install.test.ts` has the mode report, `observe.test.ts` the mode observe. */
import { describe, expect, test } from "vitest";
import { findHelm } from "../support/kubernetes/find-kubernetes.ts";
import { buildProgram } from "../support/kubernetes/program-process.ts";
import { CLUSTER_START } from "../support/kubernetes/until.ts";
import { findRig } from "../support/rig/run-in-rig.ts";

const rig = await findRig();
const helm = await findHelm();

describe.skipIf(rig === undefined || helm === undefined)("the chart in the mode gateway", () => {
  test("it runs Envoys, removes them, and uses each right of the mode gateway", {
    timeout: CLUSTER_START,
  }, async ({ task }) => {
    buildProgram();
    const run = await rig?.("test/cluster/rig-install-gateway.ts", [helm ?? "", task.name]);
    expect(JSON.parse(run?.out ?? "null")).toEqual({
      finalizers: "gateway-exists-finalizer.gateway.networking.k8s.io",
      kinds: ["ConfigMap", "Deployment", "PodDisruptionBudget", "Secret", "Service", "ServiceAccount"],
      exitCodes: [0, 0],
      forbidden: [],
      hasRights: [true, 4],
      unused: [],
    });
    expect(run?.status).toBe(0);
  });
});

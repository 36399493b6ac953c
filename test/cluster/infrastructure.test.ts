/** Gateway API, "GatewaySpec.infrastructure": the controller runs the Envoys of Gateways, in a cluster whose Pods are processes */
import { describe, expect, test } from "vitest";
import { buildProgram } from "../support/kubernetes/program-process.ts";
import { CLUSTER_START } from "../support/kubernetes/until.ts";
import { findRig } from "../support/rig/run-in-rig.ts";

const rig = await findRig();

describe.skipIf(rig === undefined)("Envoys that the controller runs", () => {
  test("with the rights of the mode gateway the controller runs Envoys: they serve while listeners, parameters, Pods and certificates change and the controller is killed; what equals is not written, and what is gone is removed", {
    timeout: CLUSTER_START,
  }, async () => {
    buildProgram();
    const run = await rig?.("test/cluster/rig-infrastructure.ts");
    expect(JSON.parse(run?.out ?? "null")).toEqual({
      idle: [],
      labels: "bakery fresh",
      samePods: true,
      budget: "1",
      kept: 2,
      whileTaken: ["False/Pending", "True/Programmed"],
      finalizers: ["gateway-exists-finalizer.gateway.networking.k8s.io", ""],
      whileClassWaits: 200,
      underWay: [200, 200],
      failures: [],
      hasSent: true,
      forbidden: [],
    });
    expect(run?.status).toBe(0);
  });
});

import { describe, expect, test } from "vitest";
import { CLUSTER_START } from "../support/kubernetes/until.ts";
import { findRig, findUserRig } from "../support/rig/run-in-rig.ts";

const rig = await findRig();
const userRig = await findUserRig();
const expected = {
  readyBefore: [],
  pods: 2,
  distinct: 2,
  isBalanced: true,
  gone: "no response",
  writers: ["admin"],
};

describe.skipIf(rig === undefined)("a cluster whose Pods are processes", () => {
  test("Pods wait for Secrets, respond at their own addresses, log, and end; two clusters run side by side", {
    timeout: CLUSTER_START,
  }, async () => {
    const runs = await Promise.all([rig?.("test/cluster/rig-echo.ts"), rig?.("test/cluster/rig-echo.ts")]);
    expect(runs.map((run) => ({ status: run?.status, result: JSON.parse(run?.out ?? "null") as unknown }))).toEqual([
      { status: 0, result: expected },
      { status: 0, result: expected },
    ]);
  });

  test.skipIf(userRig === undefined)("also without the rights of root", { timeout: CLUSTER_START }, async () => {
    const run = await userRig?.("test/cluster/rig-echo.ts");
    expect({ status: run?.status, result: JSON.parse(run?.out ?? "null") as unknown }).toEqual({
      status: 0,
      result: expected,
    });
  });
});

/**
 * Replicas that are killed and stopped, and an API server that restarts, while objects change: in the end every object has the status that
 * an evaluation of a fresh list gives it.
 *
 * PREVAIL_ROUNDS makes it longer: 50 is the number of the proof. PREVAIL_LEASE=15s,10s,2s uses the real times.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FaultRig, startFaultRig, UNDER_WAY } from "../support/kubernetes/fault-rig.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_TEST } from "../support/kubernetes/until.ts";

const parts = await findKubernetes();
const ROUNDS = Number(process.env["PREVAIL_ROUNDS"] ?? 1);
const [DURATION = "", DEADLINE = "", RETRY = ""] = (process.env["PREVAIL_LEASE"] ?? "3s,2s,500ms").split(",");

describe.skipIf(parts === undefined)("two replicas", { timeout: CLUSTER_TEST.timeout + ROUNDS * 60_000 }, () => {
  let rig: FaultRig;
  beforeAll(async () => {
    if (parts !== undefined) rig = await startFaultRig(parts, [DURATION, DEADLINE, RETRY]);
  }, 300_000);
  /** A test that fails may leave a replica stopped or dead. The next one would wait for it to lead. */
  beforeEach(() => rig.revive(), 300_000);
  afterAll(() => rig?.close());

  test(`a leader that is killed, ${ROUNDS} times`, async () => {
    for (let i = 0; i < ROUNDS; i++) await rig.killLeader();
  });

  test(`a leader that is stopped for longer than its Lease, ${ROUNDS} times`, async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const writes = await rig.stopLeader();
      // Unless it leads again, it sends nothing more.
      if (writes !== undefined) expect(writes).toBeLessThanOrEqual(UNDER_WAY);
    }
  });

  test(`an API server that restarts, ${ROUNDS} times`, async () => {
    for (let i = 0; i < ROUNDS; i++) await rig.restartServer();
  });

  test("SIGTERM hands the Lease over at once", async () => {
    const leader = await rig.leading();
    leader.program.child.kill("SIGTERM");
    expect(await leader.program.ended).toBe(0);
    const next = await rig.leading();
    expect(next.user).not.toBe(leader.user);
    await rig.change();
    await rig.untilAllReported();
    expect(rig.audit.writes().some(({ user }) => user === next.user)).toBe(true);
  });
});

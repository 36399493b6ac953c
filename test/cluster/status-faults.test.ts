/**
 * Replicas that are killed and stopped, and an API server that restarts, while objects change: in the end every object has the status that
 * an evaluation of a fresh list gives it.
 *
 * PREVAIL_ROUNDS makes it longer: 50 is the number of the proof. PREVAIL_LEASE=15s,10s,2s uses the real times.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { type AuditLog, createAuditLog } from "../support/kubernetes/audit-log.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import {
  findLeader,
  formatReplica,
  isRunning,
  REPORT_NAMESPACE,
  type ReportProgram,
  startReportProgram,
  untilReported,
} from "../support/kubernetes/report-replica.ts";
import { CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import { applyAll, namespaceObject } from "./status-objects.ts";

const parts = await findKubernetes();
const ROUNDS = Number(process.env["PREVAIL_ROUNDS"] ?? 1);
const [DURATION = "", DEADLINE = "", RETRY = ""] = (process.env["PREVAIL_LEASE"] ?? "3s,2s,500ms").split(",");
const LEASE = ["--lease-duration", DURATION, "--lease-renew-deadline", DEADLINE, "--lease-retry", RETRY];
/** Longer than the Lease. */
const STOPPED_MS = Number.parseInt(DURATION, 10) * 1000 + 1500;
/** Requests that may have been under way when a leader was stopped. */
const UNDER_WAY = 8;
const USERS = ["replica-a", "replica-b"];

const retries = (name: string, target: string, attempts: number): JsonObject => ({
  ...policy("RetryPolicy", name, [target], { retry: { attempts } }, { group: "prevail.dev" }),
  apiVersion: "prevail.dev/v1alpha1",
});

interface Replica {
  readonly user: string;
  program: ReportProgram;
}

describe.skipIf(parts === undefined)("two replicas", { timeout: CLUSTER_TEST.timeout + ROUNDS * 60_000 }, () => {
  let plane: ControlPlane;
  let audit: AuditLog;
  let replicas: readonly Replica[] = [];
  let round = 0;
  beforeAll(async () => {
    if (parts === undefined) return;
    audit = createAuditLog();
    const users = Object.fromEntries(USERS.map((user) => [user, ["system:masters"]]));
    plane = await startControlPlane(parts, { frontProxy: true, users, flags: audit.flags });
    await applyAll(plane, [
      namespaceObject(REPORT_NAMESPACE),
      gatewayClass("class", "prevail.dev/gateway"),
      ...["g", "h"].map((name) => gateway(name)),
      service("s"),
      ...Array.from({ length: 10 }, (_, index) =>
        routeTo(`r${index}`, index % 2 === 0 ? "Gateway/g" : "Gateway/h", "s"),
      ),
      retries("p", "Gateway/g", 1),
    ]);
    const started: Replica[] = [];
    replicas = started;
    for (const user of USERS) started.push({ user, program: await startReportProgram(plane, user, LEASE) });
    await untilReported(plane);
  }, 300_000);
  /** A test that fails may leave a replica stopped or dead. The next one would wait for it to lead. */
  beforeEach(async () => {
    for (const replica of replicas) {
      replica.program.child.kill("SIGCONT");
      if (!isRunning(replica.program)) replica.program = await startReportProgram(plane, replica.user, LEASE);
    }
  }, 300_000);
  afterAll(async () => {
    for (const { program } of replicas) {
      program.child.kill("SIGCONT");
      program.child.kill("SIGKILL");
      await program.ended;
    }
    await plane?.close();
    audit?.close();
  });

  const untilAllReported = (): Promise<void> => untilReported(plane, {}, () => replicas.map(formatReplica).join("\n"));
  const leading = (): Promise<Replica> => findLeader(plane, replicas);

  /** Changes policies, routes and Gateways; every call makes other words right. */
  const change = async (): Promise<void> => {
    round++;
    const isEven = round % 2 === 0;
    await applyAll(plane, [
      retries("p", isEven ? "Gateway/g" : "Gateway/h", round),
      retries(`q${round % 3}`, `HTTPRoute/r${round % 10}`, 2),
      routeTo(`r${round % 5}`, isEven ? "Gateway/h" : "Gateway/g", "s"),
    ]);
    if (round % 4 === 0) await plane.kubectl(["delete", "retrypolicy", `q${(round + 1) % 3}`, "--ignore-not-found"]);
  };

  test(`a leader that is killed, ${ROUNDS} times`, async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const leader = await leading();
      await change();
      leader.program.child.kill("SIGKILL");
      await leader.program.ended;
      await change();
      await untilAllReported();
      leader.program = await startReportProgram(plane, leader.user, LEASE);
    }
  });

  test(`a leader that is stopped for longer than its Lease, ${ROUNDS} times`, async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const leader = await leading();
      await change();
      leader.program.child.kill("SIGSTOP");
      await change();
      const next = replicas.find((replica) => replica !== leader);
      await until(async () => (await leading()) === next);
      await sleep(STOPPED_MS);
      await untilAllReported();
      await change();
      audit.mark();
      leader.program.child.kill("SIGCONT");
      await change();
      await untilAllReported();
      // Unless it leads again, it sends nothing more.
      if ((await leading()) === next)
        expect(audit.writes().filter(({ user }) => user === leader.user).length).toBeLessThanOrEqual(UNDER_WAY);
    }
  });

  test(`an API server that restarts, ${ROUNDS} times`, async () => {
    for (let i = 0; i < ROUNDS; i++) {
      await change();
      const restarted = plane.restart();
      await restarted;
      await change();
      await untilAllReported();
    }
  });

  test("SIGTERM hands the Lease over at once", async () => {
    const leader = await leading();
    leader.program.child.kill("SIGTERM");
    expect(await leader.program.ended).toBe(0);
    const next = await leading();
    expect(next.user).not.toBe(leader.user);
    await change();
    await untilAllReported();
    const { writes } = audit;
    expect(writes().some(({ user }) => user === next.user)).toBe(true);
  });
});

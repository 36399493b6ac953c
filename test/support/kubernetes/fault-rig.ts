/** Two replicas of the controller as programs, whose leader is killed and stopped, and whose API server restarts, while objects change. */
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { gateway, gatewayClass, namespace, policy, routeTo, service } from "../cluster/gateway-objects.ts";
import { type AuditLog, createAuditLog } from "./audit-log.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { KubernetesParts } from "./find-kubernetes.ts";
import {
  findLeader,
  formatReplica,
  isRunning,
  REPORT_NAMESPACE,
  type ReportProgram,
  startReportProgram,
  untilReported,
} from "./report-replica.ts";
import { until } from "./until.ts";

const USERS = ["replica-a", "replica-b"];
/** Requests that may have been under way when a leader was stopped. */
export const UNDER_WAY = 8;

export interface FaultReplica {
  readonly user: string;
  program: ReportProgram;
}

export interface FaultRig {
  readonly plane: ControlPlane;
  readonly audit: AuditLog;
  readonly leading: () => Promise<FaultReplica>;
  /** Changes policies, routes and Gateways; every call makes another status right. */
  readonly change: () => Promise<void>;
  /** Resolves when every object has the status that an evaluation of a fresh list gives it. */
  readonly untilAllReported: () => Promise<void>;
  /** One round each. They begin and end with two replicas that run, and the right status. */
  readonly killLeader: () => Promise<void>;
  /** Stops the leader for longer than its Lease. Resolves with the number of writes that it sends when it goes on, unless it leads again. */
  readonly stopLeader: () => Promise<number | undefined>;
  readonly restartServer: () => Promise<void>;
  /** Lets stopped replicas go on, and starts dead ones. */
  readonly revive: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `lease`: its duration, deadline and retry time, as the options of the controller have them. */
export async function startFaultRig(
  parts: KubernetesParts,
  [duration, deadline, retry]: readonly [string, string, string],
): Promise<FaultRig> {
  const options = ["--lease-duration", duration, "--lease-renew-deadline", deadline, "--lease-retry", retry];
  const audit = createAuditLog();
  const users = Object.fromEntries(USERS.map((user) => [user, ["system:masters"]]));
  const plane = await startControlPlane(parts, { frontProxy: true, users, flags: audit.flags });
  const replicas: FaultReplica[] = [];
  const apply = (items: readonly JsonObject[]): Promise<string> =>
    plane.kubectl(
      ["apply", "--server-side", "--force-conflicts", "-f", "-"],
      items.map((item) => JSON.stringify(item)).join("\n---\n"),
    );
  const start = (user: string): Promise<ReportProgram> => startReportProgram(plane, user, options);
  const leading = (): Promise<FaultReplica> => findLeader(plane, replicas);
  const untilAllReported = (): Promise<void> => untilReported(plane, {}, () => replicas.map(formatReplica).join("\n"));
  let round = 0;
  const change = async (): Promise<void> => {
    round++;
    await apply(objectsOf(round));
    if (round % 4 === 0) await plane.kubectl(["delete", "retrypolicy", `q${(round + 1) % 3}`, "--ignore-not-found"]);
  };
  await apply(firstObjects());
  for (const user of USERS) replicas.push({ user, program: await start(user) });
  await untilAllReported();
  return {
    plane,
    audit,
    leading,
    change,
    untilAllReported,
    killLeader: async () => {
      const leader = await leading();
      await change();
      leader.program.child.kill("SIGKILL");
      await leader.program.ended;
      await change();
      await untilAllReported();
      leader.program = await start(leader.user);
    },
    stopLeader: async () => {
      const leader = await leading();
      await change();
      leader.program.child.kill("SIGSTOP");
      await change();
      const next = replicas.find((replica) => replica !== leader);
      await until(async () => (await leading()) === next);
      await sleep(Number.parseInt(duration, 10) * 1000 + 1500);
      await untilAllReported();
      await change();
      audit.mark();
      leader.program.child.kill("SIGCONT");
      await change();
      await untilAllReported();
      if ((await leading()) !== next) return undefined;
      return audit.writes().filter(({ user }) => user === leader.user).length;
    },
    restartServer: async () => {
      await change();
      await plane.restart();
      await change();
      await untilAllReported();
    },
    revive: async () => {
      for (const replica of replicas) {
        replica.program.child.kill("SIGCONT");
        if (!isRunning(replica.program)) replica.program = await start(replica.user);
      }
    },
    close: async () => {
      for (const { program } of replicas) {
        program.child.kill("SIGCONT");
        program.child.kill("SIGKILL");
        await program.ended;
      }
      await plane.close();
      audit.close();
    },
  };
}

const retries = (name: string, target: string, attempts: number): JsonObject => ({
  ...policy("RetryPolicy", name, [target], { retry: { attempts } }, { group: "prevail.dev" }),
  apiVersion: "prevail.dev/v1alpha1",
});

const firstObjects = (): readonly JsonObject[] => [
  namespace(REPORT_NAMESPACE),
  gatewayClass("class", "prevail.dev/gateway"),
  ...["g", "h"].map((name) => gateway(name)),
  service("s"),
  ...Array.from({ length: 10 }, (_, index) => routeTo(`r${index}`, index % 2 === 0 ? "Gateway/g" : "Gateway/h", "s")),
  retries("p", "Gateway/g", 1),
];

function objectsOf(round: number): readonly JsonObject[] {
  const isEven = round % 2 === 0;
  return [
    retries("p", isEven ? "Gateway/g" : "Gateway/h", round),
    retries(`q${round % 3}`, `HTTPRoute/r${round % 10}`, 2),
    routeTo(`r${round % 5}`, isEven ? "Gateway/h" : "Gateway/g", "s"),
  ];
}

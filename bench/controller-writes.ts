/** How much the controller writes: relists, a restart and idling, edits of a policy's values, and another writer. All is counted by the audit log. */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../src/adapters/cluster/client/kube-client.ts";
import { createObject, getObject, updateObject } from "../src/adapters/cluster/client/object-requests.ts";
import type { AddressedResource } from "../src/adapters/cluster/client/resource.ts";
import { type JsonObject, objectAt, objectsIn } from "../src/core/model/json.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../test/support/cluster/gateway-objects.ts";
import { type AuditLog, createAuditLog } from "../test/support/kubernetes/audit-log.ts";
import { clientAs } from "../test/support/kubernetes/cluster-client.ts";
import { type ControlPlane, compactEtcd, startControlPlane } from "../test/support/kubernetes/control-plane.ts";
import { findKubernetes } from "../test/support/kubernetes/find-kubernetes.ts";
import { startHostileWriter, THEIR_CONDITION } from "../test/support/kubernetes/hostile-writer.ts";
import {
  CONTROLLER_USER,
  differingStatuses,
  REPORT_NAMESPACE,
  type ReportReplica,
  startReportReplica,
} from "../test/support/kubernetes/report-replica.ts";
import { startTcpRelay, type TcpRelay } from "../test/support/kubernetes/tcp-relay.ts";
import { until } from "../test/support/kubernetes/until.ts";
import { writtenBy } from "../test/support/kubernetes/written-objects.ts";
import type { BenchContext } from "./bench-context.ts";
import { forEachAtOnce, POLICIES, ROUTES } from "./cluster-objects.ts";

export const WRITES_PARTS: readonly string[] = ["relists", "edits", "hostile"];

const RELISTS = 3;
const IDLE_MS = 60_000;
const EDITS = 100;
/** The next edit follows when the status is right, or after so long. */
const EDIT_MS = 1000;
const HOSTILE_MS = 120_000;
/** After it the other writer has reset an object three times, and the controller stops there. */
const RESETS = 3;
const GROUP = "gateway.networking.k8s.io";
const GATEWAYS: AddressedResource = { group: GROUP, version: "v1", plural: "gateways" };
const ROUTE_TYPE = { apiVersion: `${GROUP}/v1`, kind: "HTTPRoute" };

interface Rig {
  readonly context: BenchContext;
  readonly plane: ControlPlane;
  readonly audit: AuditLog;
  readonly relay: TcpRelay;
  readonly client: KubeClient;
  readonly routes: number;
  replica: ReportReplica;
}

const retries = (attempts: number): JsonObject => ({
  ...policy("RetryPolicy", "busy", ["Gateway/g"], { retry: { attempts } }, { group: "prevail.dev" }),
  apiVersion: "prevail.dev/v1alpha1",
});

export async function benchWrites(context: BenchContext, routes: number): Promise<void> {
  const parts = await findKubernetes();
  if (parts === undefined) return;
  const audit = createAuditLog();
  // Without a watch cache a compaction makes older versions expire at once.
  const flags = [...audit.flags, "--watch-cache=false"];
  const plane = await startControlPlane(parts, {
    frontProxy: true,
    users: { [CONTROLLER_USER]: ["system:masters"] },
    flags,
  });
  const relay = await startTcpRelay({ host: "127.0.0.1", port: Number(new URL(plane.server).port) });
  const client = await clientAs(plane);
  let rig: Rig | undefined;
  try {
    await plane.kubectl(["create", "namespace", REPORT_NAMESPACE]);
    await createRoutes(plane, client, routes);
    const replica = await startReportReplica(plane, {}, { port: relay.port });
    rig = { context, plane, audit, relay, client, routes, replica };
    await untilReported(plane);
    const has = (part: string): boolean => context.parts.includes(part);
    if (has("relists")) await measureRelists(rig);
    if (has("edits")) await measureEdits(rig);
    if (has("hostile")) await measureHostile(rig);
  } finally {
    await rig?.replica.close();
    client.close();
    await relay.close();
    await plane.close();
    audit.close();
  }
}

/** All on one Gateway, under one policy. */
async function createRoutes(plane: ControlPlane, client: KubeClient, routes: number): Promise<void> {
  const first = [gatewayClass("class", "prevail.dev/gateway"), gateway("g"), service("s"), retries(2)];
  const text = first.map((object) => JSON.stringify(object)).join("\n---\n");
  await plane.kubectl(["apply", "--server-side", "-f", "-"], text);
  await forEachAtOnce(0, routes, async (index) => {
    await createObject(client, ROUTES, routeTo(`route-${index}`, "Gateway/g", "s"));
  });
}

async function untilReported(plane: ControlPlane): Promise<void> {
  while ((await differingStatuses(plane)).length > 0) await sleep(200);
}

const caseOf = (rig: Rig, what: string): string =>
  `${rig.routes.toLocaleString("en")} routes under one policy, ${what}`;

const writesOf = ({ audit }: Rig): readonly string[] => writtenBy(audit, CONTROLLER_USER).ofStatus();

async function measureRelists(rig: Rig): Promise<void> {
  const { context, plane, audit, relay } = rig;
  const name = caseOf(rig, "no change");
  audit.mark();
  for (let round = 0; round < RELISTS; round++) {
    const before = listsOf(audit);
    relay.pause();
    const tick = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tick", namespace: "default" } };
    await plane.kubectl(
      ["apply", "--server-side", "-f", "-"],
      JSON.stringify({ ...tick, data: { round: `${round}` } }),
    );
    await compactEtcd(plane);
    relay.resume();
    await until(() => listsOf(audit) > before);
    await untilReported(plane);
  }
  const relisted = "objects whose status is written after 3 forced relists";
  context.report({ case: name, metric: relisted, value: writesOf(rig).length, unit: "", bar: 0 });
  await rig.replica.close();
  rig.replica = await startReportReplica(plane, {}, { port: relay.port });
  await until(() => rig.replica.notes.some((note) => note.includes("this replica writes the status")));
  await untilReported(plane);
  const restarted = "the same, and after a restart";
  context.report({ case: name, metric: restarted, value: writesOf(rig).length, unit: "", bar: 0 });
  await sleep(IDLE_MS);
  const idle = `the same, and after ${IDLE_MS / 1000} s of idling`;
  context.report({ case: name, metric: idle, value: writesOf(rig).length, unit: "", bar: 0 });
}

/** How often the controller has read all HTTPRoutes: a list, or a watch that begins with them. */
const listsOf = (audit: AuditLog): number =>
  audit
    .read()
    .filter(({ user, objectRef }) => user.username === CONTROLLER_USER && objectRef?.resource === "httproutes")
    .filter(({ verb, requestURI }) => verb === "list" || requestURI.includes("sendInitialEvents=true")).length;

async function measureEdits(rig: Rig): Promise<void> {
  const { context, plane, audit, client } = rig;
  const name = caseOf(rig, `its values edited ${EDITS} times`);
  audit.mark();
  const key = { namespace: "default", name: "busy" };
  for (let edit = 0; edit < EDITS; edit++) {
    const current = await getObject(client, POLICIES, key);
    const edited = await updateObject(client, POLICIES, { ...current, spec: retries(3 + edit)["spec"] ?? {} });
    const generation = Number(objectAt(edited, "metadata")["generation"]);
    const isReported = async (): Promise<boolean> =>
      JSON.stringify((await getObject(client, POLICIES, key)) ?? {}).includes(`"observedGeneration":${generation}`);
    // An object that changes again and again is written at longer and longer intervals.
    for (const beganMs = Date.now(); Date.now() - beganMs < EDIT_MS && !(await isReported()); ) await sleep(50);
  }
  await untilReported(plane);
  const policyKey = "retrypolicies/status busy";
  const others = writesOf(rig).filter((one) => one !== policyKey).length;
  const own = writtenBy(audit, CONTROLLER_USER).succeeded(policyKey);
  context.report({ case: name, metric: "targets whose status is written", value: others, unit: "", bar: 0 });
  context.report({ case: name, metric: "writes of the policy", value: own, unit: "", bar: EDITS });
}

async function measureHostile(rig: Rig): Promise<void> {
  const { context, audit, client, routes } = rig;
  const name = caseOf(rig, `another writer for ${HOSTILE_MS / 1000} s`);
  const objects = routes + 1;
  audit.mark();
  const hostile = startHostileWriter(client, { gateway: "g", prefix: "route-" });
  const began = Date.now();
  const stopped = (): number =>
    new Set(rig.replica.notes.filter((note) => note.includes("'hostile' has removed"))).size;
  // At many routes three writes each take longer than that.
  while (Date.now() - began < HOSTILE_MS || (stopped() < objects && Date.now() - began < 5 * HOSTILE_MS))
    await sleep(500);
  await hostile.stop();
  const written = writtenBy(audit, CONTROLLER_USER);
  const counts = writesOf(rig).map((key) => written.succeeded(key));
  const most = "writes of an object, the most";
  context.report({ case: name, metric: most, value: Math.max(0, ...counts), unit: "", bar: RESETS });
  const all = counts.reduce((sum, count) => sum + count, 0);
  context.report({ case: name, metric: "all writes of the controller", value: all, unit: "", bar: RESETS * objects });
  const changed = objects - (await countKept(client));
  context.report({
    case: name,
    metric: "objects without the entry of the other writer",
    value: changed,
    unit: "",
    bar: 0,
  });
}

/** The Gateway and the routes that have the condition of the other writer. */
async function countKept(client: KubeClient): Promise<number> {
  const text = JSON.stringify(THEIR_CONDITION["type"]);
  const own = await getObject(client, GATEWAYS, { namespace: "default", name: "g" });
  const { items } = await client.request({ path: `/apis/${ROUTE_TYPE.apiVersion}/namespaces/default/httproutes` });
  return [own, ...objectsIn(items)].filter((object) => JSON.stringify(object?.["status"] ?? {}).includes(text)).length;
}

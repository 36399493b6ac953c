/**
 * A kind that may not be read any more: nothing that rests on it is written or withdrawn, a metric says so, and status follows when it can be read again
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { type AuditLog, createAuditLog } from "../support/kubernetes/audit-log.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import {
  CONTROLLER_USER,
  REPORT_NAMESPACE,
  type ReportReplica,
  reportSettings,
  startReportReplica,
  untilReported,
} from "../support/kubernetes/report-replica.ts";
import { startTcpRelay, type TcpRelay } from "../support/kubernetes/tcp-relay.ts";
import { CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import { ancestorLines, applyAll, applyKinds, getWritten, namespaceObject, policyCrd } from "./status-objects.ts";

const parts = await findKubernetes();
const GROUP = "held.example.com";
const own = [...reportSettings.own, { kind: "EdgePolicy", group: GROUP }];
const [viewPort = 0, adminPort = 0] = await findFreePorts(2);

const retries = (name: string, target: string, attempts: number): JsonObject => ({
  ...policy("RetryPolicy", name, [target], { retry: { attempts } }, { group: "prevail.dev" }),
  apiVersion: "prevail.dev/v1alpha1",
});

/** Its policies end at Gateways, so they do not rest on routes. */
const edgeDefinition: JsonObject = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: `edgepolicy.${GROUP}` },
  spec: {
    policies: [{ group: GROUP, kind: "EdgePolicy" }],
    class: "Direct",
    targeting: { kinds: ["Gateway"] },
  },
};

const verbs = ["*"];
const role = (name: string, rules: readonly JsonObject[]): readonly JsonObject[] => [
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules },
  binding(name),
];
const binding = (name: string): JsonObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: CONTROLLER_USER }],
});
const kinds = ["gatewayclasses", "gateways", "listenersets", "grpcroutes", "tlsroutes", "tcproutes", "udproutes"];
const gatewayApi = [...kinds, "referencegrants", "backendtlspolicies"];
const EVERYTHING_ELSE = role("everything-else", [
  {
    apiGroups: [
      "",
      "prevail.dev",
      GROUP,
      "gateway.networking.x-k8s.io",
      "apiextensions.k8s.io",
      "apiregistration.k8s.io",
    ],
    resources: ["*"],
    verbs,
  },
  { apiGroups: ["coordination.k8s.io", "events.k8s.io", "authorization.k8s.io"], resources: ["*"], verbs },
  {
    apiGroups: ["gateway.networking.k8s.io"],
    resources: gatewayApi.flatMap((name) => [name, `${name}/status`]),
    verbs,
  },
]);
const HTTP_ROUTES = role("httproutes", [
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["httproutes", "httproutes/status"], verbs },
]);

describe.skipIf(parts === undefined)("kinds whose status is held", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let audit: AuditLog;
  let relay: TcpRelay;
  let replica: ReportReplica;
  const start = async (): Promise<void> => {
    replica = await startReportReplica(plane, { own }, { port: relay.port, viewPort, adminPort });
  };
  beforeAll(async () => {
    if (parts === undefined) return;
    audit = createAuditLog();
    plane = await startControlPlane(parts, { frontProxy: true, users: { [CONTROLLER_USER]: [] }, flags: audit.flags });
    relay = await startTcpRelay({ host: "127.0.0.1", port: Number(new URL(plane.server).port) });
    await applyKinds(plane, policyCrd({ group: GROUP, kind: "EdgePolicy" }), edgeDefinition);
    await applyAll(plane, [
      ...EVERYTHING_ELSE,
      ...HTTP_ROUTES,
      namespaceObject(REPORT_NAMESPACE),
      gatewayClass("class", reportSettings.controllerName),
      ...["g", "h", "one", "two"].map((name) => gateway(name)),
      service("s"),
      ...["r0", "r1"].map((name) => routeTo(name, "Gateway/g", "s")),
      retries("p", "Gateway/g", 1),
      retries("q", "HTTPRoute/r1", 2),
    ]);
    await start();
    await untilReported(plane, { own });
  }, 300_000);
  afterAll(async () => {
    await replica?.close();
    await relay?.close();
    await plane?.close();
    audit?.close();
  });

  /** The metric `prevail_status_held`: `RetryPolicy.prevail.dev HTTPRoute.gateway.networking.k8s.io`. */
  const held = async (): Promise<readonly string[]> => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    return [...text.matchAll(/^prevail_status_held\{kind="([^"]*)",unread="([^"]*)"\} 1$/gm)].map(
      ([, kind = "", unread = ""]) => `${kind} ${unread}`,
    );
  };
  const revoke = (): Promise<string> => plane.kubectl(["delete", "clusterrolebinding", "httproutes"]);
  const giveBack = (): Promise<string> => applyAll(plane, [binding("httproutes")]);
  const untilHeld = (isHeld: boolean): Promise<void> =>
    until(
      async () => (await held()).some((line) => line.startsWith("RetryPolicy")) === isHeld,
      () => replica.notes.slice(-10).join("\n"),
      200,
    );
  /** What the controller wrote since the mark. */
  const written = (): readonly string[] => [
    ...new Set(
      audit
        .writes()
        .filter(({ user, resource }) => user === CONTROLLER_USER && resource.endsWith("/status"))
        .map(({ resource, name }) => `${resource} ${name}`),
    ),
  ];
  /** The status of a policy that does not rest on routes is the last to be written, so everything before it has been used. */
  const untilUsed = async (name: string): Promise<void> => {
    await applyAll(plane, [policy("EdgePolicy", name, `Gateway/${name}`, { a: 1 }, { group: GROUP })]);
    await until(
      async () => ancestorLines(await getWritten(plane, `edgepolicy.${GROUP}`, name, "default")).length > 0,
      () => replica.notes.slice(-10).join("\n"),
    );
  };
  const statusOf = async (resource: string, name: string): Promise<unknown> =>
    (await getWritten(plane, resource, name, "default")).status;

  test("the rights to HTTPRoutes are taken away while the controller runs: nothing about RetryPolicies is written or withdrawn", async () => {
    const before = [await statusOf("retrypolicy", "p"), await statusOf("httproute", "r1")];
    expect(before[0]).toBeDefined();
    await revoke();
    relay.cut();
    await untilHeld(true);
    expect(await held()).toContain("RetryPolicy.prevail.dev HTTPRoute.gateway.networking.k8s.io");
    expect((await held()).filter((line) => line.startsWith("EdgePolicy"))).toEqual([]);
    audit.mark();
    await applyAll(plane, [retries("p", "Gateway/h", 5), retries("new", "Gateway/g", 3)]);
    await plane.kubectl(["delete", "retrypolicy", "q"]);
    await untilUsed("one");
    expect(written().toSorted()).toEqual(["edgepolicies/status one", "gateways/status one"]);
    expect([await statusOf("retrypolicy", "p"), await statusOf("httproute", "r1")]).toEqual(before);
  });

  test("a replica that starts without these rights leaves the last words, too", async () => {
    const before = [await statusOf("retrypolicy", "p"), await statusOf("httproute", "r1")];
    await replica.close();
    audit.mark();
    await start();
    await untilHeld(true);
    await untilUsed("two");
    expect(written().toSorted()).toEqual(["edgepolicies/status two", "gateways/status two"]);
    expect([await statusOf("retrypolicy", "p"), await statusOf("httproute", "r1")]).toEqual(before);
  });

  test("the rights are given back: status follows, and nothing is held", async () => {
    await giveBack();
    await untilHeld(false);
    await untilReported(plane, { own });
    expect(await held()).toEqual([]);
    expect(JSON.stringify(await statusOf("httproute", "r1"))).not.toContain("default/q");
    expect(ancestorLines(await getWritten(plane, "retrypolicy", "p", "default"))).toEqual([
      expect.stringContaining("Gateway/h: Accepted=True"),
    ]);
  });

  test("they are taken away and given back while one replica runs", async () => {
    await revoke();
    relay.cut();
    await untilHeld(true);
    await applyAll(plane, [retries("p", "HTTPRoute/r0", 7)]);
    await giveBack();
    await untilHeld(false);
    await untilReported(plane, { own });
    expect(JSON.stringify(await statusOf("httproute", "r0"))).toContain("default/p");
  });
});

/**
 * How much the controller writes, counted by the audit log of the API server, and what it does where writes are refused or undone
 * GEP-713, "Fanout status update problems"
 *
 * PREVAIL_ROUTES=1000, PREVAIL_EDITS=100, PREVAIL_IDLE_MS=60000 and PREVAIL_HOSTILE_MS=120000 are the numbers of the proof.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { getObject, updateStatus } from "../../src/adapters/cluster/client/object-requests.ts";
import { type JsonObject, objectAt } from "../../src/core/model/json.ts";
import type { EffectivePolicyView } from "../../src/core/view/view-types.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { gateway, gatewayClass, listener, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { type AuditedWrite, type AuditLog, createAuditLog } from "../support/kubernetes/audit-log.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, compactEtcd, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { startHostileWriter, THEIR_CONDITION, theirParent } from "../support/kubernetes/hostile-writer.ts";
import {
  CONTROLLER_USER,
  type ReportReplica,
  reportSettings,
  startReportReplica,
  untilReported,
} from "../support/kubernetes/report-replica.ts";
import { startTcpRelay, type TcpRelay } from "../support/kubernetes/tcp-relay.ts";
import { CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import { installViewApi, untilAvailable } from "../support/kubernetes/view-replica.ts";
import { writtenBy } from "../support/kubernetes/written-objects.ts";
import { affectedBy, applyAll, applyKinds, getWritten, policyCrd } from "./status-objects.ts";

const parts = await findKubernetes();
const ROUTES = Number(process.env["PREVAIL_ROUTES"] ?? 60);
const EDITS = Number(process.env["PREVAIL_EDITS"] ?? 10);
/** How long the other writer goes on, at the least. */
const HOSTILE_MS = Number(process.env["PREVAIL_HOSTILE_MS"] ?? 0);
const RELISTS = 3;
/** The kinds that are listed after each, at the least: GatewayClasses, Gateways, HTTPRoutes, Services, Namespaces and RetryPolicies. */
const RELISTED_KINDS = 6;
const [viewPort = 0, adminPort = 0] = await findFreePorts(2);

const GATEWAYS = { group: "gateway.networking.k8s.io", version: "v1", plural: "gateways" };
const TEST_GROUP = "broken.example.com";
const own = [
  ...reportSettings.own,
  ...["RefusedPolicy", "BarePolicy", "PrunedPolicy"].map((kind) => ({ kind, group: TEST_GROUP })),
];

const retries = (name: string, target: string, attempts: number): JsonObject => ({
  ...policy("RetryPolicy", name, [target], { retry: { attempts } }, { group: "prevail.dev" }),
  apiVersion: "prevail.dev/v1alpha1",
});

/** A policy kind like RetryPolicy, as far as targets are concerned. */
const definition = (kind: string, status?: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: `${kind.toLowerCase()}.${TEST_GROUP}` },
  spec: {
    policies: [{ group: TEST_GROUP, kind }],
    class: "Inherited",
    targeting: { kinds: ["Gateway"] },
    hierarchy: { effectiveTargets: ["HTTPRoute"] },
    ...(status === undefined ? {} : { status }),
  },
});

describe.skipIf(parts === undefined)("writes of status", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let audit: AuditLog;
  let relay: TcpRelay;
  let client: KubeClient;
  let replica: ReportReplica;
  const start = async (): Promise<void> => {
    replica = await startReportReplica(plane, { own }, { port: relay.port, viewPort, adminPort });
  };
  beforeAll(async () => {
    if (parts === undefined) return;
    audit = createAuditLog();
    // Without a watch cache a compaction makes older versions expire at once.
    const flags = [...audit.flags, "--watch-cache=false"];
    const users = { [CONTROLLER_USER]: ["system:masters"] };
    plane = await startControlPlane(parts, { frontProxy: true, users, flags });
    relay = await startTcpRelay({ host: "127.0.0.1", port: Number(new URL(plane.server).port) });
    client = await clientAs(plane);
    await installViewApi(plane, viewPort);
    await applyAll(plane, [
      gatewayClass("class", "prevail.dev/gateway"),
      gateway("g", { listeners: [listener("http"), listener("more", { port: 81 })] }),
      gateway("idle"),
      service("s"),
      routeTo("first", "Gateway/g", "s"),
      routeTo("apart", "Gateway/idle", "s"),
      retries("busy", "Gateway/g", 2),
      retries("still", "Gateway/idle", 2),
    ]);
    await start();
    await untilReported(plane, { own });
  }, 300_000);
  afterAll(async () => {
    await replica?.close();
    client?.close();
    await relay?.close();
    await plane?.close();
    audit?.close();
  });

  /** The writes of the controller since the mark. */
  const written = (): ReadonlyMap<string, readonly AuditedWrite[]> => writtenBy(audit, CONTROLLER_USER).all();
  const succeeded = (key: string): number => writtenBy(audit, CONTROLLER_USER).succeeded(key);
  /** How often the controller has listed a kind. */
  const countLists = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    return Number(/^prevail_cluster_lists_total (\d+)$/m.exec(text)?.[1]);
  };
  /** Resolves when the controller has used everything that is in the cluster: the status of an object that is made now is written last. */
  const settled = async (): Promise<void> => {
    await untilReported(plane, { own });
    await sleep(1500);
    await untilReported(plane, { own });
  };

  test(`${ROUTES} routes under one policy: one write each, and none where no word changes`, async () => {
    audit.mark();
    const names = Array.from({ length: ROUTES }, (_, index) => `route-${index}`);
    for (let at = 0; at < names.length; at += 50)
      await applyAll(
        plane,
        names.slice(at, at + 50).map((name) => routeTo(name, "Gateway/g", "s")),
      );
    await settled();
    const counts = names.map((name) => succeeded(`httproutes/status ${name}`));
    expect(counts).toEqual(names.map(() => 1));
    expect(succeeded("gateways/status g")).toBeLessThanOrEqual(10);
    // The words of the policy above the burst count its paths, so they change. Those of the policy apart from it stay.
    expect(succeeded("retrypolicies/status busy")).toBeGreaterThan(0);
    expect(written().get("retrypolicies/status busy")?.length).toBeLessThanOrEqual(10);
    expect(written().get("retrypolicies/status still")).toBeUndefined();
    expect(written().get("gateways/status idle")).toBeUndefined();
  });

  test(`then ${RELISTS} expired versions, a restart and some seconds without a change: no write`, async () => {
    audit.mark();
    for (let round = 0; round < RELISTS; round++) {
      const before = await countLists();
      relay.pause();
      await applyAll(plane, [
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "tick", namespace: "default" },
          data: { round: `${round}` },
        },
      ]);
      await compactEtcd(plane);
      relay.resume();
      let lists = before;
      await until(
        async () => {
          lists = await countLists();
          return lists >= before + RELISTED_KINDS;
        },
        () => `${lists - before} lists after version ${round} expired\n${replica.notes.slice(-5).join("\n")}`,
        200,
      );
    }
    await replica.close();
    await start();
    await until(() => replica.notes.some((note) => note.includes("this replica writes the status")));
    await sleep(Number(process.env["PREVAIL_IDLE_MS"] ?? 3000));
    await untilReported(plane, { own });
    const status = [...written().keys()].filter((key) => key.includes("/status"));
    expect(status).toEqual([]);
  });

  test(`the values of a policy, edited ${EDITS} times: no write on a target, at most one an edit on the policy`, {
    timeout: CLUSTER_TEST.timeout + EDITS * 5000,
  }, async () => {
    audit.mark();
    for (let edit = 0; edit < EDITS; edit++) {
      await applyAll(plane, [retries("busy", "Gateway/g", 3 + edit)]);
      await until(async () => {
        const { metadata, status } = await getWritten(plane, "retrypolicy", "busy", "default");
        return status?.ancestors?.[0]?.conditions[0]?.observedGeneration === metadata.generation;
      });
    }
    await settled();
    expect([...written().keys()].filter((key) => key.includes("/status"))).toEqual(["retrypolicies/status busy"]);
    expect(succeeded("retrypolicies/status busy")).toBeLessThanOrEqual(EDITS);
    // One for each object in a minute, and for at most 20 objects of a change.
    const events = await plane.kubectl([
      "get",
      "events.events.k8s.io",
      "-n",
      "default",
      "-o",
      "jsonpath={range .items[*]}{.regarding.kind}/{.regarding.name} {.reason} {.note}{'\\n'}{end}",
    ]);
    expect(replica.notes.filter((note) => note.includes("Events are not written"))).toEqual([]);
    const lines = events.split("\n").filter((line) => line.includes("ValuesChanged"));
    expect(lines).toContainEqual(
      expect.stringMatching(/^Gateway\/g ValuesChanged retry\.attempts 2 → 3, from RetryPolicy default\/busy$/),
    );
    expect(lines.length).toBeLessThanOrEqual(25);
  });

  test("what ended is withdrawn, and a policy that is deleted and made anew at once has its own words", async () => {
    for (let round = 0; round < 3; round++) {
      await plane.kubectl(["delete", "retrypolicy", "still"]);
      if (round === 0) {
        await untilReported(plane, { own });
        expect(affectedBy(await getWritten(plane, "gateway", "idle", "default"), "RetryPolicy")).toEqual([]);
        const route = await getWritten(plane, "httproute", "apart", "default");
        expect(route.status?.parents).toEqual([]);
      }
      await applyAll(plane, [retries("still", round === 1 ? "Gateway/nowhere" : "Gateway/idle", 2)]);
    }
    await untilReported(plane, { own });
    expect(affectedBy(await getWritten(plane, "httproute", "apart", "default"), "RetryPolicy")).toEqual(["still"]);
  });

  test("a listener has its condition as soon as the controller of the Gateway has listed it", async () => {
    const listed = {
      listeners: ["http", "more"].map((name) => ({ name, attachedRoutes: 1, supportedKinds: [], conditions: [] })),
    };
    const object = await getObject(client, GATEWAYS, { namespace: "default", name: "g" });
    if (object === undefined) throw new Error("there is a Gateway");
    await updateStatus(client, GATEWAYS, { ...object, status: { ...objectAt(object, "status"), ...listed } });
    await until(async () => {
      const { status } = await getWritten(plane, "gateway", "g", "default");
      return status?.listeners?.every(({ conditions }) => conditions.length === 1) === true;
    });
    await untilReported(plane, { own });
  });

  test("kinds whose status cannot be written: reported once, and nothing else waits", async () => {
    const refusing = {
      type: "object",
      properties: {
        ancestors: {
          type: "array",
          maxItems: 0,
          items: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    };
    await applyKinds(
      plane,
      policyCrd({ group: TEST_GROUP, kind: "RefusedPolicy", status: refusing }),
      policyCrd({ group: TEST_GROUP, kind: "BarePolicy", hasSubresource: false }),
      policyCrd({ group: TEST_GROUP, kind: "PrunedPolicy", status: { type: "object" } }),
      ...["RefusedPolicy", "BarePolicy", "PrunedPolicy"].map((kind) => definition(kind)),
      // Not among the kinds of --own: its definition names the owner.
      policyCrd({ group: TEST_GROUP, kind: "WholePolicy" }),
      definition("WholePolicy", { ancestors: "None", owner: reportSettings.controllerName }),
    );
    await applyAll(
      plane,
      ["RefusedPolicy", "BarePolicy", "PrunedPolicy"].flatMap((kind) =>
        ["one", "two"].map((name) => policy(kind, name, "Gateway/idle", { a: 1 }, { group: TEST_GROUP })),
      ),
    );
    const noted = (word: RegExp): readonly string[] => replica.notes.filter((note) => word.test(note));
    await until(() => [/RefusedPolicy/, /BarePolicy/, /PrunedPolicy/].every((kind) => noted(kind).length > 0));
    await applyAll(plane, [retries("after", "HTTPRoute/apart", 7)]);
    await until(async () =>
      affectedBy(await getWritten(plane, "httproute", "apart", "default"), "RetryPolicy").includes("after"),
    );
    expect(noted(/RefusedPolicy/)).toEqual([expect.stringContaining("is not written: PUT")]);
    expect(noted(/BarePolicy/)).toEqual([expect.stringContaining("has no status subresource")]);
    expect(noted(/PrunedPolicy/)).toEqual([expect.stringContaining("did not keep the status")]);
    expect(affectedBy(await getWritten(plane, "gateway", "idle", "default"), "BarePolicy")).toEqual(["one", "two"]);
  });

  test("a kind without ancestors that its definition gives to the controller: conditions of the policy as a whole", async () => {
    await applyAll(plane, [
      policy("WholePolicy", "whole", "Gateway/idle", { a: 1 }, { group: TEST_GROUP }),
      policy("WholePolicy", "lost", "Gateway/nowhere", { a: 1 }, { group: TEST_GROUP }),
    ]);
    const words = async (name: string): Promise<readonly string[]> =>
      ((await getWritten(plane, "wholepolicy", name, "default")).status?.conditions ?? []).map(
        ({ type, status, reason }) => `${type}=${status}/${reason}`,
      );
    await until(async () => (await words("whole")).length > 0 && (await words("lost")).length > 0);
    expect(await words("whole")).toEqual(["Accepted=True/Accepted", "Enforced=True/Enforced"]);
    expect(await words("lost")).toEqual(["Accepted=False/TargetNotFound"]);
  });

  test("a CoverageRule: whether it is met, and how many targets do not meet it", async () => {
    const rule = (condition: string): JsonObject => ({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "CoverageRule",
      metadata: { name: "rule" },
      spec: { targets: { levels: ["HTTPRoute"] }, policyKind: "RetryPolicy", condition },
    });
    let last = "";
    const line = async (): Promise<string> => {
      last = await read();
      return last;
    };
    const read = (): Promise<string> =>
      plane.kubectl([
        "get",
        "coveragerule",
        "rule",
        "-o",
        "jsonpath={.metadata.generation} {.status.uncovered} {range .status.conditions[*]}{.type}={.status}/{.observedGeneration} {end}",
      ]);
    await applyAll(plane, [rule("has(spec.retry.attempts)"), gateway("bare"), routeTo("bare", "Gateway/bare", "s")]);
    await until(
      async () => (await line()).trim() === "1 1 Accepted=True/1 Covered=False/1",
      () => `one route is not covered: ${last} ${replica.notes.slice(-5).join("\n")}`,
    );
    await applyAll(plane, [retries("bare", "Gateway/bare", 2)]);
    await until(
      async () => (await line()).trim() === "1 0 Accepted=True/1 Covered=True/1",
      () => "all routes are covered",
    );
    await applyAll(plane, [rule("spec.retry >")]);
    await until(
      async () => (await line()).trim() === "2 0 Accepted=False/2",
      () => "the condition is not usable",
    );
  });

  test(`another writer that resets our conditions of a Gateway and ${ROUTES} routes: three writes each, then none; its own entries stay`, {
    timeout: CLUSTER_TEST.timeout + ROUTES * 500 + HOSTILE_MS,
  }, async () => {
    audit.mark();
    const hostile = startHostileWriter(client, { gateway: "g", prefix: "route-" });
    const names = Array.from({ length: ROUTES }, (_, index) => `route-${index}`);
    // The replica runs in this process, so the notes are read once, and seldom.
    const stillWritten = new Set(["Gateway default/g", ...names.map((name) => `HTTPRoute default/${name}`)]);
    let read = 0;
    const readNotes = (): void => {
      for (const note of replica.notes.slice(read)) {
        const [, name = ""] = /(\w+ default\/[\w-]+): 'hostile' has removed/.exec(note) ?? [];
        stillWritten.delete(name);
      }
      read = replica.notes.length;
    };
    const began = Date.now();
    // Three writes of each object, of which the controller makes at most 250 a second.
    while (stillWritten.size > 0 && Date.now() - began < 150_000 + ROUTES * 300) {
      await sleep(250);
      readNotes();
    }
    expect([...stillWritten]).toEqual([]);
    await applyAll(plane, [retries("elsewhere", "HTTPRoute/first", 9)]);
    await until(async () =>
      affectedBy(await getWritten(plane, "httproute", "first", "default"), "RetryPolicy").includes("elsewhere"),
    );
    await sleep(Math.max(2000, HOSTILE_MS - (Date.now() - began)));
    await hostile.stop();
    // The first of three resets is of what was written before.
    expect(succeeded("gateways/status g")).toBeLessThanOrEqual(3);
    expect(names.filter((name) => succeeded(`httproutes/status ${name}`) > 3)).toEqual([]);
    const { status } = await getWritten(plane, "gateway", "g", "default");
    expect(status?.conditions).toEqual([THEIR_CONDITION]);
    expect((await getWritten(plane, "httproute", "route-0", "default")).status?.parents).toEqual([
      { ...theirParent("g"), parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" } },
    ]);
    await untilAvailable(plane);
    for (const view of ["httproute.route-0", "gateway.g"]) {
      const { caveats } = JSON.parse(
        await plane.kubectl(["get", "effectivepolicy", view, "-n", "default", "-o", "json"]),
      ) as EffectivePolicyView;
      expect(caveats.map(({ code, message }) => `${code}: ${message}`)).toContainEqual(
        expect.stringMatching(
          /^StatusNotKept: .* may be out of date: the field manager 'hostile' has reset it three times/,
        ),
      );
    }
    const kept = await plane.kubectl(["get", "effectivepolicy", "httproute.apart", "-n", "default", "-o", "json"]);
    expect(kept).not.toContain("StatusNotKept");
    const explained = await runCli(`explain httproute/route-0 -n default --via api --kubeconfig ${plane.kubeconfig}`);
    expect(explained.stdout.replaceAll(/\s+/g, " ")).toContain("the field manager 'hostile' has reset it three times");
    const bundle = await runCli(`controller --support-bundle --kubeconfig ${plane.kubeconfig}`);
    expect(JSON.parse(bundle.stdout)).toMatchObject({
      statusResets: expect.arrayContaining([expect.objectContaining({ kind: "HTTPRoute" })]),
    });
  });
});

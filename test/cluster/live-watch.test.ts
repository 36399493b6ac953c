import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply, buildSnapshot, builtInDefinitions, type Evaluation, evaluate } from "../../src/index.ts";
import { followCluster } from "../../src/sources/cluster/follow-cluster.ts";
import { type ClusterConnection, loadCluster } from "../../src/sources/cluster/load-cluster.ts";
import { formatEvaluation } from "../support/cluster/format-evaluation.ts";
import { anySpec, customResourceDefinition } from "../support/crd/custom-resource.ts";
import { clientAs, connectAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_TEST, until, untilEstablished } from "../support/kubernetes/until.ts";

const parts = await findKubernetes();
const CHANGES = 2000;
/** Writers at once. Each has objects of its own, so that no write conflicts with another. */
const WRITERS = 4;

describe.skipIf(parts === undefined)("incremental ≡ rebuild, over a live watch", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let connection: ClusterConnection;
  let writer: KubeClient;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts);
    connection = await connectAs(plane);
    writer = await clientAs(plane);
  }, 180_000);
  afterAll(async () => {
    connection?.client.close();
    writer?.close();
    await plane?.close();
  });

  test(`${CHANGES} random changes by another client`, { timeout: 300_000 }, async () => {
    let evaluation: Evaluation | undefined;
    const counts = { states: 0, batches: 0 };
    const ended = new AbortController();
    const running = followCluster(connection.client, {
      namespaces: [],
      signal: ended.signal,
      onState: ({ objects, completeness }) => {
        counts.states++;
        evaluation = evaluate(buildSnapshot(objects, { completeness, validated: true }), {
          definitions: builtInDefinitions(),
        });
      },
      onChanges: (changes) => {
        counts.batches++;
        if (evaluation !== undefined) evaluation = apply(evaluation, changes).evaluation;
      },
    });
    try {
      await until(() => evaluation !== undefined);
      await writeObjects(writer);
      await Promise.all(Array.from({ length: WRITERS }, (_, index) => writeRandomly(writer, index, CHANGES / WRITERS)));
      const fresh = formatEvaluation((await loadCluster(connection, { namespaces: [] })).evaluation);
      await until(() => evaluation !== undefined && formatEvaluation(evaluation) === fresh).catch(() => undefined);
      expect(evaluation === undefined ? "" : formatEvaluation(evaluation)).toBe(fresh);
      expect(fresh).toContain("RetryPolicy");
      expect(counts.states).toBe(1);
    } finally {
      ended.abort();
      await running;
    }
  });

  test("ends when it is aborted, also while the first objects are read", { timeout: 60_000 }, async () => {
    for (let waitMs = 0; waitMs < 400; waitMs += 20) {
      const ended = new AbortController();
      const running = followCluster(connection.client, {
        namespaces: [],
        signal: ended.signal,
        onState: () => undefined,
        onChanges: () => undefined,
      });
      await sleep(waitMs);
      ended.abort();
      // A request that was under way may fail.
      await running.catch(() => undefined);
    }
  });

  test("a policy kind that appears is followed, and one that goes is dropped", { timeout: 120_000 }, async () => {
    const seen: string[][] = [];
    const ended = new AbortController();
    const running = followCluster(connection.client, {
      namespaces: [],
      signal: ended.signal,
      onState: ({ objects }) => seen.push(objects.map(kindAndName)),
      onChanges: (changes) =>
        seen.push(changes.map((change) => ("upsert" in change ? kindAndName(change.upsert as JsonObject) : "deleted"))),
    });
    try {
      await until(() => seen.length > 0);
      await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavourCrd));
      await untilEstablished(plane.kubectl);
      await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavour));
      await until(() => seen.some((state) => state.includes("FlavourPolicy sweet")));
      await plane.kubectl(["delete", "crd", "flavourpolicies.example.com"]);
      await until(() => seen.at(-1)?.includes("FlavourPolicy sweet") === false && (seen.at(-1)?.length ?? 0) > 1);
    } finally {
      ended.abort();
      await running;
    }
  });
});

const kindAndName = (object: JsonObject): string => {
  const { kind, metadata } = object as unknown as { kind: string; metadata: { name: string } };
  return `${kind} ${metadata.name}`;
};

const flavourCrd = customResourceDefinition({
  kind: "FlavourPolicy",
  plural: "flavourpolicies",
  labels: { "gateway.networking.k8s.io/policy": "Inherited" },
  spec: anySpec,
});
const flavour = {
  apiVersion: "example.com/v1",
  kind: "FlavourPolicy",
  metadata: { name: "sweet", namespace: "default" },
  spec: { targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "g-0" }], taste: "sweet" },
};

const GATEWAY_API = "gateway.networking.k8s.io";
const paths: Readonly<Record<string, string>> = {
  Gateway: `/apis/${GATEWAY_API}/v1/namespaces/default/gateways`,
  HTTPRoute: `/apis/${GATEWAY_API}/v1/namespaces/default/httproutes`,
  Service: "/api/v1/namespaces/default/services",
  RetryPolicy: "/apis/prevail.dev/v1alpha1/namespaces/default/retrypolicies",
};

const gateway = (name: string, hostname: string): JsonObject => ({
  apiVersion: `${GATEWAY_API}/v1`,
  kind: "Gateway",
  metadata: { name },
  spec: { gatewayClassName: "c", listeners: [{ name: "http", port: 80, protocol: "HTTP", hostname }] },
});
const route = (name: string, parent: string, service: string): JsonObject => ({
  apiVersion: `${GATEWAY_API}/v1`,
  kind: "HTTPRoute",
  metadata: { name },
  spec: { parentRefs: [{ name: parent }], rules: [{ name: "a", backendRefs: [{ name: service, port: 80 }] }] },
});
const service = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { clusterIP: "None", ports: [{ port: 80 }] },
});
const policy = (name: string, kind: string, target: string, block: string, attempts: number): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name },
  spec: { targetRefs: [{ group: GATEWAY_API, kind, name: target }], [block]: { retry: { attempts } } },
});

async function writeObjects(client: KubeClient): Promise<void> {
  const gatewayClass = {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "GatewayClass",
    metadata: { name: "c" },
    spec: { controllerName: "prevail.dev/gateway" },
  };
  await client.request({ method: "POST", path: `/apis/${GATEWAY_API}/v1/gatewayclasses`, body: gatewayClass });
}

/** Creates, replaces and deletes objects of its own, by a fixed sequence of choices. */
async function writeRandomly(client: KubeClient, index: number, count: number): Promise<void> {
  let seed = index + 1;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor(seed / 65536) % below;
  };
  const existing = new Map<string, JsonObject>();
  const makers: Readonly<Record<string, (name: string) => JsonObject>> = {
    Gateway: (name) => gateway(name, ["*.example", "a.example", "*.other"][random(3)] ?? ""),
    HTTPRoute: (name) => route(name, `g-${random(4)}`, `s-${random(4)}`),
    Service: (name) => service(name),
    RetryPolicy: (name) =>
      random(2) === 0
        ? policy(name, "Gateway", `g-${random(4)}`, ["defaults", "overrides"][random(2)] ?? "", random(5))
        : policy(name, "HTTPRoute", `h-${random(12)}`, ["defaults", "overrides"][random(2)] ?? "", random(5)),
  };
  const letters: Readonly<Record<string, string>> = { Gateway: "g", HTTPRoute: "h", Service: "s", RetryPolicy: "p" };
  const kinds = ["Gateway", "HTTPRoute", "HTTPRoute", "Service", "RetryPolicy", "RetryPolicy"];
  for (let step = 0; step < count; step++) {
    const kind = kinds[random(kinds.length)] ?? "";
    // The names of one writer: those that leave its own remainder.
    const name = `${letters[kind]}-${random(3) * WRITERS + index}`;
    const [path, key, body] = [paths[kind] ?? "", `${kind}/${name}`, makers[kind]?.(name) ?? {}];
    const known = existing.get(key);
    if (known === undefined) existing.set(key, await client.request({ method: "POST", path, body }));
    else if (random(3) === 0) {
      await client.request({ method: "DELETE", path: `${path}/${name}` });
      existing.delete(key);
    } else {
      const metadata = { name, resourceVersion: (known["metadata"] as JsonObject)["resourceVersion"] ?? "" };
      existing.set(key, await client.request({ method: "PUT", path: `${path}/${name}`, body: { ...body, metadata } }));
    }
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { apply, buildSnapshot, builtInDefinitions, type Evaluation, evaluate } from "../../src/index.ts";
import { type FollowClusterOptions, followCluster } from "../../src/sources/cluster/follow-cluster.ts";
import { type ClusterConnection, loadCluster } from "../../src/sources/cluster/load-cluster.ts";
import { readCluster } from "../../src/sources/cluster/read-cluster.ts";
import { formatEvaluation } from "../support/cluster/format-evaluation.ts";
import { anySpec, customResourceDefinition } from "../support/crd/custom-resource.ts";
import { clientAs, connectAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_START, CLUSTER_TEST, until, untilEstablished } from "../support/kubernetes/until.ts";

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
    plane = await startControlPlane(parts, { users: { ana: [] } });
    connection = await connectAs(plane);
    writer = await clientAs(plane);
  }, CLUSTER_START);
  afterAll(async () => {
    connection?.client.close();
    writer?.close();
    await plane?.close();
  });

  test(`${CHANGES} random changes by another client`, { timeout: 600_000 }, async () => {
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

  test("ends when it is aborted, also while the first objects are read", async () => {
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

  /** Follows the cluster during `during`, which gets the last objects, by kind, version and name, and what could not be read. */
  const following = async (
    client: KubeClient,
    options: Partial<FollowClusterOptions>,
    during: (seen: () => Followed) => Promise<void>,
  ): Promise<void> => {
    let objects = new Map<string, JsonObject>();
    let findings: readonly string[] | undefined;
    const ended = new AbortController();
    const running = followCluster(client, {
      namespaces: [],
      signal: ended.signal,
      onState: (state) => {
        objects = new Map(state.objects.map((object) => [keyOf(object), object]));
        findings = state.findings.map(({ message }) => message);
      },
      onChanges: (changes) => {
        for (const change of changes) {
          if ("upsert" in change) objects.set(keyOf(change.upsert as JsonObject), change.upsert as JsonObject);
          else objects.delete(`${change.delete.kind} ${change.delete.namespace}/${change.delete.name}`);
        }
      },
      ...options,
    });
    try {
      await until(() => findings !== undefined);
      await during(() => ({ objects, findings: findings ?? [] }));
    } finally {
      ended.abort();
      await running;
    }
  };

  test("a policy kind that appears is followed, also in another version, and one that goes is dropped", () =>
    following(connection.client, {}, async (seen) => {
      const versionOf = (name: string): unknown => seen().objects.get(`FlavourPolicy default/${name}`)?.["apiVersion"];
      await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavourCrd("v1")));
      await untilEstablished(plane.kubectl);
      await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavour("v1", "sweet")));
      await until(() => versionOf("sweet") === "example.com/v1");
      await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavourCrd("v2", "v1")));
      await until(() => versionOf("sweet") === "example.com/v2");
      const path = "/apis/example.com/v2/namespaces/default/flavourpolicies/sweet";
      await writer.request({ method: "DELETE", path });
      await until(() => versionOf("sweet") === undefined);
      await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavour("v2", "sour")));
      await until(() => versionOf("sour") === "example.com/v2");
      await plane.kubectl(["delete", "crd", "flavourpolicies.example.com"]);
      await until(() => versionOf("sour") === undefined);
    }));

  test("an object of 1.5 MB is listed, watched, and listed again", async () => {
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavourCrd("v1")));
    await untilEstablished(plane.kubectl);
    const path = "/apis/example.com/v1/namespaces/default/flavourpolicies";
    // etcd takes 1.5 MiB at most.
    const large = (taste: string): JsonObject => flavour("v1", "large", taste.repeat(1_500_000));
    await writer.request({ method: "POST", path, body: large("s") });
    const tasteIn = (objects: Iterable<JsonObject>): string => {
      const found = [...objects].find((object) => keyOf(object) === "FlavourPolicy default/large");
      return (found?.["spec"] as { readonly taste?: string } | undefined)?.taste ?? "";
    };
    const isWhole = (text: string, taste: string): boolean => text.length === 1_500_000 && text.endsWith(taste);
    await following(connection.client, {}, async (seen) => {
      expect(isWhole(tasteIn(seen().objects.values()), "s")).toBe(true);
      const merge = { method: "PATCH", contentType: "application/merge-patch+json" } as const;
      await writer.request({ ...merge, path: `${path}/large`, body: { spec: large("t")["spec"] ?? {} } });
      await until(() => isWhole(tasteIn(seen().objects.values()), "t"));
    });
    const { objects } = await readCluster(connection.client, { namespaces: [] });
    expect(isWhole(tasteIn(objects), "t")).toBe(true);
    await plane.kubectl(["delete", "crd", "flavourpolicies.example.com"]);
  });

  test("past a number of watches, namespaces are polled, and that is a finding; rights that are given later are used", async () => {
    const namespaces = ["one", "two", "three", "four"];
    for (const name of namespaces) await plane.kubectl(["create", "namespace", name]);
    await plane.kubectl(["create", "clusterrole", "reads-services", "--verb=list,watch", "--resource=services"]);
    const binding = ["--clusterrole=reads-services", "--user=ana"];
    for (const name of namespaces) await plane.kubectl(["create", "rolebinding", "ana", ...binding, "-n", name]);
    const ana = await clientAs(plane, "ana");
    const options = { namespaces, maxWatches: 2, pollMs: 100, askAgainMs: 100 };
    await following(ana, options, async (seen) => {
      const polled = "services in 2 namespaces: these are read every 0.1 s";
      expect(seen().findings.join("\n")).toContain(`the latest changes of ${polled}`);
      const create = (name: string): Promise<string> =>
        plane.kubectl(["create", "service", "clusterip", "oven", "--clusterip=None", "-n", name]);
      for (const name of namespaces) await create(name);
      await until(() => namespaces.every((name) => seen().objects.has(`Service ${name}/oven`)));
      await plane.kubectl(["delete", "service", "oven", "-n", "four"]);
      await until(() => !seen().objects.has("Service four/oven"));
      await plane.kubectl(["create", "clusterrolebinding", "ana", ...binding]);
      await until(() => !seen().findings.join("\n").includes("services"));
      await plane.kubectl(["create", "service", "clusterip", "mill", "--clusterip=None", "-n", "default"]);
      await until(() => seen().objects.has("Service default/mill"));
    });
    ana.close();
  });
});

interface Followed {
  readonly objects: ReadonlyMap<string, JsonObject>;
  readonly findings: readonly string[];
}

const keyOf = (object: JsonObject): string => {
  const { kind, metadata } = object as unknown as { kind: string; metadata: { namespace?: string; name: string } };
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
};

/** A policy kind with a version that is served and stored, and one that is not any more. */
function flavourCrd(served: string, gone?: string): JsonObject {
  const labels = { "gateway.networking.k8s.io/policy": "Inherited" };
  const names = { kind: "FlavourPolicy", plural: "flavourpolicies" };
  const crd = customResourceDefinition({ ...names, labels, spec: anySpec, version: served });
  if (gone === undefined) return crd;
  const spec = crd["spec"] as JsonObject & { readonly versions: readonly JsonObject[] };
  const versions = spec.versions.flatMap((one) => [one, { ...one, name: gone, served: false, storage: false }]);
  return { ...crd, spec: { ...spec, versions } };
}
const flavour = (version: string, name: string, taste = name): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: "FlavourPolicy",
  metadata: { name, namespace: "default" },
  spec: { targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "g-0" }], taste },
});

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

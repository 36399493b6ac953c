import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeFileSystem } from "../../src/adapters/files/node-file-system.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/model/json.ts";
import { compareText } from "../../src/core/model/refs.ts";
import { loadDocuments } from "../../src/sources/load-documents.ts";
import { type CliResult, runCli } from "../support/cli/run-cli.ts";
import { type ControlPlane, kubeconfigText, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";

const parts = await findKubernetes();

describe.skipIf(parts === undefined)("the bakery in a cluster", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, { users: { ana: [], carl: [] } });
    await applyBakery(plane);
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(rightsOfAna));
  }, 300_000);
  afterAll(async () => {
    await plane?.close();
  });

  const inCluster = (line: string, kubeconfig = plane.kubeconfig): Promise<CliResult> =>
    runCli(`${line} --kubeconfig ${kubeconfig}`);
  const kubeconfigOf = (user: string, namespace?: string): string => {
    const file = join(plane.folder, `kubeconfig-${user}`);
    const { server, authority } = plane;
    const named = namespace === undefined ? {} : { namespace };
    writeFileSync(file, kubeconfigText({ server, authority, token: plane.token(user), ...named }));
    return file;
  };

  test.each([
    "explain httproute/baker -n bakery",
    "explain gateway/prod -n infra",
    "explain service/oven -n bakery",
    "explain httproute/counter -n shop",
    "reach retrypolicy/friday-fix -n infra",
    "reach authpolicy/front-door -n infra",
    "plan --delete retrypolicy/friday-fix -n infra",
    "plan --delete authpolicy/front-door -n infra",
    "get policies -A",
    "get effective -A",
    "how httproute/baker#order retry.attempts=0 -n bakery",
    "trace GET http://baker.bakery.example/menu",
    "status -A",
  ])("%s says the same as on files", async (line) => {
    const [fromFiles, fromCluster] = [
      await runCli(`${line} -o json -f examples/bakery --complete`),
      await inCluster(`${line} -o json`),
    ];
    expect(fromCluster.stderr).toBe("");
    expect(comparable(JSON.parse(fromCluster.stdout) as Json)).toEqual(
      comparable(JSON.parse(fromFiles.stdout) as Json),
    );
  });

  test("the namespace of the context is the default, as for kubectl; -A is all", async () => {
    const shop = kubeconfigOf("admin", "shop");
    const names = async (line: string): Promise<string> => (await inCluster(`${line} -o name`, shop)).stdout;
    expect(await names("get policies")).not.toContain("friday-fix");
    expect(await names("get policies -A")).toContain("friday-fix");
    expect(await names("explain httproute/counter")).toContain("retrypolicy");
  });

  test("plan --apply FILE against the live cluster", async () => {
    const { stdout, code } = await inCluster("plan --apply docs/guide/no-double-orders.yaml");
    expect(code).toBe(0);
    expect(stdout).toContain("RetryPolicy bakery/no-double-orders");
  });

  test("with rights in one namespace the answer is right as far as it goes, and says what is missing", async () => {
    const { stdout, code } = await inCluster("explain httproute/baker", kubeconfigOf("ana", "bakery"));
    expect(code).toBe(0);
    expect(stdout).toContain("RetryPolicy bakery/baker-retries");
    expect(stdout).not.toContain("friday-fix");
    const words = stdout.replaceAll(/\s+/g, " ");
    expect(words).toContain("list clusterretrypolicies.prevail.dev");
    expect(words).toContain("gatewayclasses.gateway.networking.k8s.io");
    expect(words).toContain("outside of namespace bakery, list backendtlspolicies");
    expect(words).not.toContain("with -f");
  });

  test.each<readonly [string, string, () => string, string]>([
    [
      "no rights at all",
      "get policies",
      () => `--kubeconfig ${kubeconfigOf("carl")}`,
      "may not list anything that is needed",
    ],
    [
      "a context that does not exist",
      "get policies",
      () => `--kubeconfig ${plane.kubeconfig} --context tset`,
      "there is no context 'tset'",
    ],
    [
      "files and a cluster",
      "get policies -f examples/bakery",
      () => "--context test",
      "--context is about a cluster, and -f about files: leave one of them out",
    ],
    [
      "a token that is not accepted",
      "get policies",
      () => `--kubeconfig ${badToken(plane)}`,
      "does not accept the credentials of the context 'test'",
    ],
    [
      "a server that is not there",
      "get policies",
      () => `--kubeconfig ${noServer(plane)}`,
      "cannot be reached: the connection is refused",
    ],
    [
      "another certificate authority",
      "get policies",
      () => `--kubeconfig ${otherAuthority(plane)}`,
      "has a certificate of an unknown authority",
    ],
  ])("one line, and no stack trace: %s", async (_, line, options, message) => {
    const { stdout, stderr, code } = await runCli(`${line} ${options()}`);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at |internal error/);
    expect([stdout, code === 0]).toEqual(["", false]);
  });
});

const write = (plane: ControlPlane, name: string, text: string): string => {
  const file = join(plane.folder, name);
  writeFileSync(file, text);
  return file;
};
const badToken = ({ server, authority, ...plane }: ControlPlane): string =>
  write({ server, authority, ...plane }, "bad-token", kubeconfigText({ server, authority, token: "wrong" }));
const noServer = (plane: ControlPlane): string =>
  write(plane, "no-server", kubeconfigText({ server: "https://127.0.0.1:1", authority: plane.authority, token: "t" }));
const otherAuthority = (plane: ControlPlane): string => {
  const authority = join("test", "support", "testdata", "tls", "tls.crt");
  return write(
    plane,
    "other-authority",
    kubeconfigText({ server: plane.server, authority: join(process.cwd(), authority), token: "t" }),
  );
};

/** What must be the same: everything but positions, creation times, and what is reported about missing files. */
function comparable(value: Json): Json {
  if (isJsonList(value)) {
    const items = value.filter((item) => !isPending(item)).map(comparable);
    // The values of a policy are in the order of its keys, which the API server sorts.
    return items.every((item) => isJsonObject(item) && typeof item["pointer"] === "string")
      ? items.sort((a, b) => compareText(pointerOf(a), pointerOf(b)))
      : items;
  }
  if (!isJsonObject(value)) return value;
  const left = Object.entries(value).filter(([key, item]) => !DIFFERENT.has(key) && !isDefault(key, item, value));
  return Object.fromEntries(left.map(([key, item]) => [key, comparable(item)]));
}
const pointerOf = (item: Json): string => JSON.stringify(isJsonObject(item) ? item["pointer"] : item);

/** The conditions that the CRD of Gateway gives an object without status. */
const isPending = (item: Json): boolean => isJsonObject(item) && item["reason"] === "Pending";

/** A parentRef of a status is written as the route has it; the API server has filled in its defaults. */
const isDefault = (key: string, item: Json, { name }: JsonObject): boolean =>
  name === "prod" &&
  ((key === "group" && item === "gateway.networking.k8s.io") || (key === "kind" && item === "Gateway"));

const DIFFERENT: ReadonlySet<string> = new Set([
  // Secrets of a cluster are not read, so that one does not exist is not known.
  "problems",
  "at",
  "source",
  "position",
  "file",
  "line",
  "column",
  "caveats",
  "creationTimestamp",
  "created",
  "resourceVersion",
  "observedGeneration",
]);

/** Applies the objects in the order of their age, a second apart, as creation times have whole seconds. */
async function applyBakery(plane: ControlPlane): Promise<void> {
  const { documents } = await loadDocuments(["examples/bakery"], nodeFileSystem(process.stdin));
  const objects = documents.flatMap(({ value }) => (isJsonObject(value) ? [value] : []));
  const dated = objects.map((object) => ({ object, created: createdOf(object) }));
  const namespaces = [...new Set(objects.map((object) => metadataOf(object).namespace ?? ""))].filter(
    (name) => name !== "",
  );
  const plain = dated.filter(({ created }) => created === "");
  await applyAll(plane, [...policyCrds, ...namespaces.map(namespaceObject)]);
  await plane.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  await applyAll(
    plane,
    plain.map(({ object }) => object),
  );
  const byAge = dated.filter(({ created }) => created !== "").sort((a, b) => (a.created < b.created ? -1 : 1));
  for (const { object } of byAge) {
    await sleep(1100);
    await applyAll(plane, [object]);
  }
}

const metadataOf = (object: JsonObject): { readonly namespace?: string; readonly creationTimestamp?: string } =>
  object["metadata"] as { namespace?: string; creationTimestamp?: string };
const createdOf = (object: JsonObject): string => metadataOf(object).creationTimestamp ?? "";
const namespaceObject = (name: string): JsonObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

const applyAll = (plane: ControlPlane, items: readonly JsonObject[]): Promise<string> =>
  plane.kubectl(
    ["apply", "-f", "-"],
    JSON.stringify({ apiVersion: "v1", kind: "List", items: items.map(withoutTime) }),
  );
const withoutTime = (object: JsonObject): JsonObject => {
  const { creationTimestamp: _, ...metadata } = metadataOf(object);
  return { ...object, metadata };
};

/** The bakery's own policy kinds, with no schema to speak of. */
const policyCrds = ["AuthPolicy", "RateLimitPolicy"].map((kind): JsonObject => {
  const plural = kind.toLowerCase().replace(/y$/, "ies");
  const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.policies.example.com` },
    spec: {
      group: "policies.example.com",
      scope: "Namespaced",
      names: { kind, plural },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  };
});

/** An application developer: everything in her namespace, nothing elsewhere. */
const rightsOfAna = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "ana", namespace: "bakery" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ana" }],
};

/** An API server that has just started. `test/cluster/live-watch.test.ts` and `status-faults.test.ts` have real ones. */
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PlainServer, startPlainServer } from "../../../test/support/kubernetes/plain-server.ts";
import { until } from "../../../test/support/kubernetes/until.ts";
import { isCompleteForAll } from "../../core/model/completeness.ts";
import { type ClusterState, followCluster } from "./follow-cluster.ts";

const KIND = { group: "prevail.dev", kind: "RetryPolicy" };
const NAME = "retrypolicies.prevail.dev";
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: NAME, resourceVersion: "2" },
  spec: {
    group: KIND.group,
    names: { kind: KIND.kind, plural: "retrypolicies" },
    scope: "Namespaced",
    versions: [{ name: "v1alpha1", served: true, storage: true }],
  },
  status: { conditions: [{ type: "Established", status: "True" }] },
};
const policy = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { namespace: "default", name: "p", resourceVersion: "3" },
  spec: {},
};
const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const initialEnd = line("BOOKMARK", {
  metadata: { resourceVersion: "5", annotations: { "k8s.io/initial-events-end": "true" } },
});

const groupOf = (name: string, version: string, resource: string, kind: string, scope: string): object => ({
  metadata: { name },
  versions: [
    {
      version,
      freshness: "Current",
      resources: [{ resource, responseKind: { kind }, scope, verbs: ["list", "watch"] }],
    },
  ],
});
const discoveryOf = (...items: readonly object[]): object => ({ kind: "APIGroupDiscoveryList", items });
const CRDS = groupOf("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", "Cluster");
const POLICIES = groupOf(KIND.group, "v1alpha1", "retrypolicies", KIND.kind, "Namespaced");

let server: PlainServer;
/** False: as long as the API server does not serve the kind of the CRD. */
let isServed = true;
let watches: { readonly path: string; readonly response: ServerResponse }[] = [];
const stop = { controller: new AbortController(), running: Promise.resolve() };
const states: ClusterState[] = [];
const troubles: string[] = [];

beforeEach(async () => {
  [isServed, watches] = [true, []];
  states.length = 0;
  troubles.length = 0;
  server = await startPlainServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
    const send = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (pathname === "/api") return send(200, discoveryOf(groupOf("", "v1", "namespaces", "Namespace", "Cluster")));
    if (pathname === "/apis") return send(200, isServed ? discoveryOf(CRDS, POLICIES) : discoveryOf(CRDS));
    const isPolicy = pathname.endsWith("/retrypolicies");
    if (isPolicy && !isServed)
      return send(404, { kind: "Status", code: 404, reason: "NotFound", message: "not found" });
    if (searchParams.get("watch") !== "1") return send(200, { items: [], metadata: { resourceVersion: "1" } });
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    watches.push({ path: pathname, response });
    const first = isPolicy ? policy : pathname.endsWith("/customresourcedefinitions") ? crd : undefined;
    if (searchParams.get("sendInitialEvents") === "true")
      response.write(`${first === undefined ? "" : line("ADDED", first)}${initialEnd}`);
  });
  stop.controller = new AbortController();
  stop.running = followCluster(server.client, {
    namespaces: [],
    signal: stop.controller.signal,
    onState: (state) => states.push(state),
    onChanges: () => undefined,
    onTrouble: (name, error) => troubles.push(`${name}: ${error === undefined ? "over" : "in trouble"}`),
  });
  await until(() => states.length === 1);
});
afterEach(async () => {
  stop.controller.abort();
  await stop.running;
  await server.close();
});

/** The watches of policies break, and new ones are refused. */
async function restart(): Promise<void> {
  isServed = false;
  for (const { path, response } of watches) if (path.endsWith("/retrypolicies")) response.destroy();
  await until(() => troubles.includes(`${NAME}: in trouble`));
}

const followed = ({ resources }: ClusterState): readonly string[] => resources.map(({ plural }) => plural);

test("an API server that does not serve a kind yet: its objects stay, and the trouble ends when it serves the kind", async () => {
  await restart();
  // Discovery is asked again, as the kind is not found.
  await until(() => states.length > 1);
  isServed = true;
  await until(
    () => troubles.at(-1) === `${NAME}: over`,
    () => troubles.join("\n"),
  );
  for (const state of states) {
    expect(followed(state)).toContain("retrypolicies");
    expect(state.objects).toContainEqual(expect.objectContaining({ kind: "RetryPolicy" }));
    expect(isCompleteForAll(state.completeness, KIND)).toBe(true);
  }
});

test("a kind that goes while it cannot be followed is no trouble any more", async () => {
  await restart();
  for (const { path, response } of watches)
    if (path.endsWith("/customresourcedefinitions") && !response.destroyed) response.write(line("DELETED", crd));
  await until(() => states.some((state) => !followed(state).includes("retrypolicies")));
  await until(
    () => troubles.filter((one) => one.startsWith(NAME)).at(-1) === `${NAME}: over`,
    () => troubles.join("\n"),
  );
});

test("discovery that failed once is no trouble any more when it succeeds", async () => {
  const { length } = states;
  const crds = watches.find(({ path }) => path.endsWith("/customresourcedefinitions"));
  crds?.response.write(line("MODIFIED", { ...crd, metadata: { ...crd.metadata, resourceVersion: "7" } }));
  await until(() => states.length > length);
  expect(troubles.at(-1)).toBe("discovery: over");
});

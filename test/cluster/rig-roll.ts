/**
 * A program for the rig: the Pods of the chart are replaced while objects are written, and then all at once. What could not be judged is refused, and the API server is slow, so that a
 * new replica is there for seconds before it has read the cluster. It prints what it saw as JSON.
 */
import type { JsonObject } from "../../src/core/model/json.ts";
import { brokenDefinition } from "../support/kubernetes/broken-definition.ts";
import { CHART, runHelm, valueArgs } from "../support/kubernetes/helm.ts";
import { until } from "../support/kubernetes/until.ts";
import { untilServed, VIEW_NAMESPACE } from "../support/kubernetes/view-replica.ts";
import { whileAsking } from "../support/kubernetes/while-asking.ts";
import { findRigParts } from "../support/rig/find-rig-parts.ts";
import { startRig } from "../support/rig/start-rig.ts";

const [helm = ""] = process.argv.slice(2);
const values = {
  mode: "observe",
  "image.repository": "registry.example/prevail",
  "webhook.mode": "deny",
  "webhook.failurePolicy": "Fail",
};
const rig = await startRig(findRigParts());
const kubectl = (line: string): Promise<string> => rig.plane.kubectl(line.split(" "));
const inOurs = (line: string): Promise<string> => kubectl(`${line} -n ${VIEW_NAMESPACE}`);

const policy = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name: "load", namespace: "default" },
  spec: {
    targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "absent" }],
    defaults: { retry: { attempts: 2 } },
  },
};
/** `accepted`, or the message of the refusal. Nothing is stored. */
const create = (path: string, body: JsonObject): Promise<string> =>
  rig.client
    .request({ method: "POST", path: `/apis/prevail.dev/v1alpha1/${path}`, query: { dryRun: "All" }, body })
    .then(() => "accepted", String);
const createPolicy = (): Promise<string> => create("namespaces/default/retrypolicies", policy);
const createBroken = (): Promise<string> => create("policydefinitions", brokenDefinition);

interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready: boolean };
}
const list = async <Item>(path: string): Promise<readonly Item[]> =>
  (await rig.client.request({ path }))["items"] as unknown as readonly Item[];

interface PodStatus {
  readonly podIP?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}
/** The addresses of the Pods that run and are not ready. */
async function unreadyPods(): Promise<readonly string[]> {
  const pods = await list<{ readonly status: PodStatus }>(`/api/v1/namespaces/${VIEW_NAMESPACE}/pods`);
  return pods.flatMap(({ status: { podIP, conditions = [] } }) =>
    conditions.some(({ type, status }) => type === "Ready" && status === "False") ? (podIP ?? []) : [],
  );
}
/** The addresses to which the Service of the view API and of the webhooks leads. */
async function ledAddresses(): Promise<ReadonlySet<string>> {
  const slices = await list<{ readonly metadata: JsonObject; readonly endpoints: readonly Endpoint[] | null }>(
    `/apis/discovery.k8s.io/v1/namespaces/${VIEW_NAMESPACE}/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dprevail-view`,
  );
  const ready = slices.flatMap(({ endpoints }) => (endpoints ?? []).filter(({ conditions }) => conditions.ready));
  return new Set(ready.flatMap(({ addresses }) => addresses));
}

/** What is found while something happens, for as long as it takes. */
async function during<Result>(
  happens: Promise<unknown>,
  look: () => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const found: Result[] = [];
  let isOver = false;
  const watching = (async (): Promise<void> => {
    while (!isOver) found.push(...(await look()));
  })();
  await happens.finally(() => {
    isOver = true;
  });
  await watching;
  return found;
}

/** Objects that are refused without having been judged, and those that pass. */
async function unjudged(): Promise<readonly string[]> {
  calls += 2;
  const [good, bad] = [await createPolicy(), await createBroken()];
  return [...(good === "accepted" ? [] : [good]), ...(bad.includes("BrokenDefinition") ? [] : [bad])];
}
let calls = 0;

/** Whether a replica has read the cluster; undefined if it does not respond. */
const hasRead = (address: string): Promise<boolean | undefined> =>
  fetch(`http://${address}:9904/readyz/webhook`, { signal: AbortSignal.timeout(2000) }).then(
    ({ status }) => status === 200,
    () => undefined,
  );
/** What is true of the replicas at this moment. */
async function replicaFacts(): Promise<readonly string[]> {
  const [led, unready] = [await ledAddresses(), await unreadyPods()];
  const [ofLed, ofUnready] = [await Promise.all([...led].map(hasRead)), await Promise.all(unready.map(hasRead))];
  return [
    ...(ofLed.includes(true) ? ["requests are led to a replica that has read the cluster"] : []),
    ...(ofLed.includes(false) ? ["requests are led to one that has not"] : []),
    ...(ofUnready.includes(false) ? ["one that has not waits"] : []),
  ];
}

const DISCOVERY = "/apis/view.prevail.dev/v1alpha1";
const readViews = (): Promise<string> => kubectl(`get --raw ${DISCOVERY}/effectivepolicies`);
const rolledOut = (): Promise<string> => inOurs("rollout status deployment prevail-controller --timeout=160s");

async function install(): Promise<void> {
  await kubectl(`create namespace ${VIEW_NAMESPACE}`);
  // The API server of the tests has the CRDs of deploy/crds, so the chart takes them over.
  const release = ["prevail", CHART, "--namespace", VIEW_NAMESPACE, "--take-ownership"];
  await runHelm(helm, ["install", ...release, ...valueArgs(values)], rig.plane);
  await rolledOut();
  await untilServed(rig.plane);
  await until(async () => (await unjudged()).length === 0);
}

/** Pods are replaced one after the other. */
async function roll(): Promise<object> {
  rig.apiServer.delay(800);
  await inOurs("rollout restart deployment prevail-controller");
  calls = 0;
  const done = rolledOut();
  const [some, more, facts, viewFailures] = await Promise.all([
    during(done, unjudged),
    during(done, unjudged),
    during(done, replicaFacts),
    whileAsking(readViews, async () => void (await done)),
  ]);
  return {
    unjudged: [...new Set([...some, ...more])],
    hasLoad: calls > 100,
    facts: [...new Set(facts)].sort(),
    viewFailures,
  };
}

/** All Pods end at once. Returns what a replica says when the API server reaches discovery again. */
async function outage(): Promise<object> {
  rig.apiServer.delay(2000);
  await inOurs("delete pods --all --wait=false");
  let readiness = "";
  await until(
    async () => {
      await kubectl(`get --raw ${DISCOVERY}`);
      const [address = ""] = await ledAddresses();
      readiness = await (await fetch(`http://${address}:9904/readyz`, { signal: AbortSignal.timeout(2000) })).text();
      return readiness.includes("is being read");
    },
    () => readiness,
  );
  return { readiness: readiness.trim() };
}

const errorOf = (error: unknown): object => ({ error: String(error) });
const run = async (): Promise<object> => {
  await install();
  return { roll: await roll().catch(errorOf), outage: await outage().catch(errorOf) };
};
const result = await run().catch(errorOf);
console.log(JSON.stringify(result));
process.exit(0);

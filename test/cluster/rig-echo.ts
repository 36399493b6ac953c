/** A program for the rig: Pods of a Deployment start, respond, log and end. It prints what it saw as JSON. */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/kubernetes/until.ts";
import { findRigParts } from "../support/rig/find-rig-parts.ts";
import { type Rig, startRig } from "../support/rig/start-rig.ts";

const metadata = { name: "echo", namespace: "default" };
const labels = { app: "echo" };
/** The Secret is created after the Deployment, and the Pods wait for it. */
const volumes = [{ name: "files", secret: { secretName: "echo-files" } }];
const container = {
  name: "echo",
  image: "registry.example/echo-basic:test",
  env: [
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
  ],
  volumeMounts: [{ name: "files", mountPath: "/etc/files" }],
};
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container], volumes } },
  },
};
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: { type: "LoadBalancer", selector: labels, ports: [{ port: 3000 }] },
};
const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { ...metadata, name: "echo-files" },
  stringData: { a: "b" },
};

async function run({ plane: { kubectl }, audit }: Rig): Promise<object> {
  const apply = (object: object): Promise<string> => kubectl(["apply", "-f", "-"], JSON.stringify(object));
  const read = async (kind: string, path: string): Promise<readonly string[]> =>
    (await kubectl(["get", kind, "-l", "app=echo", "-o", `jsonpath=${path}`]))
      .split(/\s+/)
      .filter((text) => text !== "");
  await apply(deployment);
  await apply({ ...service, metadata: { ...metadata, labels } });
  await until(async () => (await read("pods", "{.items[*].spec.nodeName}")).length === 2);
  const readyBefore = await read("pods", "{.items[*].status.podIP}");
  await apply(secret);
  await kubectl(["wait", "--for=condition=Available", "--timeout=120s", "deployment/echo"]);
  const endpoints = "{.items[*].endpoints[?(@.conditions.ready==true)].addresses[0]}";
  await until(async () => (await read("endpointslices", endpoints)).length === 2);
  const addresses = await read("endpointslices", endpoints);
  const pods = await Promise.all(addresses.map(askPod));
  const [name = ""] = pods;
  await until(async () => (await kubectl(["logs", name])).includes("/hello"));
  await until(async () => (await read("services", "{.items[*].status.loadBalancer.ingress[0].ip}")).length === 1);
  const [balanced = ""] = await read("services", "{.items[*].status.loadBalancer.ingress[0].ip}");
  await kubectl(["delete", "deployment", "echo"]);
  await until(async () => (await read("pods", "{.items[*].metadata.name}")).length === 0);
  const gone = await askPod(addresses[0] ?? "").catch(() => "no response");
  const writers = new Set(
    audit
      .writes()
      .filter(({ resource }) => resource === "pods/status")
      .map(({ user }) => user),
  );
  return {
    readyBefore,
    pods: pods.length,
    distinct: new Set(pods).size,
    isBalanced: addresses.includes(balanced),
    gone,
    writers: [...writers],
  };
}

/** The name of the Pod that responds. */
async function askPod(address: string): Promise<string> {
  const response = await fetch(`http://${address}:3000/hello`, { signal: AbortSignal.timeout(5000) });
  return String(((await response.json()) as { readonly pod?: string }).pod);
}

const result = await run(await startRig(findRigParts())).catch((error: unknown) => ({ error: String(error) }));
console.log(JSON.stringify(result));
await sleep(0);
process.exit(0);

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { KubeClient } from "../src/adapters/cluster/client/kube-client.ts";
import { createObject } from "../src/adapters/cluster/client/object-requests.ts";
import { type ApiResource, resourcePath } from "../src/adapters/cluster/client/resource.ts";
import { watchObjects } from "../src/adapters/cluster/client/watch-objects.ts";
import { loadCluster } from "../src/sources/cluster/load-cluster.ts";
import { readCluster } from "../src/sources/cluster/read-cluster.ts";
import { clientAs, connectAs } from "../test/support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../test/support/kubernetes/control-plane.ts";
import { findKubernetes } from "../test/support/kubernetes/find-kubernetes.ts";
import type { BenchContext } from "./bench-context.ts";
import {
  createGateways,
  createRoutes,
  forEachAtOnce,
  namespaceOf,
  POLICIES,
  ROUTES,
  retryPolicy,
} from "./cluster-objects.ts";
import { median, quantile } from "./measure.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const MB = 1024 * 1024;
const RUNS = 5;
const CHANGES = 60;
const BURST = 2000;
/** The heap that a container of 256 MB leaves. */
const SMALL_HEAP_MB = 192;

/** A live cluster: how fast it is read and followed, against the API server itself in the same run, and the heap that it takes. */
export async function bench(context: BenchContext): Promise<void> {
  const parts = await findKubernetes();
  if (parts === undefined) throw new Error("the cluster bench needs kube-apiserver");
  const built = spawnSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { cwd: root, stdio: "inherit" });
  if (built.status !== 0) throw new Error("the program does not build");
  const plane = await startControlPlane(parts);
  const client = await clientAs(plane);
  try {
    await createGateways(client);
    let routes = 0;
    for (const size of context.sizes([1000, 10_000])) {
      await createRoutes(client, routes, size);
      routes = size;
      const name = `${size.toLocaleString("en")} routes`;
      await benchReading(context, name, plane, client);
      await benchChanges(context, name, plane, client);
      await benchHeap(context, name, plane, client, size);
    }
  } finally {
    client.close();
    await plane.close();
  }
}

/** The times of one round: everything is measured in turns, so that the load of the machine is the same for all. */
interface ReadingTimes {
  readonly lists: number;
  readonly parse: number;
  readonly kubectl: number;
  readonly snapshot: number;
  readonly explain: number;
}

async function benchReading(
  context: BenchContext,
  name: string,
  plane: ControlPlane,
  client: KubeClient,
): Promise<void> {
  const { resources } = await readCluster(client, { namespaces: [] });
  const paths = [...resources, CRDS].map((resource) => resourcePath(resource));
  const rounds: ReadingTimes[] = [];
  for (let run = 0; run < RUNS; run++) {
    context.collectGarbage();
    rounds.push(await readingTimes(paths, plane, client));
  }
  const times = (key: keyof ReadingTimes): number => median(rounds.map((round) => round[key]));
  const report = (metric: string, value: number): void => context.report({ case: name, metric, value, unit: "ms" });
  report("lists of the API server, bytes only", times("lists"));
  report("JSON.parse of the lists", times("parse"));
  report("kubectl get --raw of the lists", times("kubectl"));
  report("first snapshot, evaluated", times("snapshot"));
  report("explain, real program", times("explain"));
  const ratio = { case: name, unit: "x" };
  const ratioOf = (of: (round: ReadingTimes) => number): number => median(rounds.map(of));
  context.report({
    ...ratio,
    metric: "first snapshot / (lists + JSON.parse)",
    value: ratioOf(({ snapshot, lists, parse }) => snapshot / (lists + parse)),
  });
  context.report({
    ...ratio,
    metric: "explain, real program / kubectl get --raw",
    value: ratioOf(({ explain, kubectl }) => explain / kubectl),
    bar: 2.5,
  });
}

const CRDS: Pick<ApiResource, "group" | "version" | "plural"> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
};

async function readingTimes(paths: readonly string[], plane: ControlPlane, client: KubeClient): Promise<ReadingTimes> {
  const texts: string[] = [];
  const lists = await elapsed(async () => {
    texts.push(...(await Promise.all(paths.map((path) => readBytes(client, path)))));
  });
  const parse = await elapsed(async () => {
    for (const text of texts) JSON.parse(text);
  });
  // Lists without objects would count for kubectl only: each is a process.
  const filled = paths.filter((_, index) => !(texts[index] ?? "").includes('"items":[]'));
  const kubectl = await elapsed(async () => {
    for (const path of filled) await plane.kubectl(["get", "--raw", path]);
  });
  const connection = await connectAs(plane);
  const snapshot = await elapsed(() => loadCluster(connection, { namespaces: [] }));
  connection.client.close();
  const line = ["dist/bin/prevail.js", "explain", "httproute/route-0", "-n", namespaceOf(0)];
  const explain = await elapsed(() => runProgram([...line, "--kubeconfig", plane.kubeconfig]));
  return { lists, parse, kubectl, snapshot, explain };
}

async function readBytes(client: KubeClient, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await client.stream({ path })) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function runProgram(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], { cwd: root, stdio: "ignore" });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${args[1]} ended with ${code}`))));
  });
}

/** From the request that creates a policy to its event in a watch of the server, and to the line that `get policies -w` prints. */
async function benchChanges(
  context: BenchContext,
  name: string,
  plane: ControlPlane,
  client: KubeClient,
): Promise<void> {
  const ended = new AbortController();
  const seen = new Map<string, number>();
  const watching = watchPolicies(client, seen, ended.signal);
  const follower = startFollower([
    "dist/bin/prevail.js",
    "get",
    "policies",
    "-A",
    "-w",
    "--kubeconfig",
    plane.kubeconfig,
  ]);
  await follower.until("policy-0");
  const server: number[] = [];
  const printed: number[] = [];
  for (let index = 1; index <= CHANGES; index++) {
    const policy = `new-${name.length}-${index}`;
    const started = performance.now();
    await createObject(client, POLICIES, retryPolicy(index, policy, 3));
    await follower.until(policy);
    printed.push(performance.now() - started);
    server.push((seen.get(policy) ?? Number.NaN) - started);
  }
  ended.abort();
  await follower.end("by a signal");
  await watching;
  const report = (metric: string, value: number): void => context.report({ case: name, metric, value, unit: "ms" });
  report("create → watch event, p50", median(server));
  report("create → seen by -w, p50", median(printed));
  report("create → seen by -w, p99", quantile(printed, 0.99));
  const ratios = printed.map((ms, index) => ms / (server[index] ?? Number.NaN));
  context.report({ case: name, metric: "seen by -w / watch event, p50", value: median(ratios), unit: "x" });
}

async function watchPolicies(client: KubeClient, seen: Map<string, number>, signal: AbortSignal): Promise<void> {
  const resource = { ...POLICIES, kind: "", isNamespaced: true, verbs: [], shortNames: [], hasStatus: true };
  try {
    for await (const event of watchObjects(client, resource, {
      resourceVersion: undefined,
      timeoutSeconds: 600,
      signal,
    })) {
      if (event.type === "BOOKMARK") continue;
      const { name } = event.object["metadata"] as { readonly name: string };
      seen.set(name, performance.now());
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The heap of a process that follows the cluster, and whether it survives many changes at once in a small heap. */
async function benchHeap(
  context: BenchContext,
  name: string,
  plane: ControlPlane,
  client: KubeClient,
  routes: number,
): Promise<void> {
  const program = fileURLToPath(new URL("./cluster-child.js", import.meta.url));
  const flags = ["--expose-gc", `--max-old-space-size=${SMALL_HEAP_MB}`];
  const follower = startFollower([...flags, program, plane.kubeconfig]);
  await follower.until("followed");
  const { idle, followed } = JSON.parse(follower.lines()[0] ?? "") as {
    readonly idle: number;
    readonly followed: number;
  };
  context.report({
    case: name,
    metric: "heap of a follower over an idle process",
    value: (followed - idle) / MB,
    unit: "MB",
    ...(routes >= 10_000 ? { bar: 100 } : {}),
  });
  const burst = Math.min(BURST, routes);
  await forEachAtOnce(0, burst, async (index) => {
    await client.request({
      method: "PATCH",
      path: resourcePath(ROUTES, namespaceOf(index), `route-${index}`),
      contentType: "application/merge-patch+json",
      body: { spec: { hostnames: [`burst-${name.length}-${index}.example`] } },
    });
  });
  await follower.until(`"objects":${burst}}`);
  const code = await follower.end("by its input");
  context.report({
    case: name,
    metric: `exit code after ${burst} changes at once with ${SMALL_HEAP_MB} MB of heap`,
    value: code ?? 1,
    unit: "",
    bar: 0,
  });
}

interface Follower {
  readonly lines: () => readonly string[];
  readonly until: (text: string) => Promise<void>;
  readonly end: (how: "by a signal" | "by its input") => Promise<number | null>;
}

/** A program that goes on until it is ended. */
function startFollower(args: readonly string[]): Follower {
  const child: ChildProcess = spawn(process.execPath, [...args], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  let wake = (): void => undefined;
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
    wake();
  });
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    wake();
  });
  return {
    lines: () => text.split("\n"),
    until: async (wanted) => {
      while (!text.includes(wanted)) {
        if (isClosed) throw new Error(`the program ended before it printed ${wanted}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    end: (how) => {
      if (how === "by a signal") child.kill("SIGTERM");
      else child.stdin?.write("end\n");
      return closed;
    },
  };
}

async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

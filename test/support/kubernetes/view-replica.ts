/** Replicas of the view API in this process, behind an APIService of a control plane. */
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { ControllerSettings } from "../../../src/cli/controller/settings.ts";
import { createPrinters } from "../../../src/cli/streams/create-printers.ts";
import type { CertificateTiming } from "../../../src/serve/controller/certificate-source.ts";
import { runController } from "../../../src/serve/controller/serve-controller.ts";
import { type ClusterConnection, connectCluster } from "../../../src/sources/cluster/load-cluster.ts";
import { testIo } from "../cli/test-io.ts";
import { findFreePorts } from "../gateway/find-free-ports.ts";
import { type ControlPlane, kubeconfigText } from "./control-plane.ts";
import { buildProgram, type ProgramProcess, startProgram } from "./program-process.ts";
import { until } from "./until.ts";

export interface ViewReplica {
  readonly port: number;
  /** What it printed. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
}

export const VIEW_NAMESPACE = "prevail-system";

/** Resolves when the replica listens. It has the rights that the manifest gives it. */
export async function startViewReplica(
  plane: ControlPlane,
  more: Partial<ControllerSettings> = {},
  timing?: CertificateTiming,
): Promise<ViewReplica> {
  const [port = 0] = await findFreePorts(1);
  const stop = new AbortController();
  const notes: string[] = [];
  const settings: ControllerSettings = {
    access: { kubeconfig: plane.kubeconfig },
    view: { host: "127.0.0.1", port },
    admin: undefined,
    service: { namespace: VIEW_NAMESPACE, name: "prevail-view" },
    secretName: "prevail-tls",
    certificateFiles: undefined,
    report: undefined,
    redactsNames: false,
    webhook: undefined,
    ...more,
  };
  const { errorPrint } = createPrinters(testIo().io);
  const running = runController(
    await connectAsController(plane),
    settings,
    {
      write: () => undefined,
      errorPrint,
      note: (message) => notes.push(message),
      fail: (message) => {
        notes.push(message);
        return 1;
      },
    },
    stop.signal,
    "test",
    timing,
  );
  await until(
    () => notes.some((note) => note.includes("is served at")),
    () => notes.join("\n"),
  );
  return {
    port,
    notes,
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

/** The built program as a replica. Resolves when it has read the cluster. */
export async function startViewProgram(plane: ControlPlane, port: number): Promise<ProgramProcess> {
  buildProgram();
  const own = ["--service", `${VIEW_NAMESPACE}/prevail-view`, "--secret", "prevail-tls"];
  const options = ["--listen", `127.0.0.1:${port}`, "--admin", "off", ...own];
  return startProgram(["controller", "--view-only", "--kubeconfig", await controllerKubeconfig(plane), ...options]);
}

/** A kubeconfig file of the ServiceAccount of the manifest. */
async function controllerKubeconfig(plane: ControlPlane): Promise<string> {
  const { server, authority, folder } = plane;
  const token = (await plane.kubectl(["create", "token", "prevail-controller", "-n", VIEW_NAMESPACE])).trim();
  const kubeconfig = join(folder, "kubeconfig-controller");
  writeFileSync(kubeconfig, kubeconfigText({ server, authority, token }), { mode: 0o600 });
  return kubeconfig;
}

const connectAsController = async (plane: ControlPlane): Promise<ClusterConnection> =>
  connectCluster({ kubeconfig: await controllerKubeconfig(plane), env: {}, isInteractive: false, version: "test" });

/** A port that passes each connection to one of the replicas in turns, as a Service does. */
export interface Balancer {
  readonly port: number;
  /** Leads to these ports from now on. Connections that are open are cut. */
  readonly use: (ports: readonly number[]) => void;
  /** Leads new connections to these ports. */
  readonly turnTo: (ports: readonly number[]) => void;
  readonly close: () => Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  let targets: readonly number[] = [];
  let turn = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const port = targets[turn++ % Math.max(targets.length, 1)];
    if (port === undefined) return void client.destroy();
    const upstream = connect({ host: "127.0.0.1", port });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    port: address.port,
    use: (ports) => {
      targets = ports;
      for (const socket of open) socket.destroy();
    },
    turnTo: (ports) => {
      targets = ports;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/**
 * Applies the manifest, but for what is about Pods: there is no kubelet here, and the Service leads to a port of this machine. Aggregated ClusterRoles are filled in by a
 * controller that does not run here, so the rights to the bakery's policy kinds are given directly.
 */
export async function installViewApi(plane: ControlPlane, port: number): Promise<void> {
  const manifest = readFileSync("deploy/manifests/observe.yaml", "utf8")
    .split(/^---$/m)
    .filter((document) => !/^kind: (Deployment|Service)$/m.test(document))
    .join("---")
    .replace("name: prevail-view, port: 443}", `name: prevail-view, port: ${port}}`);
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "prevail-view", namespace: VIEW_NAMESPACE },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
  };
  const policies = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "prevail-controller-policies" },
    rules: [{ apiGroups: ["policies.example.com"], resources: ["*"], verbs: ["list", "watch"] }],
  };
  const whole = manifest.split(/^---$/m).filter((document) => !document.includes("aggregationRule"));
  await plane.kubectl(
    ["apply", "-f", "-"],
    [...whole, ...[service, policies].map((one) => `\n${JSON.stringify(one)}\n`)].join("---"),
  );
}

const API_SERVICE = "v1alpha1.view.prevail.dev";
const VIEW_RESOURCES = 4;

/** Resolves when the API server reports the view API as available. */
export const untilAvailable = (plane: ControlPlane): Promise<string> =>
  plane.kubectl(["wait", "--for=condition=Available", "--timeout=100s", `apiservice/${API_SERVICE}`]);

/**
 * Resolves when all of the view API can be used through the API server, `kubectl get` and `kubectl explain` included. An API server that reports it as available may not have fetched its discovery and OpenAPI yet. After a failure it
 * fetches OpenAPI again a minute later, then two, four, …, and a second after the APIService has changed: docs/view-api.md, "Installation".
 */
export async function untilServed(plane: ControlPlane): Promise<void> {
  await untilAvailable(plane);
  let step = "";
  let round = 0;
  const isServed = async (): Promise<boolean> => {
    step = "touch";
    if (++round % 20 === 0) await touchApiService(plane, round);
    step = "api-resources";
    const listed = await plane.kubectl(["api-resources", "--api-group=view.prevail.dev", "-o", "name"]);
    if (listed.trim().split("\n").length !== VIEW_RESOURCES) return false;
    step = "get";
    await plane.kubectl(["get", "effectivepolicies", "-A"]);
    step = "/openapi/v3";
    return hasOpenApi(plane);
  };
  await until(isServed, () => `${step} `, 100);
}

/** Whether the API server has the OpenAPI document of the view API. */
async function hasOpenApi(plane: ControlPlane): Promise<boolean> {
  const path = "apis/view.prevail.dev/v1alpha1";
  const root = JSON.parse(await plane.kubectl(["get", "--raw", "/openapi/v3"])) as { paths: Record<string, unknown> };
  if (root.paths[path] === undefined) return false;
  return (await plane.kubectl(["get", "--raw", `/openapi/v3/${path}`])).includes(`"/${path}/effectivepolicies"`);
}

const touchApiService = (plane: ControlPlane, round: number): Promise<string> =>
  plane.kubectl(["annotate", "--overwrite", "apiservice", API_SERVICE, `prevail.dev/touched=${round}`]);

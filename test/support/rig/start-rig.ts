/** A whole cluster on one machine: a control plane, one node, and Pods that are processes. Runs in the namespaces that `scripts/rig.mjs` makes. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, copyFileSync, cpSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { KubeClient } from "../../../src/adapters/cluster/client/kube-client.ts";
import { type AuditLog, createAuditLog } from "../kubernetes/audit-log.ts";
import { connectAs } from "../kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../kubernetes/control-plane.ts";
import { startTcpRelay, type TcpRelay } from "../kubernetes/tcp-relay.ts";
import type { RigParts } from "./find-rig-parts.ts";
import { PodRunner } from "./pods/pod-runner.ts";
import type { PodPrograms } from "./pods/running-pod.ts";
import { createBridge, NODE_ADDRESS } from "./rig-network.ts";

export interface RigOptions {
  /** By default it has every write that the API server completes. */
  readonly audit?: AuditLog;
  /** Flags of the API server. */
  readonly flags?: readonly string[];
}

export interface Rig {
  readonly plane: ControlPlane;
  /** A client with the rights of an administrator. */
  readonly client: KubeClient;
  /** Between Pods and the API server. */
  readonly apiServer: TcpRelay;
  /** That of the options. */
  readonly audit: AuditLog;
  readonly folder: string;
  /** Runs a program beside the Pods: it reaches them, and the node's address is its own. The log is `NAME.log` in the folder. */
  readonly start: (name: string, program: string, args: readonly string[], env?: NodeJS.ProcessEnv) => RigProcess;
}

export interface RigProcess {
  readonly child: ChildProcess;
  readonly log: () => string;
  readonly ended: Promise<number | null>;
}

/** What a cluster needs for Deployments, Services and clean-up. No scheduler: the rig binds Pods. No node controller: it would taint a node without heartbeats. */
const CONTROLLERS = [
  "deployment-controller",
  "replicaset-controller",
  "endpointslice-controller",
  "namespace-controller",
  "garbage-collector-controller",
  "clusterrole-aggregation-controller",
  "serviceaccount-controller",
];

const WRITES = ["create", "update", "patch", "delete", "deletecollection"];

/** Must be process 1 of the namespaces. Nothing has to be closed: the kernel ends everything when this process ends. */
export async function startRig(parts: RigParts, options: RigOptions = {}): Promise<Rig> {
  const { audit = createAuditLog({ verbs: WRITES }), flags = [] } = options;
  endWithParent();
  createBridge();
  const plane = await startControlPlane(parts, {
    frontProxy: true,
    controllers: CONTROLLERS,
    // Its certificate is for the address at which Pods reach it, too.
    flags: ["--enable-aggregator-routing=true", `--advertise-address=${NODE_ADDRESS}`, ...audit.flags, ...flags],
  });
  const { client } = await connectAs(plane);
  const port = Number(new URL(plane.server).port);
  const apiServer = await startTcpRelay({ host: "127.0.0.1", port }, { host: NODE_ADDRESS, port });
  const folder = join(plane.folder, "rig");
  mkdirSync(folder);
  const runner = new PodRunner({
    client,
    apiServer: { host: NODE_ADDRESS, port, authority: readFileSync(plane.authority) },
    folder: join(folder, "pods"),
    programs: podPrograms(parts, join(folder, "programs")),
    log: (line) => process.env["PREVAIL_RIG_LOG"] === "true" && console.error(`rig: ${line}`),
  });
  await runner.start();
  return { plane, client, apiServer, audit, folder, start: (...args) => startBeside(folder, ...args) };
}

/** `scripts/rig.mjs` keeps standard input open while it lives. */
function endWithParent(): void {
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(1));
  process.stdin.on("error", () => process.exit(1));
}

const PREVAIL = "/opt/rig/prevail/dist/bin/prevail.js";

/** The programs of images, by the last part of their name. */
function podPrograms(parts: RigParts, folder: string): PodPrograms {
  mkdirSync(folder, { recursive: true });
  for (const path of [parts.echo, parts.envoy]) if (existsSync(path)) copyFileSync(path, join(folder, basename(path)));
  // The files that the Dockerfile copies.
  if (existsSync("dist/bin")) cpSync("dist/bin", join(folder, "prevail/dist/bin"), { recursive: true });
  cpSync("package.json", join(folder, "prevail/package.json"));
  return {
    folder,
    find: (image) => {
      if (/\/echo-basic(?:[:@]|$)/.test(image)) return { command: ["/opt/rig/echo-basic"], takesArguments: false };
      if (/(?:^|\/)envoy(?:[:@]|$)/.test(image)) return { command: ["/opt/rig/envoy"], takesArguments: true };
      if (/(?:^|\/)prevail(?:[:@]|$)/.test(image))
        return { command: [process.execPath, PREVAIL], takesArguments: true };
      return undefined;
    },
  };
}

function startBeside(
  folder: string,
  name: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): RigProcess {
  const path = join(folder, `${name}.log`);
  const output = openSync(path, "a");
  try {
    const child = spawn(program, [...args], { stdio: ["ignore", output, output], env });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("exit", resolve);
      child.once("error", reject);
    });
    ended.catch(() => undefined);
    return { child, log: () => readFileSync(path, "utf8"), ended };
  } finally {
    closeSync(output);
  }
}

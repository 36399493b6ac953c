/** The built controller as a process of its own, with the arguments of a rendered Deployment and the token of its ServiceAccount. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePorts } from "../gateway/find-free-ports.ts";
import type { ImageRoot } from "../image/image-root.ts";
import { type ControlPlane, kubeconfigText } from "./control-plane.ts";
import { type ProgramStart, startOf, startProgram } from "./program-process.ts";
import { VIEW_NAMESPACE } from "./view-replica.ts";

export interface ControllerProcess {
  /** Where the view API is, unless the arguments have `--listen=off`. */
  readonly port: number;
  readonly adminPort: number;
  /** Where the webhooks are, if the arguments have `--webhook`. */
  readonly webhookPort: number;
  /** What it logs. */
  readonly log: () => string;
  readonly metrics: () => Promise<string>;
  /** Sends SIGTERM and returns the exit code. */
  readonly close: () => Promise<number | null>;
}

/** Runs the built program to its end, and returns what it logs. Rejects if it fails. */
export const runProgram = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, ["dist/bin/prevail.js", ...args], { timeout: 120_000 })).stderr;

let started = 0;

/** Resolves when the controller has read the cluster. In a Pod its ports are those of the Deployment; here they are free ones. */
export async function startController(
  plane: ControlPlane,
  args: readonly string[],
  program?: string,
): Promise<ControllerProcess> {
  const kubeconfig = ["--kubeconfig", await serviceAccountKubeconfig(plane)];
  return start([...args, ...kubeconfig], program === undefined ? undefined : startOf(program));
}

/** Starts the controller in a container of the image, which finds the cluster as every Pod does. Kubernetes, "Accessing the API from within a Pod" */
export async function startContainer(
  plane: ControlPlane,
  args: readonly string[],
  { folder, command }: ImageRoot,
): Promise<ControllerProcess> {
  const { hostname, port } = new URL(plane.server);
  const secrets = join(folder, "var/run/secrets/kubernetes.io/serviceaccount");
  mkdirSync(secrets, { recursive: true });
  const files = {
    token: await tokenOf(plane),
    "ca.crt": readFileSync(plane.authority, "utf8"),
    namespace: VIEW_NAMESPACE,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(secrets, name), text, { mode: 0o644 });
  const environment = { PATH: process.env["PATH"], KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  return start(args, { command, environment });
}

async function start(args: readonly string[], how: ProgramStart | undefined): Promise<ControllerProcess> {
  const [port = 0, adminPort = 0, webhookPort = 0] = await findFreePorts(3);
  const listen = args.includes("--listen=off") ? [] : ["--listen", `127.0.0.1:${port}`];
  const ports = [...listen, "--admin", `127.0.0.1:${adminPort}`];
  const { log, close } = await startProgram([...args.map((arg) => atPort(arg, webhookPort)), ...ports], how);
  return {
    port,
    adminPort,
    webhookPort,
    log,
    metrics: async () => (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text(),
    close,
  };
}

/** The argument that says where the webhooks are has the port of the Pod. */
const atPort = (arg: string, port: number): string =>
  arg.startsWith("--webhook=") ? `--webhook=127.0.0.1:${port}` : arg;

/** A kubeconfig file with a token of the ServiceAccount, in its namespace. */
async function serviceAccountKubeconfig(plane: ControlPlane): Promise<string> {
  const { server, authority, folder } = plane;
  const token = await tokenOf(plane);
  const file = join(folder, `kubeconfig-controller-${++started}`);
  writeFileSync(file, kubeconfigText({ server, authority, token, namespace: VIEW_NAMESPACE }), { mode: 0o600 });
  return file;
}

const tokenOf = async (plane: ControlPlane): Promise<string> =>
  (await plane.kubectl(["create", "token", "prevail-controller", "-n", VIEW_NAMESPACE])).trim();

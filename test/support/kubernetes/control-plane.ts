/** etcd and kube-apiserver on the loopback, in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeAuthority, signCertificate } from "../../../src/adapters/certificates/make-certificates.ts";
import { findFreePorts } from "../gateway/find-free-ports.ts";
import type { KubernetesParts } from "./find-kubernetes.ts";
import { untilEstablished } from "./until.ts";

export interface ControlPlane {
  readonly server: string;
  /** The file of the server's certificate authority. */
  readonly authority: string;
  /** A kubeconfig file with the context `test` of an administrator. */
  readonly kubeconfig: string;
  readonly folder: string;
  /** The token of a user of `users`, or of `admin`. */
  readonly token: (user: string) => string;
  /** Runs kubectl as the administrator. Rejects with its output if it fails. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** Runs kubectl as the administrator. Resolves with both outputs: warnings are on standard error. */
  readonly kubectlBoth: (args: readonly string[], input?: string) => Promise<KubectlOutput>;
  /** Kills the API server and starts it again, on the same port with the same data. */
  readonly restart: () => Promise<void>;
  readonly etcdUrl: string;
  readonly close: () => Promise<void>;
}

export interface ControlPlaneOptions {
  /** Users beside the administrator, each with its groups. They have no rights of their own. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
  readonly flags?: readonly string[];
  readonly channel?: "standard" | "experimental";
  /** False: without the CRDs of `deploy/crds`. */
  readonly hasOwnKinds?: boolean;
  /** Certificates for the front proxy, so that the API server can serve aggregated APIs. */
  readonly frontProxy?: boolean;
  /** kube-controller-manager with these controllers: `namespace-controller`, `garbage-collector-controller`. */
  readonly controllers?: readonly string[];
}

export interface KubectlOutput {
  readonly out: string;
  readonly errors: string;
}

const START_DEADLINE_MS = 120_000;

export async function startControlPlane(
  parts: KubernetesParts,
  options: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), "prevail-cluster-"));
  const [clientPort = 0, peerPort = 0, securePort = 0] = await findFreePorts(3);
  const tokens = writeTokens(folder, options.users ?? {});
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(folder, "sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const server = `https://127.0.0.1:${securePort}`;
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const etcd = start(parts.etcd, etcdFlags(folder, clientPort, peerPort), join(folder, "etcd.log"));
  const proxyFlags = options.frontProxy === true ? await frontProxyFlags(folder) : [];
  const startServer = (): ChildProcess =>
    start(
      parts.apiserver,
      [...serverFlags(folder, etcdUrl, securePort), ...proxyFlags, ...(options.flags ?? [])],
      join(folder, "apiserver.log"),
    );
  let apiserver = startServer();
  const authority = join(folder, "certs", "apiserver.crt");
  let controllerManager: ChildProcess | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([
      controllerManager === undefined ? undefined : end(controllerManager),
      end(apiserver),
      end(etcd),
    ]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const token = (user: string): string => {
    const found = tokens.get(user);
    if (found === undefined) throw new Error(`the control plane has no user '${user}'`);
    return found;
  };
  try {
    await untilReady(server, token("admin"), apiserver, join(folder, "apiserver.log"));
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigText({ server, authority, token: token("admin") }));
    // Another control plane may have had the same port, and kubectl keeps what it discovered there.
    const always = ["--kubeconfig", kubeconfig, "--cache-dir", join(folder, "kubectl-cache")];
    const kubectlBoth = (args: readonly string[], input?: string): Promise<KubectlOutput> =>
      run(parts.kubectl, [...always, ...args], input);
    const kubectl = async (args: readonly string[], input?: string): Promise<string> =>
      (await kubectlBoth(args, input)).out;
    const foreign = join(parts.crds, options.channel ?? "experimental");
    await applyCrds(kubectl, options.hasOwnKinds === false ? [foreign] : [foreign, "deploy/crds"]);
    if (options.controllers !== undefined)
      controllerManager = start(
        parts.controllerManager,
        managerFlags(kubeconfig, options.controllers),
        join(folder, "controller-manager.log"),
      );
    return {
      server,
      authority,
      kubeconfig,
      folder,
      token,
      kubectl,
      kubectlBoth,
      etcdUrl,
      restart: async () => {
        await end(apiserver);
        apiserver = startServer();
        await untilReady(server, token("admin"), apiserver, join(folder, "apiserver.log"));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export function kubeconfigText({
  server,
  authority,
  token,
  namespace,
}: {
  server: string;
  authority: string;
  token: string;
  namespace?: string;
}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority": authority } }],
    users: [{ name: "test", user: { token } }],
    contexts: [
      { name: "test", context: { cluster: "test", user: "test", ...(namespace === undefined ? {} : { namespace }) } },
    ],
    "current-context": "test",
  });
}

/** The CRDs of these folders. */
async function applyCrds(kubectl: ControlPlane["kubectl"], folders: readonly string[]): Promise<void> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => join(folder, file)),
  );
  await kubectl(["apply", "--server-side", ...files.flatMap((file) => ["-f", file])]);
  await untilEstablished(kubectl);
}

function writeTokens(folder: string, users: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  const all: Readonly<Record<string, readonly string[]>> = { ...users, admin: ["system:masters"] };
  const tokens = new Map(Object.keys(all).map((user) => [user, randomBytes(16).toString("hex")]));
  const lines = Object.entries(all).map(
    ([user, groups]) => `${tokens.get(user)},${user},${user},"${groups.join(",")}"`,
  );
  writeFileSync(join(folder, "tokens.csv"), `${lines.join("\n")}\n`, { mode: 0o600 });
  return tokens;
}

const etcdFlags = (folder: string, clientPort: number, peerPort: number): readonly string[] =>
  [
    ["--data-dir", join(folder, "etcd")],
    ["--unsafe-no-fsync"],
    ["--log-level", "warn"],
    ["--listen-client-urls", `http://127.0.0.1:${clientPort}`],
    ["--advertise-client-urls", `http://127.0.0.1:${clientPort}`],
    ["--listen-peer-urls", `http://127.0.0.1:${peerPort}`],
    ["--initial-advertise-peer-urls", `http://127.0.0.1:${peerPort}`],
    ["--initial-cluster", `default=http://127.0.0.1:${peerPort}`],
  ].flat();

const serverFlags = (folder: string, etcd: string, port: number): readonly string[] => [
  `--etcd-servers=${etcd}`,
  "--bind-address=127.0.0.1",
  `--secure-port=${port}`,
  "--advertise-address=127.0.0.1",
  "--endpoint-reconciler-type=none",
  `--cert-dir=${join(folder, "certs")}`,
  "--service-account-issuer=https://prevail.test",
  `--service-account-key-file=${join(folder, "sa.key")}`,
  `--service-account-signing-key-file=${join(folder, "sa.key")}`,
  `--token-auth-file=${join(folder, "tokens.csv")}`,
  "--authorization-mode=RBAC",
  "--service-cluster-ip-range=10.96.0.0/16",
  "--disable-admission-plugins=ServiceAccount",
];

const managerFlags = (kubeconfig: string, controllers: readonly string[]): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--controllers=${controllers.join(",")}`,
  // Each controller has the name and the rights that it has in other clusters.
  "--use-service-account-credentials=true",
  "--leader-elect=false",
  // The default limit of requests would be what a test waits for.
  "--kube-api-qps=200",
  "--kube-api-burst=400",
  "--bind-address=127.0.0.1",
  "--secure-port=0",
];

/** The files that make the API server a front proxy: `front-proxy-*.crt` and `.key`, with the common name `front-proxy-client`. */
async function frontProxyFlags(folder: string): Promise<readonly string[]> {
  const validity = { nowMs: Date.now(), days: 1 };
  const authority = await makeAuthority({ commonName: "front-proxy-ca", ...validity });
  const client = await signCertificate(authority, { commonName: "front-proxy-client", usage: "Client", ...validity });
  const files = {
    "front-proxy-ca.crt": authority.certificate,
    "front-proxy-ca.key": authority.privateKey,
    "front-proxy-client.crt": client.certificate,
    "front-proxy-client.key": client.privateKey,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return [
    `--requestheader-client-ca-file=${join(folder, "front-proxy-ca.crt")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-uid-headers=X-Remote-Uid",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${join(folder, "front-proxy-client.crt")}`,
    `--proxy-client-key-file=${join(folder, "front-proxy-client.key")}`,
  ];
}

function start(program: string, args: readonly string[], log: string): ChildProcess {
  const output = openSync(log, "a");
  try {
    return spawn(program, [...args], { stdio: ["ignore", output, output] });
  } finally {
    closeSync(output);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

async function untilReady(server: string, token: string, child: ChildProcess, log: string): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`kube-apiserver ended:\n${tailOf(log)}`);
    if ((await readyz(server, token)) === 200) return;
    await sleep(100);
  }
  throw new Error(`kube-apiserver is not ready after ${START_DEADLINE_MS / 1000} s:\n${tailOf(log)}`);
}

const tailOf = (log: string): string => readFileSync(log, "utf8").split("\n").slice(-20).join("\n");

function readyz(server: string, token: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const url = `${server}/readyz`;
    // The server makes its certificate when it starts, so there is nothing to compare it with yet.
    const sent = request(
      url,
      { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` }, timeout: 5000 },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => resolve(undefined));
    sent.end();
  });
}

function run(program: string, args: readonly string[], input?: string): Promise<KubectlOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { stdio: ["pipe", "pipe", "pipe"], timeout: 170_000 });
    let out = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString("utf8");
    });
    child.on("error", reject);
    // A program that ends before it has read its input reports why by its exit code.
    child.stdin.on("error", () => undefined);
    child.on("close", (status) =>
      status === 0 ? resolve({ out, errors }) : reject(new Error(`kubectl ${args.join(" ")} failed:\n${errors}${out}`)),
    );
    child.stdin.end(input ?? "");
  });
}

/** Makes etcd forget all versions but the newest, so that older ones are 410 Gone. */
export async function compactEtcd({ etcdUrl }: Pick<ControlPlane, "etcdUrl">): Promise<void> {
  const post = async (path: string, body: object): Promise<unknown> =>
    (await fetch(`${etcdUrl}${path}`, { method: "POST", body: JSON.stringify(body) })).json();
  const status = (await post("/v3/maintenance/status", {})) as { header: { revision: string } };
  await post("/v3/kv/compaction", { revision: status.header.revision, physical: true });
}

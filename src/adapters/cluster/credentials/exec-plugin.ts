import { spawn } from "node:child_process";
import { isJsonObject, type JsonObject, ownValue } from "../../../core/model/json.ts";
import { ClusterError } from "../cluster-error.ts";
import type { ExecPlugin, KubeCluster } from "../kubeconfig/kubeconfig.ts";
import type { ClientCertificate, CredentialOptions, Credentials } from "./credential-types.ts";
import { pemOf } from "./pem-of.ts";

const DEADLINE_MS = 60_000;
/** Credentials are asked for again a little before they expire, so that a request under way does not fail. */
const EARLY_MS = 10_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

interface PluginCredentials {
  readonly token: string | undefined;
  readonly certificate: ClientCertificate | undefined;
  readonly expiresMs: number;
}

/**
 * Credential plugins
 *
 * A program prints an ExecCredential with a token or a client certificate. It is run once, and again when what it printed expires or is refused.
 * Kubernetes, "client-go credential plugins"
 */
export function createExecCredentials(
  plugin: ExecPlugin,
  cluster: KubeCluster,
  options: CredentialOptions,
): Credentials {
  let known: Promise<PluginCredentials> | undefined;
  const read = async (): Promise<PluginCredentials> => {
    const current = await known?.catch(() => undefined);
    if (current !== undefined && current.expiresMs - EARLY_MS > Date.now()) return current;
    known = runPlugin(plugin, cluster, options);
    return known;
  };
  return {
    headers: async () => {
      const { token } = await read();
      return token === undefined ? {} : { authorization: `Bearer ${token}` };
    },
    certificate: async () => (await read()).certificate,
    renew: async () => {
      const before = await known?.catch(() => undefined);
      known = undefined;
      const after = await read();
      return after.token !== before?.token || after.certificate?.cert !== before?.certificate?.cert;
    },
  };
}

async function runPlugin(
  plugin: ExecPlugin,
  cluster: KubeCluster,
  options: CredentialOptions,
): Promise<PluginCredentials> {
  const { command, interactiveMode } = plugin;
  if (interactiveMode === "Always" && !options.isInteractive) {
    throw new ClusterError(`the credential plugin ${command} needs a terminal, and standard input is none`);
  }
  const interactive = options.isInteractive && interactiveMode !== "Never";
  const request = {
    apiVersion: plugin.apiVersion,
    kind: "ExecCredential",
    spec: { interactive, ...(plugin.provideClusterInfo ? { cluster: await clusterInfo(cluster) } : {}) },
  };
  const given = Object.fromEntries(plugin.env.map(({ name, value }) => [name, value]));
  const env = { ...options.env, ...given, KUBERNETES_EXEC_INFO: JSON.stringify(request) };
  const stdout = await outputOf(plugin, env, interactive);
  return parseCredential(stdout, plugin);
}

function outputOf(
  plugin: ExecPlugin,
  env: Readonly<Record<string, string | undefined>>,
  interactive: boolean,
): Promise<string> {
  const { command, args, installHint } = plugin;
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: unknown): void =>
      reject(
        new ClusterError(`the credential plugin ${command} ${reason}`, {
          hints: installHint === undefined ? [] : [installHint],
          cause,
        }),
      );
    const child = spawn(command, [...args], {
      env: { ...env },
      stdio: [interactive ? "inherit" : "ignore", "pipe", interactive ? "inherit" : "pipe"],
      timeout: DEADLINE_MS,
    });
    const out: Buffer[] = [];
    let size = 0;
    let errors = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) child.kill();
      else out.push(chunk);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      errors = `${errors}${chunk.toString("utf8")}`.slice(-2000);
    });
    child.on("error", (error) => fail(`cannot be started: ${error.message}`, error));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(out).toString("utf8"));
      const last = errors.trim().split("\n").at(-1) ?? "";
      fail(`failed with ${signal ?? `exit code ${code}`}${last === "" ? "" : `: ${last}`}`);
    });
  });
}

function parseCredential(stdout: string, { command, apiVersion }: ExecPlugin): PluginCredentials {
  const wrong = (reason: string): ClusterError =>
    new ClusterError(`the credential plugin ${command} printed ${reason}`);
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    throw wrong("something that is not JSON");
  }
  if (!isJsonObject(value) || value["kind"] !== "ExecCredential")
    throw wrong("something that is not an ExecCredential");
  if (value["apiVersion"] !== apiVersion)
    throw wrong(`apiVersion ${JSON.stringify(value["apiVersion"])}, expected ${apiVersion}`);
  const status = ownValue(value, "status");
  if (!isJsonObject(status)) throw wrong("an ExecCredential without status");
  const token = textOf(status, "token");
  const cert = textOf(status, "clientCertificateData");
  const key = textOf(status, "clientKeyData");
  if (token === undefined && (cert === undefined || key === undefined))
    throw wrong("neither a token nor a client certificate with its key");
  const expires = Date.parse(textOf(status, "expirationTimestamp") ?? "");
  return {
    token,
    certificate: cert === undefined || key === undefined ? undefined : { cert, key },
    expiresMs: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires,
  };
}

const textOf = (object: JsonObject, key: string): string | undefined => {
  const value = ownValue(object, key);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** The cluster, for plugins that ask for it (`provideClusterInfo`). */
async function clusterInfo(cluster: KubeCluster): Promise<object> {
  const authority =
    cluster.authority === undefined ? undefined : await pemOf(cluster.authority, "certificate authority");
  return {
    server: cluster.server,
    ...(cluster.tlsServerName === undefined ? {} : { "tls-server-name": cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(authority === undefined ? {} : { "certificate-authority-data": Buffer.from(authority).toString("base64") }),
    ...(cluster.proxyUrl === undefined ? {} : { "proxy-url": cluster.proxyUrl }),
    ...(cluster.execConfig === undefined ? {} : { config: cluster.execConfig }),
  };
}

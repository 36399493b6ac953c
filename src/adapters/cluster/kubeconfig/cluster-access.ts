/** The cluster to connect to, and the user: a context of a kubeconfig file with what the command line replaces, or the Pod's own service account. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { didYouMean } from "../../../core/model/words/did-you-mean.ts";
import { ClusterError } from "../cluster-error.ts";
import type { Impersonation, KubeCluster, KubeConfig, KubeUser } from "./kubeconfig.ts";

export interface ClusterAccess {
  /** The name of the context; `in-cluster` for a Pod's service account. */
  readonly context: string;
  readonly cluster: KubeCluster;
  readonly user: KubeUser;
  /** The namespace of the context. */
  readonly namespace: string;
  readonly impersonate: Impersonation | undefined;
}

/** The options of kubectl that choose another context or parts of one. */
export interface AccessOptions {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroups?: readonly string[];
}

const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

const NO_USER: KubeUser = {
  certificate: undefined,
  key: undefined,
  token: undefined,
  tokenFile: undefined,
  username: undefined,
  password: undefined,
  impersonate: undefined,
  exec: undefined,
  authProvider: undefined,
};

export function chooseAccess(
  config: KubeConfig,
  options: AccessOptions,
  env: Readonly<Record<string, string | undefined>>,
): ClusterAccess {
  const name = options.context ?? config.currentContext;
  if (name === undefined && options.cluster === undefined) {
    const inCluster = serviceAccountAccess(env, SERVICE_ACCOUNT_FOLDER);
    if (inCluster !== undefined) return { ...inCluster, impersonate: impersonationOf(options) };
    throw noContext(config);
  }
  const context = name === undefined ? undefined : config.contexts.get(name);
  if (name !== undefined && context === undefined) throw unknown("context", name, config.contexts, config);
  const clusterName = options.cluster ?? context?.cluster ?? "";
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined) throw unknown("cluster", clusterName, config.clusters, config);
  if (cluster.server === "") throw new ClusterError(`the cluster '${clusterName}' in ${filesOf(config)} has no server`);
  const userName = options.user ?? context?.user ?? "";
  const user = userName === "" ? NO_USER : config.users.get(userName);
  if (user === undefined) throw unknown("user", userName, config.users, config);
  const namespace = context?.namespace ?? "";
  return {
    context: name ?? clusterName,
    cluster,
    user,
    namespace: namespace === "" ? "default" : namespace,
    impersonate: impersonationOf(options) ?? user.impersonate,
  };
}

function impersonationOf({ as, asUid, asGroups = [] }: AccessOptions): Impersonation | undefined {
  if (as !== undefined) return { user: as, uid: asUid, groups: asGroups };
  if (asGroups.length > 0 || asUid !== undefined)
    throw new ClusterError("--as-group and --as-uid need --as: name a user to act as");
  return undefined;
}

/** Kubernetes, "Accessing the API from a Pod": the token rotates, so it is read from its file each time it may have changed. */
export function serviceAccountAccess(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): ClusterAccess | undefined {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  const tokenFile = join(folder, "token");
  if (host === undefined || port === undefined || !existsSync(tokenFile)) return undefined;
  const address = host.includes(":") ? `[${host}]` : host;
  return {
    context: "in-cluster",
    cluster: {
      server: `https://${address}:${port}`,
      authority: { file: join(folder, "ca.crt") },
      insecureSkipTlsVerify: false,
      tlsServerName: undefined,
      proxyUrl: undefined,
      execConfig: undefined,
    },
    user: { ...NO_USER, tokenFile },
    namespace: env["POD_NAMESPACE"] ?? "default",
    impersonate: undefined,
  };
}

function noContext(config: KubeConfig): ClusterError {
  const names = [...config.contexts.keys()];
  return names.length > 0
    ? new ClusterError(`no current context in ${filesOf(config)}`, {
        hints: [`Name one with --context: ${names.join(", ")}`],
      })
    : new ClusterError("no kubeconfig file has a context");
}

function unknown(what: string, name: string, known: ReadonlyMap<string, unknown>, config: KubeConfig): ClusterError {
  const names = [...known.keys()];
  const others = names.length === 0 ? [] : [`Known: ${names.slice(0, 20).join(", ")}`];
  return new ClusterError(`there is no ${what} '${name}' in ${filesOf(config)}${didYouMean(name, names)}`, {
    hints: others,
  });
}

const filesOf = ({ files }: KubeConfig): string => files.join(", ");

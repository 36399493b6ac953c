import { isForbidden } from "../../adapters/cluster/client/api-error.ts";
import { discoverResources } from "../../adapters/cluster/client/discover-resources.ts";
import { createKubeClient, type KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { getObject } from "../../adapters/cluster/client/object-requests.ts";
import { ClusterError } from "../../adapters/cluster/cluster-error.ts";
import { createCredentials } from "../../adapters/cluster/credentials/credentials.ts";
import {
  type AccessOptions,
  type ClusterAccess,
  chooseAccess,
} from "../../adapters/cluster/kubeconfig/cluster-access.ts";
import { loadKubeConfig } from "../../adapters/cluster/kubeconfig/load-kubeconfig.ts";
import { parseDocuments } from "../../adapters/files/parse-documents.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { kindId, type ObjectId, parseObjectId } from "../../core/model/refs.ts";
import { buildSource, type LoadedSource } from "../load-source.ts";
import { type ReadOptions, readCluster } from "./read-cluster.ts";

/** How a command reaches a cluster: kubectl's options and the environment. */
export interface ClusterOptions extends AccessOptions {
  readonly kubeconfig?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
  readonly version: string;
}

export interface ClusterConnection {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
}

/** Finds the cluster and the user's credentials. It sends nothing yet. */
export async function connectCluster(options: ClusterOptions): Promise<ClusterConnection> {
  const { env, isInteractive, version } = options;
  const config = await loadKubeConfig({ file: options.kubeconfig, env, parseYaml: parseKubeConfigYaml });
  const access = chooseAccess(config, options, env);
  const credentials = createCredentials(access, { env, isInteractive });
  return { access, client: createKubeClient(access, credentials, { env, userAgent: `prevail/${version}` }) };
}

/** The names in the kubeconfig files. */
export async function loadConfigNames({
  kubeconfig,
  env,
}: Pick<ClusterOptions, "kubeconfig" | "env">): Promise<
  Readonly<Record<"context" | "cluster" | "user", readonly string[]>>
> {
  const { contexts, clusters, users } = await loadKubeConfig({
    file: kubeconfig,
    env,
    parseYaml: parseKubeConfigYaml,
  });
  return { context: [...contexts.keys()], cluster: [...clusters.keys()], user: [...users.keys()] };
}

/** Reads the cluster once and evaluates what is in it. */
export async function loadCluster(
  { client, access }: ClusterConnection,
  { namespaces, ...options }: ReadOptions,
): Promise<LoadedSource> {
  const { objects, completeness, findings } = await readCluster(client, {
    ...options,
    namespaces: [...new Set([...namespaces, access.namespace])],
  });
  const source = await buildSource({
    documents: objects.map((value) => ({ value })),
    findings,
    locate: () => undefined,
    completeness,
    validated: true,
    origin: originOf(access),
    known: options.known,
  });
  return { ...source, loadWhole: (ids) => getWhole(client, ids) };
}

/** The objects as the cluster has them, with their managed fields. Objects that are gone, or may not be read one by one, are left out. */
export async function getWhole(
  client: KubeClient,
  ids: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, JsonObject>> {
  const { resources } = await discoverResources(client);
  const byKind = new Map(resources.map((resource) => [kindId(resource), resource]));
  const found = new Map<ObjectId, JsonObject>();
  await Promise.all(
    ids.map(async (id) => {
      const { group, kind, namespace, name } = parseObjectId(id);
      const resource = byKind.get(kindId({ group, kind }));
      if (resource === undefined) return;
      try {
        const object = await getObject(client, resource, { namespace, name });
        if (object !== undefined) found.set(id, object);
      } catch (error) {
        if (!isForbidden(error)) throw error;
      }
    }),
  );
  return found;
}

/** The name of what was read, for messages. */
export const originOf = ({ context }: ClusterAccess): string => `the cluster of the context '${context}'`;

function parseKubeConfigYaml(text: string, file: string): unknown {
  const { documents, findings } = parseDocuments(text, file);
  const mistake = findings.find(({ severity }) => severity === "error");
  if (mistake !== undefined) throw new ClusterError(`${file}:${mistake.line}: ${mistake.message}`);
  return documents[0]?.value;
}

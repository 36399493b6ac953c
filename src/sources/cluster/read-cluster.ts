/** Reads once everything of a cluster that an evaluation needs, with the rights of the user. */
import { type ApiError, isForbidden, isServerFailure } from "../../adapters/cluster/client/api-error.ts";
import { discoverResources } from "../../adapters/cluster/client/discover-resources.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { listObjects } from "../../adapters/cluster/client/list-objects.ts";
import { type ApiResource, resourceName } from "../../adapters/cluster/client/resource.ts";
import { ClusterError } from "../../adapters/cluster/cluster-error.ts";
import type { CompleteKind } from "../../core/model/completeness.ts";
import type { Finding } from "../../core/model/finding.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../core/model/json.ts";
import { compareText, type GroupKind, kindId } from "../../core/model/refs.ts";
import { chooseResources, keepRules, RULE_KINDS } from "./choose-resources.ts";

export interface ReadCluster {
  readonly objects: readonly JsonObject[];
  readonly resources: readonly ApiResource[];
  /** What was listed whole. */
  readonly completeness: readonly CompleteKind[];
  /** What could not be listed, each with the verb, the resource and the namespace. */
  readonly findings: readonly Finding[];
}

export interface ReadOptions {
  /** Where lists over all namespaces and the list of namespaces are forbidden, these are read. */
  readonly namespaces: readonly string[];
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReadProgress {
  readonly kinds: number;
  readonly allKinds: number;
  readonly objects: number;
}

/** More lists of single namespaces would be a burden for the server. The message names those that were read. */
const MAX_NAMESPACES = 200;

export async function readCluster(client: KubeClient, options: ReadOptions): Promise<ReadCluster> {
  const { resources, staleGroups } = await discoverResources(client, options.signal);
  const reader = new ClusterReader(client, options);
  const rules = await reader.readAll(
    resources.filter((one) => RULE_KINDS.some((rule) => kindId(rule) === kindId(one))),
  );
  const { chosen, absent } = chooseResources(resources, rules);
  const namespaceKind = chosen.filter(({ group, kind }) => group === "" && kind === "Namespace");
  const namespaces = await reader.readAll(namespaceKind);
  reader.useNamespaces(namespacesOf(namespaces, options.namespaces));
  const others = await reader.readAll(chosen.filter((one) => !namespaceKind.includes(one)));
  if (reader.isForbiddenEverywhere) throw noRights(client);
  return {
    objects: [...keepRules(rules, chosen), ...namespaces, ...others],
    resources: chosen,
    completeness: [...reader.completeness, ...completeAsAbsent(absent, staleGroups)],
    findings: [...reader.findings, ...forbiddenFindings(reader.forbidden), ...staleGroups.map(staleFinding)],
  };
}

class ClusterReader {
  readonly completeness: CompleteKind[] = [];
  readonly findings: Finding[] = [];
  readonly forbidden: ForbiddenResource[] = [];
  readonly #client: KubeClient;
  readonly #options: ReadOptions;
  #namespaces: readonly string[] = [];
  #listed = 0;
  readonly #progress = { kinds: 0, allKinds: 0, objects: 0 };

  constructor(client: KubeClient, options: ReadOptions) {
    this.#client = client;
    this.#options = options;
  }

  get isForbiddenEverywhere(): boolean {
    return this.#listed === 0 && this.forbidden.length > 0;
  }

  useNamespaces(namespaces: readonly string[]): void {
    this.#namespaces = namespaces;
  }

  async readAll(resources: readonly ApiResource[]): Promise<readonly JsonObject[]> {
    this.#progress.allKinds += resources.length;
    const lists = await Promise.all(resources.map((resource) => this.#read(resource)));
    return lists.flat();
  }

  async #read(resource: ApiResource): Promise<readonly JsonObject[]> {
    try {
      const items = await this.#list(resource, undefined);
      this.completeness.push({ group: resource.group, kind: resource.kind, namespaces: "All" });
      return items;
    } catch (error) {
      if (!isForbidden(error)) {
        if (!isServerFailure(error)) throw error;
        this.findings.push(unlistableFinding(resource, error));
        return [];
      }
      return resource.isNamespaced && this.#namespaces.length > 0
        ? await this.#readByNamespace(resource)
        : this.#refuse(resource, []);
    } finally {
      this.#progress.kinds++;
      this.#options.onProgress?.(this.#progress);
    }
  }

  async #readByNamespace(resource: ApiResource): Promise<readonly JsonObject[]> {
    const read: string[] = [];
    const lists = await Promise.all(
      this.#namespaces.map(async (namespace) => {
        try {
          const items = await this.#list(resource, namespace);
          read.push(namespace);
          return items;
        } catch (error) {
          if (!isForbidden(error)) throw error;
          return [];
        }
      }),
    );
    this.#refuse(resource, read);
    return lists.flat();
  }

  #refuse(resource: ApiResource, read: readonly string[]): readonly JsonObject[] {
    const sorted = [...read].sort(compareText);
    if (read.length > 0) this.completeness.push({ group: resource.group, kind: resource.kind, namespaces: sorted });
    this.forbidden.push({ resource, read: sorted });
    return [];
  }

  async #list(resource: ApiResource, namespace: string | undefined): Promise<readonly JsonObject[]> {
    let before = 0;
    const { items } = await listObjects(this.#client, resource, {
      namespace,
      signal: this.#options.signal,
      onPage: (count) => {
        this.#progress.objects += count - before;
        before = count;
        this.#options.onProgress?.(this.#progress);
      },
    });
    this.#listed++;
    return items;
  }
}

/** The namespaces that are read one by one where a list over all is forbidden: those of the cluster if they may be listed, else the given ones. */
export const namespacesOf = (objects: readonly JsonObject[], given: readonly string[]): readonly string[] =>
  (objects.length > 0 ? objects.map(nameOf) : given).slice(0, MAX_NAMESPACES);

/** A kind that the server does not have has no objects, unless its group does not respond. */
export const completeAsAbsent = (
  absent: readonly GroupKind[],
  staleGroups: readonly string[],
): readonly CompleteKind[] =>
  absent
    .filter(({ group }) => !staleGroups.includes(group))
    .map(({ group, kind }) => ({ group, kind, namespaces: "All" }));

/** A resource that the user may not list, but for some namespaces. */
export interface ForbiddenResource {
  readonly resource: Pick<ApiResource, "group" | "plural">;
  /** The namespaces in which it could be listed. */
  readonly read: readonly string[];
}

/** One finding for all resources that could be listed in the same namespaces. */
export function forbiddenFindings(forbidden: readonly ForbiddenResource[]): readonly Finding[] {
  const names = new Map<string, string[]>();
  for (const { resource, read } of forbidden) {
    const where =
      read.length === 0 ? "" : `outside of ${read.length === 1 ? "namespace" : "namespaces"} ${read.join(", ")}, `;
    names.set(where, [...(names.get(where) ?? []), resourceName(resource)]);
  }
  // Lists end in any order.
  const sorted = [...names].sort(([a], [b]) => compareText(a, b));
  return sorted.map(([where, resources]) => unread(`${where}list ${resources.sort(compareText).join(", ")}`));
}

const unread = (message: string, severity: Finding["severity"] = "info"): Finding => ({
  code: "UnreadableResource",
  severity,
  message,
});

/** The server responds, and cannot list the resource. */
export const unlistableFinding = (resource: Pick<ApiResource, "group" | "plural">, { message }: ApiError): Finding =>
  unread(`${resourceName(resource)} could not be listed: ${message}`, "error");

export const staleFinding = (group: string): Finding => unread(`the API group ${group}, which does not respond`);

export function noRights({ context, server }: KubeClient): ClusterError {
  return new ClusterError(`the user of the context '${context}' may not list anything that is needed at ${server}`, {
    hints: [
      "Ask for a role that may list Gateways, routes, Services and policies. To see your rights: kubectl auth can-i --list",
    ],
  });
}

function nameOf(object: JsonObject): string {
  const metadata = ownValue(object, "metadata");
  const name = isJsonObject(metadata) ? ownValue(metadata, "name") : undefined;
  return typeof name === "string" ? name : "";
}

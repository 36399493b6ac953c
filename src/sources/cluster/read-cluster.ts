/** Reads once everything of a cluster that an evaluation needs, with the rights of the user. */
import { isForbidden, isServerFailure } from "../../adapters/cluster/client/api-error.ts";
import { discoverResources } from "../../adapters/cluster/client/discover-resources.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { listObjects } from "../../adapters/cluster/client/list-objects.ts";
import { getObject } from "../../adapters/cluster/client/object-requests.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { trimObject } from "../../adapters/cluster/client/trim-object.ts";
import type { CompleteKind } from "../../core/model/completeness.ts";
import type { Finding } from "../../core/model/finding.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../core/model/json.ts";
import { compareText, isNamespace, kindId } from "../../core/model/refs.ts";
import type { KnownDefinitions } from "../../definitions/known-definitions.ts";
import { chooseResources, keepRules, kindsBehind, RULE_KINDS } from "./choose-resources.ts";
import {
  completeAsAbsent,
  type ForbiddenResource,
  forbiddenFindings,
  isCrdResource,
  noRights,
  staleFindings,
  unlistableFinding,
  unpublishedFindings,
  unservedFindings,
} from "./cluster-findings.ts";
import { findPolicyKinds, type PublishedKinds } from "./find-policy-kinds.ts";

export interface ReadCluster {
  readonly objects: readonly JsonObject[];
  readonly resources: readonly ApiResource[];
  /** Where a list over all namespaces is forbidden, these were read. */
  readonly namespaces: readonly string[];
  /** The kinds and namespaces that were listed whole. */
  readonly completeness: readonly CompleteKind[];
  /** Findings about resources that could not be listed, each with the verb, the resource and the namespace. */
  readonly findings: readonly Finding[];
}

export interface ReadOptions {
  /** Where lists over all namespaces and the list of namespaces are forbidden, these are read. */
  readonly namespaces: readonly string[];
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The definitions beside those of the cluster. */
  readonly known?: KnownDefinitions | undefined;
}

export interface ReadProgress {
  readonly kinds: number;
  readonly allKinds: number;
  readonly objects: number;
}

/** More lists of single namespaces would be a burden for the server. The message names those that were read. */
const MAX_NAMESPACES = 200;
/** Objects name namespaces whose objects name further ones. */
const MAX_ROUNDS = 4;

export async function readCluster(client: KubeClient, options: ReadOptions): Promise<ReadCluster> {
  const { resources, staleGroups } = await discoverResources(client, options.signal);
  const reader = new ClusterReader(client, options);
  const rules = await reader.readAll(
    resources.filter((one) => RULE_KINDS.some((rule) => kindId(rule) === kindId(one))),
  );
  const areCrdsRead = reader.collectForbidden().every(({ resource }) => !isCrdResource(resource));
  const published = areCrdsRead ? NOTHING_PUBLISHED : await findPolicyKinds(client, resources, options.signal);
  const { chosen, absent } = chooseResources(resources, rules, {
    policyKinds: published.policyKinds,
    known: options.known,
  });
  const namespaceKind = chosen.filter(isNamespace);
  const namespaces = await reader.readAll(namespaceKind);
  reader.useNamespaces(namespacesOf(namespaces, options.namespaces));
  const others = [...(await reader.readAll(chosen.filter((one) => !namespaceKind.includes(one))))];
  if (namespaces.length === 0) {
    others.push(...(await reader.readNamed(others)));
    for (const resource of namespaceKind) others.push(...(await reader.getNamespaces(resource)));
  }
  if (reader.isForbiddenEverywhere()) throw noRights(client);
  const behind = new Set(kindsBehind(resources, rules).map(kindId));
  return {
    objects: [...keepRules(rules, chosen), ...namespaces, ...others],
    resources: chosen,
    namespaces: reader.namespaces,
    completeness: [...reader.collectCompleteness(), ...completeAsAbsent(absent, staleGroups, behind)],
    findings: [
      ...reader.findings,
      ...forbiddenFindings(reader.collectForbidden()),
      ...staleFindings(staleGroups),
      ...unservedFindings(absent.filter((kind) => behind.has(kindId(kind)))),
      ...unpublishedFindings(published.unread),
    ],
  };
}

/** A resource that is read namespace by namespace, and the namespaces in which that is allowed. */
interface PartlyRead {
  readonly resource: ApiResource;
  readonly read: string[];
}

const NOTHING_PUBLISHED: PublishedKinds = { policyKinds: [], unread: [] };

class ClusterReader {
  readonly findings: Finding[] = [];
  readonly #whole: CompleteKind[] = [];
  readonly #refused: ForbiddenResource[] = [];
  /** Resources that are read namespace by namespace. */
  readonly #byNamespace: PartlyRead[] = [];
  readonly #client: KubeClient;
  readonly #options: ReadOptions;
  #namespaces: readonly string[] = [];
  #listed = 0;
  readonly #progress = { kinds: 0, allKinds: 0, objects: 0 };

  constructor(client: KubeClient, options: ReadOptions) {
    this.#client = client;
    this.#options = options;
  }

  isForbiddenEverywhere(): boolean {
    return this.#listed === 0 && this.collectForbidden().length > 0;
  }

  collectForbidden(): readonly ForbiddenResource[] {
    return [...this.#refused, ...this.#byNamespace];
  }

  collectCompleteness(): readonly CompleteKind[] {
    const partial = this.#byNamespace
      .filter(({ read }) => read.length > 0)
      .map(({ resource: { group, kind }, read }) => ({ group, kind, namespaces: read.toSorted(compareText) }));
    return [...this.#whole, ...partial];
  }

  get namespaces(): readonly string[] {
    return this.#namespaces;
  }

  useNamespaces(namespaces: readonly string[]): void {
    this.#namespaces = namespaces;
  }

  /** The namespaces are not known, but objects name others: the Gateway of a route is often in another one. They are read where that is allowed. */
  async readNamed(objects: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    for (let round = 0, next = objects; round < MAX_ROUNDS; round++) {
      const named = namespacesNamedBy(next).filter((one) => !this.#namespaces.includes(one));
      const added = named.slice(0, MAX_NAMESPACES - this.#namespaces.length);
      if (added.length === 0) break;
      this.#namespaces = [...this.#namespaces, ...added];
      next = (await Promise.all(this.#byNamespace.map((partial) => this.#readIn(partial, added)))).flat();
      found.push(...next);
    }
    return found;
  }

  /** A user with rights in a namespace may often get the Namespace itself, whose labels decide which Gateways accept its routes. */
  async getNamespaces(resource: ApiResource): Promise<readonly JsonObject[]> {
    const { signal } = this.#options;
    const found = await Promise.all(
      this.#namespaces.map(async (name) => {
        try {
          return await getObject(this.#client, resource, { name }, signal === undefined ? {} : { signal });
        } catch (error) {
          if (!isForbidden(error)) throw error;
          return undefined;
        }
      }),
    );
    return found.flatMap((object) => (object === undefined ? [] : [trimObject(object)]));
  }

  async readAll(resources: readonly ApiResource[]): Promise<readonly JsonObject[]> {
    this.#progress.allKinds += resources.length;
    const lists = await Promise.all(resources.map((resource) => this.#read(resource)));
    return lists.flat();
  }

  async #read(resource: ApiResource): Promise<readonly JsonObject[]> {
    try {
      const items = await this.#list(resource, undefined);
      this.#whole.push({ group: resource.group, kind: resource.kind, namespaces: "All" });
      return items;
    } catch (error) {
      if (!isForbidden(error)) {
        if (!isServerFailure(error)) throw error;
        this.findings.push(unlistableFinding(resource, error));
        return [];
      }
      return resource.isNamespaced && this.#namespaces.length > 0
        ? await this.#readByNamespace(resource)
        : this.#refuse(resource);
    } finally {
      this.#progress.kinds++;
      this.#options.onProgress?.(this.#progress);
    }
  }

  async #readByNamespace(resource: ApiResource): Promise<readonly JsonObject[]> {
    const partial: PartlyRead = { resource, read: [] };
    this.#byNamespace.push(partial);
    return this.#readIn(partial, this.#namespaces);
  }

  async #readIn({ resource, read }: PartlyRead, namespaces: readonly string[]): Promise<readonly JsonObject[]> {
    const lists = await Promise.all(
      namespaces.map(async (namespace) => {
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
    return lists.flat();
  }

  #refuse(resource: ApiResource): readonly JsonObject[] {
    this.#refused.push({ resource, read: [] });
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

/** The namespaces that the specs of objects name: of parents, backends and targets. */
function namespacesNamedBy(objects: readonly JsonObject[]): readonly string[] {
  const found = new Set<string>();
  const visit = (value: Json | undefined): void => {
    if (isJsonList(value)) for (const item of value) visit(item);
    if (!isJsonObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      if (key === "namespace" && typeof item === "string" && item !== "") found.add(item);
      else visit(item);
    }
  };
  for (const object of objects) visit(ownValue(object, "spec"));
  return [...found].sort(compareText);
}

function nameOf(object: JsonObject): string {
  const metadata = ownValue(object, "metadata");
  const name = isJsonObject(metadata) ? ownValue(metadata, "name") : undefined;
  return typeof name === "string" ? name : "";
}

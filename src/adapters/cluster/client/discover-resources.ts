/** The resources that the API server serves. Kubernetes, "API Discovery": the aggregated form where the server has it, else group by group. */
import { type JsonObject, objectsIn, ownValue, textAt, textsIn } from "../../../core/model/json.ts";
import type { KubeClient } from "./kube-client.ts";
import type { ApiResource } from "./resource.ts";

export interface Discovery {
  /** Each kind once, in the version that the server prefers. */
  readonly resources: readonly ApiResource[];
  /** Groups whose resources are not known now: the server that serves them does not respond. They have not gone. */
  readonly staleGroups: readonly string[];
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

export async function discoverResources(client: KubeClient, signal?: AbortSignal): Promise<Discovery> {
  const options = { accept: AGGREGATED, ...(signal === undefined ? {} : { signal }) };
  const [core, groups] = await Promise.all([
    client.request({ path: "/api", ...options }),
    client.request({ path: "/apis", ...options }),
  ]);
  if (groups["kind"] === "APIGroupDiscoveryList") return readAggregated([core, groups]);
  return readPlain(client, groups, signal);
}

function readAggregated(lists: readonly JsonObject[]): Discovery {
  const resources = new Map<string, ApiResource>();
  const staleGroups = new Set<string>();
  for (const group of lists.flatMap((list) => objectsIn(ownValue(list, "items")))) {
    const name = textAt(ownValue(group, "metadata"), "name");
    for (const version of objectsIn(ownValue(group, "versions"))) {
      if (textAt(version, "freshness") === "Stale") staleGroups.add(name);
      for (const resource of objectsIn(ownValue(version, "resources"))) {
        const kind = textAt(ownValue(resource, "responseKind"), "kind");
        const subresources = objectsIn(ownValue(resource, "subresources")).map((one) => textAt(one, "subresource"));
        addOnce(resources, {
          group: name,
          kind,
          version: textAt(version, "version"),
          plural: textAt(resource, "resource"),
          isNamespaced: textAt(resource, "scope") === "Namespaced",
          verbs: textsIn(ownValue(resource, "verbs")),
          shortNames: [textAt(resource, "singularResource"), ...textsIn(ownValue(resource, "shortNames"))].filter(
            (one) => one !== "",
          ),
          hasStatus: subresources.includes("status"),
        });
      }
    }
  }
  return { resources: [...resources.values()], staleGroups: [...staleGroups] };
}

/** Servers before 1.30. A group that does not respond is stale; the others count. */
async function readPlain(client: KubeClient, groups: JsonObject, signal: AbortSignal | undefined): Promise<Discovery> {
  const resources = new Map<string, ApiResource>();
  const staleGroups: string[] = [];
  const versions = objectsIn(ownValue(groups, "groups")).flatMap((group) => {
    const preferred = textAt(ownValue(group, "preferredVersion"), "version");
    const all = objectsIn(ownValue(group, "versions")).map((one) => textAt(one, "version"));
    return [preferred, ...all.filter((one) => one !== preferred)].map((version) => ({
      group: textAt(group, "name"),
      version,
    }));
  });
  const lists = await Promise.all(
    [{ group: "", version: "v1" }, ...versions].map(async ({ group, version }) => {
      const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      try {
        return { group, version, list: await client.request({ path, ...(signal === undefined ? {} : { signal }) }) };
      } catch {
        return { group, version, list: undefined };
      }
    }),
  );
  for (const { group, version, list } of lists) {
    if (list === undefined) staleGroups.push(group);
    else readResourceList(resources, list, { group, version });
  }
  return { resources: [...resources.values()], staleGroups: [...new Set(staleGroups)] };
}

function readResourceList(
  resources: Map<string, ApiResource>,
  list: JsonObject,
  { group, version }: { readonly group: string; readonly version: string },
): void {
  const all = objectsIn(ownValue(list, "resources"));
  const names = new Set(all.map((one) => textAt(one, "name")));
  for (const resource of all) {
    const plural = textAt(resource, "name");
    if (plural.includes("/")) continue;
    addOnce(resources, {
      group,
      version,
      kind: textAt(resource, "kind"),
      plural,
      isNamespaced: ownValue(resource, "namespaced") === true,
      verbs: textsIn(ownValue(resource, "verbs")),
      shortNames: [textAt(resource, "singularName"), ...textsIn(ownValue(resource, "shortNames"))].filter(
        (one) => one !== "",
      ),
      hasStatus: names.has(`${plural}/status`),
    });
  }
}

/** The first version that has a kind is the preferred one. */
function addOnce(resources: Map<string, ApiResource>, resource: ApiResource): void {
  const key = `${resource.group}/${resource.plural}`;
  if (resource.kind !== "" && !resources.has(key)) resources.set(key, resource);
}

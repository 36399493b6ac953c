/** Policy kinds of a cluster whose CRDs may not be listed: the API server publishes their schemas to every user. */
import { isServerFailure } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { isJsonObject, type JsonObject, objectsIn, ownValue } from "../../core/model/json.ts";
import { valueAtKeys } from "../../core/model/json-pointer.ts";
import { type GroupKind, kindId } from "../../core/model/refs.ts";
import { hasTargetField } from "./choose-resources.ts";

export interface PublishedKinds {
  /** Kinds whose spec has a field that GEP-713 uses for targets. */
  readonly policyKinds: readonly GroupKind[];
  /** API groups whose schemas could not be read. */
  readonly unread: readonly string[];
}

/** More documents would take longer than the lists themselves. */
const MAX_DOCUMENTS = 60;
const DEADLINE_MS = 20_000;

/**
 * Reads the schemas that the server publishes (Kubernetes, "OpenAPI V3") of the groups that are not its own. Labels of CRDs are not in
 * them, so only the fields of a kind show that it is a policy kind.
 */
export async function findPolicyKinds(
  client: KubeClient,
  resources: readonly ApiResource[],
  signal?: AbortSignal,
): Promise<PublishedKinds> {
  const listed = resources.filter(({ group, verbs }) => isExtension(group) && verbs.includes("list"));
  const served = new Set(listed.map(kindId));
  const documents = [...new Set(listed.map(({ group, version }) => `${group}/${version}`))];
  const unread = documents.slice(MAX_DOCUMENTS).map(groupOf);
  const found = await Promise.all(
    documents.slice(0, MAX_DOCUMENTS).map(async (name) => {
      try {
        const path = `/openapi/v3/apis/${name}`;
        const document = await client.request({
          path,
          deadlineMs: DEADLINE_MS,
          ...(signal === undefined ? {} : { signal }),
        });
        return policyKindsIn(document);
      } catch (error) {
        if (!isServerFailure(error)) throw error;
        unread.push(groupOf(name));
        return [];
      }
    }),
  );
  return { policyKinds: found.flat().filter((kind) => served.has(kindId(kind))), unread: [...new Set(unread)].sort() };
}

const groupOf = (name: string): string => name.split("/")[0] ?? "";

function policyKindsIn(document: JsonObject): readonly GroupKind[] {
  const schemas = valueAtKeys(document, ["components", "schemas"]);
  if (!isJsonObject(schemas)) return [];
  return Object.values(schemas).flatMap((schema) => {
    if (!isJsonObject(schema) || !hasTargetField(valueAtKeys(schema, ["properties", "spec", "properties"]))) return [];
    return objectsIn(ownValue(schema, "x-kubernetes-group-version-kind")).flatMap(({ group, kind }) =>
      typeof group === "string" && typeof kind === "string" ? [{ group, kind }] : [],
    );
  });
}

/** The groups of the API server itself have no policies of Gateway API. */
const OWN_GROUPS: ReadonlySet<string> = new Set(
  [
    "admissionregistration",
    "apiextensions",
    "apiregistration",
    "authentication",
    "authorization",
    "certificates",
    "coordination",
    "discovery",
    "events",
    "flowcontrol.apiserver",
    "internal.apiserver",
    "networking",
    "node",
    "rbac.authorization",
    "resource",
    "scheduling",
    "storage",
    "storagemigration",
  ].map((name) => `${name}.k8s.io`),
);

/** True for the groups of CRDs and of other extensions of the API server. */
export const isExtension = (group: string): boolean => group.includes(".") && !OWN_GROUPS.has(group);

/** Random clusters with objects of the kinds that definitions declare, and with fields that name policies of their kinds. */
import type { NamingField, PolicyDefinition } from "../../../src/core/model/definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/model/json.ts";
import type { GroupKind } from "../../../src/core/model/refs.ts";
import { namingAnnotation, policyGroup } from "./define-kind.ts";
import { kubeObject, namespaces } from "./random-topology.ts";

/** Objects of the kinds that the definition declares. Backends have the name that a random backendRef has. */
export const declaredObjects = ({ hierarchy, targeting }: PolicyDefinition): readonly JsonObject[] =>
  hierarchy.kinds.flatMap((kind) => {
    const workload = targeting.absent?.workloads?.find((one) => one.kind === kind.kind && one.group === kind.group);
    const apiVersion = kind.group === "" ? "v1" : `${kind.group}/v1`;
    const identity = { apiVersion, kind: kind.kind, name: "bucket" };
    const dressed = { labels: { team: "red", app: "x" } };
    const spec = workload === undefined ? {} : at(workload.labels.split("."), { team: "red", app: "x" });
    const scopes = kind.scope === "Cluster" ? [undefined] : namespaces;
    return scopes.map((namespace) => {
      const object = kubeObject({ ...identity, ...(namespace === undefined ? {} : { namespace }) }, dressed, {});
      return workload === undefined || workload.labels === "metadata.labels" ? object : { ...object, ...spec };
    });
  });

const at = ([key = "", ...rest]: readonly string[], value: Json): JsonObject => ({
  [key]: rest.length === 0 ? value : at(rest, value),
});

/** The object with references to the policies of a definition instead of those of test kinds, and to its backends. Its policies are valid. */
export function fittedTo({ policies, targeting, hierarchy }: PolicyDefinition, object: JsonObject): JsonObject {
  const { namedBy = [] } = targeting;
  const { annotation, separator } = namedBy.find((field) => field.annotation !== undefined) ?? {};
  const namesOf = (value: Json): Json =>
    separator === undefined && typeof value === "string" ? (value.split(",")[0] ?? value) : value;
  const [policy] = policies;
  const backend = hierarchy.links.find(({ via, path }) => via === "ChildRefs" && path === "backendRefs")?.to;
  const rename = (value: Json): Json => {
    if (isJsonList(value)) return value.map(rename);
    if (!isJsonObject(value)) return value;
    if (namedBy.length > 0 && value["group"] === policyGroup && typeof value["name"] === "string")
      return { ...value, group: policy.group, kind: policy.kind };
    if (backend !== undefined && value["kind"] === "Bucket")
      return { ...value, group: backend.group, kind: backend.kind };
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === namingAnnotation && annotation !== undefined ? [annotation, namesOf(inner)] : [key, rename(inner)],
      ),
    );
  };
  const spec = isJsonObject(object["spec"]) ? object["spec"] : {};
  if (policies.some(({ kind }) => kind === object["kind"])) {
    const { ref, refs, selectors } = targeting.fields;
    const fields: Readonly<Record<string, string>> = { targetRef: ref, targetRefs: refs, targetSelectors: selectors };
    const own = Object.entries(spec).map(([key, value]): readonly [string, Json] => [fields[key] ?? key, value]);
    const targets = own.filter(([key]) => Object.values(fields).includes(key));
    const needed = NEEDED[policy.kind];
    return {
      ...object,
      spec: needed === undefined ? Object.fromEntries(own) : { ...Object.fromEntries(targets), ...needed },
    };
  }
  const all = rename(named(object, spec, policy, namedBy));
  return isJsonObject(all) ? all : object;
}

/** The object, which names a policy if its kind names policies in a way that random objects rarely do. */
function named(object: JsonObject, spec: JsonObject, policy: GroupKind, namedBy: readonly NamingField[]): JsonObject {
  const field = namedBy.find(({ level }) => level.kind === object["kind"]);
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  if (field?.annotation !== undefined && metadata["annotations"] === undefined)
    return { ...object, metadata: { ...metadata, annotations: { [field.annotation]: "p1" } } };
  // A reference from a cluster-scoped object has a namespace.
  const parametersRef = { group: policy.group, kind: policy.kind, name: "p1", namespace: "a" };
  return field?.level.kind === "GatewayClass" ? { ...object, spec: { ...spec, parametersRef } } : object;
}

/** What the schema of a kind needs: only that is set beside the targets. */
const NEEDED: Readonly<Record<string, JsonObject>> = {
  BackendTLSPolicy: { validation: { hostname: "s.example.com", wellKnownCACertificates: "System" } },
};

/** The objects of the cluster, by identity. A document without a valid identity is absent. */
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { GroupKind, ObjectId, ObjectRef } from "../../src/core/model/refs.ts";
import { field, fieldAt, isMap, textField, unique } from "./json-value.ts";
import { gatewayClassKind, isClusterScoped, isSameKind, namespaceKind } from "./kind-table.ts";

export interface ClusterObject {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  readonly raw: JsonObject;
}

function objectIdOf({ group, kind, namespace, name }: ObjectRef): ObjectId {
  return `${kind}.${group}/${namespace}/${name}` as ObjectId;
}

export function clusterObject(ref: ObjectRef, raw: JsonObject): ClusterObject {
  return { id: objectIdOf(ref), ref, raw };
}

/** Every object once (the first of equal ids), plus the implied Namespaces and GatewayClasses. */
export function readObjects(
  raws: readonly JsonObject[],
  definitions: readonly PolicyDefinition[],
): readonly ClusterObject[] {
  const written = raws.flatMap((raw) => {
    const ref = readIdentity(raw, definitions);
    return ref === undefined ? [] : [clusterObject(ref, raw)];
  });
  const distinct = firstOfEachId(written);
  return firstOfEachId([...distinct, ...impliedObjects(distinct)]);
}

function firstOfEachId(objects: readonly ClusterObject[]): readonly ClusterObject[] {
  return objects.filter((object, i) => objects.findIndex(({ id }) => id === object.id) === i);
}

function readIdentity(raw: JsonObject, definitions: readonly PolicyDefinition[]): ObjectRef | undefined {
  const apiVersion = textField(raw, "apiVersion");
  const kind = textField(raw, "kind");
  const metadata = field(raw, "metadata");
  const name = textField(metadata, "name");
  if (!apiVersion || !kind || !name || !isMap(metadata)) return undefined;
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  if (isClusterScoped({ group, kind }, definitions)) return { group, kind, namespace: "", name };
  const namespace = field(metadata, "namespace") ?? "default";
  if (typeof namespace !== "string") return undefined;
  return { group, kind, namespace: namespace === "" ? "default" : namespace, name };
}

/** Namespaces and GatewayClasses that objects name are implied: they exist without a document. */
function impliedObjects(objects: readonly ClusterObject[]): readonly ClusterObject[] {
  const namespaces = objects.map(({ ref }) => ref.namespace).filter((name) => name !== "");
  const classes = objects
    .filter(({ ref }) => isSameKind(ref, { ...gatewayClassKind, kind: "Gateway" }))
    .map(({ raw }) => textField(field(raw, "spec"), "gatewayClassName") ?? "")
    .filter((name) => name !== "");
  const implied = (kind: GroupKind, name: string) => clusterObject({ ...kind, namespace: "", name }, {});
  return [
    ...unique(namespaces).map((name) => implied(namespaceKind, name)),
    ...unique(classes).map((name) => implied(gatewayClassKind, name)),
  ];
}

/** Adds the virtual objects, which exist because policies target them (GEP-713, "Targeting virtual types"). */
export function withVirtual(
  objects: readonly ClusterObject[],
  virtual: readonly ClusterObject[],
): readonly ClusterObject[] {
  return firstOfEachId([...objects, ...virtual, ...impliedObjects(virtual)]);
}

export function findObject(objects: readonly ClusterObject[], ref: ObjectRef): ClusterObject | undefined {
  return objects.find(({ id }) => id === objectIdOf(ref));
}

/** `metadata.labels`; Kubernetes labels every Namespace with its name. */
export function labelsOf({ ref, raw }: ClusterObject): ReadonlyMap<string, string> {
  const labels = fieldAt(raw, "metadata.labels");
  const written = isMap(labels) ? Object.entries(labels) : [];
  const byKubernetes: [string, string][] = isSameKind(ref, namespaceKind)
    ? [["kubernetes.io/metadata.name", ref.name]]
    : [];
  return new Map([
    ...written.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ...byKubernetes,
  ]);
}

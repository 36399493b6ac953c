import { isJsonList, isJsonObject, type JsonObject } from "../model/json.ts";
import type { GroupKind, ObjectRef } from "../model/refs.ts";
import { type KeyPath, keyPath } from "./key-path.ts";

/** The permission of one ReferenceGrant: references from `from` to objects of `to` in the grant's own namespace. */
export interface Grant {
  readonly from: readonly GrantFrom[];
  readonly to: readonly GrantTo[];
}

interface GrantFrom extends GroupKind {
  readonly namespace: string;
}

interface GrantTo extends GroupKind {
  /** Absent: every object of the kind. */
  readonly name?: string;
}

const FROM = keyPath("spec.from");
const TO = keyPath("spec.to");

/** Reads a ReferenceGrant. An item that is not well-formed permits nothing. */
export function grantOf(referenceGrant: JsonObject): Grant {
  const from: GrantFrom[] = [];
  for (const { group, kind, item } of groupKindsAt(referenceGrant, FROM)) {
    const namespace = item["namespace"];
    if (typeof namespace === "string" && namespace !== "") from.push({ group, kind, namespace });
  }
  const to: GrantTo[] = [];
  for (const { group, kind, item } of groupKindsAt(referenceGrant, TO)) {
    const name = item["name"] ?? "";
    if (typeof name === "string") to.push(name === "" ? { group, kind } : { group, kind, name });
  }
  return { from, to };
}

interface Item extends GroupKind {
  readonly item: JsonObject;
}

function groupKindsAt(object: JsonObject, path: KeyPath): readonly Item[] {
  const list = path.read(object);
  if (!isJsonList(list)) return [];
  return list.flatMap((value) => {
    if (!isJsonObject(value)) return [];
    const { group, kind } = value;
    return typeof group === "string" && typeof kind === "string" ? [{ group, kind, item: value }] : [];
  });
}

/** The object that refers. It has no name here: a grant permits all objects of a kind in a namespace. */
export type Referrer = Omit<ObjectRef, "name">;

/**
 * Only a reference between two namespaces needs a grant
 *
 * A reference within one namespace needs no grant, nor does a reference to a cluster-scoped object. A cluster-scoped object
 * may refer to any namespace.
 * Gateway API, "ReferenceGrant"
 */
export const needsGrant = (from: Pick<ObjectRef, "namespace">, to: Pick<ObjectRef, "namespace">): boolean =>
  from.namespace !== to.namespace && from.namespace !== "" && to.namespace !== "";

/**
 * A backendRef across namespaces needs a ReferenceGrant
 *
 * A reference into another namespace is permitted if a ReferenceGrant in the namespace of the target lists the kind and
 * namespace of the referrer in `from`, and the kind of the target in `to`, with its name or with none. Backend references and
 * the targets of policies follow the same rule.
 * Gateway API, "ReferenceGrant"
 */
export function isReferencePermitted(
  from: Referrer,
  to: ObjectRef,
  grantsIn: (namespace: string) => readonly Grant[],
): boolean {
  if (!needsGrant(from, to)) return true;
  for (const grant of grantsIn(to.namespace)) {
    if (grant.from.some((item) => isFrom(item, from)) && grant.to.some((item) => isTo(item, to))) return true;
  }
  return false;
}

const isFrom = (item: GrantFrom, { group, kind, namespace }: Referrer): boolean =>
  item.kind === kind && item.namespace === namespace && item.group === group;

const isTo = (item: GrantTo, { group, kind, name }: ObjectRef): boolean =>
  item.kind === kind && item.group === group && (item.name === undefined || item.name === name);

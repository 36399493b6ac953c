import { isJsonList, isJsonObject, type JsonObject } from "../model/json.ts";
import type { GroupKind, ObjectRef } from "../model/refs.ts";
import { type KeyPath, keyPath } from "./key-path.ts";

/** What one ReferenceGrant permits, into its own namespace. */
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

/** Reads a ReferenceGrant; items that are not well-formed permit nothing. */
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

/** The one who refers: no name, as a grant trusts all objects of a kind in a namespace. */
export type Referrer = Omit<ObjectRef, "name">;

/** Whether one of the grants in the target's namespace lets `from` refer to `to` (Gateway API, ReferenceGrant). */
export function isReferenceGranted(grants: readonly Grant[], from: Referrer, to: ObjectRef): boolean {
  for (const grant of grants) {
    if (grant.from.some((item) => isFrom(item, from)) && grant.to.some((item) => isTo(item, to))) return true;
  }
  return false;
}

const isFrom = (item: GrantFrom, { group, kind, namespace }: Referrer): boolean =>
  item.kind === kind && item.namespace === namespace && item.group === group;

const isTo = (item: GrantTo, { group, kind, name }: ObjectRef): boolean =>
  item.kind === kind && item.group === group && (item.name === undefined || item.name === name);

/** Finds out whether something that was left out of account may change an answer. */
import { looksLikePolicy, writtenTargets } from "../effective/findings/ignored-policies.ts";
import { referrersOf } from "../effective/world/link-indexes.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import {
  type KindId,
  kindId,
  type ObjectId,
  objectId,
  type PolicyId,
  parseKindId,
  parseObjectId,
} from "../model/refs.ts";
import type { CaveatContext } from "./caveat-context.ts";

/** True if a policy may be about an object of the question. */
export function touchesPolicy({ related }: CaveatContext, policy: KubeObject): boolean {
  const objects = related();
  if (objects === undefined) return true;
  const targets = writtenTargets(policy);
  if (targets === undefined) return true;
  const isTarget = (id: ObjectId): boolean => {
    const { kind, namespace, name } = parseObjectId(id);
    return targets.some(
      (target) =>
        target.kind === kind.toLowerCase() &&
        (target.name === undefined || target.name === name) &&
        (namespace === "" || target.namespace === "" || target.namespace === namespace),
    );
  };
  for (const id of objects.above) if (isTarget(id)) return true;
  for (const id of objects.below) if (isTarget(id)) return true;
  return false;
}

/** Kinds that may change which references are permitted, and what other objects mean: they touch every question. */
const TOUCH_ALL: ReadonlySet<KindId> = new Set(
  [
    { group: "", kind: "Namespace" },
    { group: "gateway.networking.k8s.io", kind: "ReferenceGrant" },
    { group: "prevail.dev", kind: "PolicyDefinition" },
  ].map(kindId),
);

/**
 * True if an object that counts as absent could change the answer: a policy that may be about an object of the question, an object that one of
 * them names, or one that would be above or below one of them. A route beside the route of the question is none of these.
 */
export function touchesAbsent(context: CaveatContext, object: KubeObject): boolean {
  const { world, related, scope } = context;
  const objects = related();
  const { id, family } = object;
  if (objects === undefined || TOUCH_ALL.has(family.kindId)) return true;
  if (objects.above.has(id) || objects.below.has(id)) return true;
  if (world.rulebook.byPolicyKind.has(family.kindId) || looksLikePolicy(object)) return touchesPolicy(context, object);
  for (const other of referrersOf(world, id)) if (objects.above.has(other) || objects.below.has(other)) return true;
  if (scope.about === "Policies" && scope.policies.some((policy) => isTargetOf(context, policy, id))) return true;
  const { parents, children } = namesIn(object);
  const { competing } = objects;
  for (const below of objects.below) if (parents.some((name) => isNamed(name, below))) return true;
  for (const above of objects.above) if (children.some((name) => isNamed(name, above))) return true;
  for (const other of competing) if (parents.some((name) => isNamed(name, other))) return true;
  return false;
}

/** True if the policy names the object as a target, which was not found. */
const isTargetOf = ({ world }: CaveatContext, policy: PolicyId, id: ObjectId): boolean =>
  (world.policies.get(policy)?.targets.rejections ?? []).some(
    ({ missing }) =>
      missing !== undefined &&
      objectId({ ...parseKindId(missing.kind), namespace: missing.namespace, name: missing.name }) === id,
  );

/** True if the spec of an object names another object as its parent or child. */
export function namesObject(object: KubeObject, other: WrittenName): boolean {
  const { parents, children } = namesIn(object);
  return [...parents, ...children].some(
    ({ name, kind, namespace }) =>
      name === other.name &&
      namespace === other.namespace &&
      (kind === undefined || kind.toLowerCase() === other.kind?.toLowerCase()),
  );
}

/** A reference as it is written. */
export interface WrittenName {
  readonly name: string;
  readonly kind: string | undefined;
  readonly namespace: string;
}

const isNamed = ({ name, kind, namespace }: WrittenName, id: ObjectId): boolean => {
  const ref = parseObjectId(id);
  return (
    ref.name === name &&
    (kind === undefined || kind.toLowerCase() === ref.kind.toLowerCase()) &&
    (ref.namespace === "" || ref.namespace === namespace)
  );
};

/** Fields whose references name objects below the one that has them. */
const CHILD_FIELDS: ReadonlySet<string> = new Set(["backendRef", "backendRefs"]);
const MAX_VALUES = 10_000;

/** The names in the spec of an object, read leniently, because the object has errors. */
function namesIn({ raw, family }: KubeObject): {
  readonly parents: readonly WrittenName[];
  readonly children: readonly WrittenName[];
} {
  const parents: WrittenName[] = [];
  const children: WrittenName[] = [];
  let left = MAX_VALUES;
  const visit = (value: Json | undefined, into: WrittenName[]): void => {
    if (left-- <= 0) return;
    if (isJsonList(value)) for (const item of value) visit(item, into);
    if (!isJsonObject(value)) return;
    const [name, kind, namespace] = ["name", "kind", "namespace"].map((key) => textAt(value, key));
    if (name !== undefined) into.push({ name, kind, namespace: namespace ?? family.namespace });
    for (const key of Object.keys(value)) visit(value[key], CHILD_FIELDS.has(key) ? children : into);
  };
  const spec = ownValue(raw, "spec");
  visit(spec, parents);
  const className = isJsonObject(spec) ? textAt(spec, "gatewayClassName") : undefined;
  if (className !== undefined) parents.push({ name: className, kind: "GatewayClass", namespace: "" });
  return { parents, children };
}

function textAt(object: { readonly [key: string]: Json }, key: string): string | undefined {
  const value = ownValue(object, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

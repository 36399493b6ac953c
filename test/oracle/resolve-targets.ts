/** Which nodes a policy's target references mean, and may mean. */
import type { PolicyDefinition, TargetKind } from "../../src/core/model/definition.ts";
import type { ObjectRef } from "../../src/core/model/refs.ts";
import { trafficOf } from "./find-paths.ts";
import { textField } from "./json-value.ts";
import { factsOf, isSameKind, namespaceKind } from "./kind-table.ts";
import { selects } from "./label-selector.ts";
import type { OraclePolicy, OracleTarget } from "./read-policy.ts";
import { findObject, labelsOf, type WorldObject, worldObject } from "./read-world.ts";
import { isGranted } from "./reference-grants.ts";
import { objectNode, sectionNodes, type TargetNode } from "./target-node.ts";

/** A policy on a declared target. */
export interface Attached {
  readonly policy: OraclePolicy;
  readonly target: TargetNode;
  /** `crossNamespace: Consumer` across namespaces: acts on traffic from here only. */
  readonly consumer?: string;
}

export function resolveTargets(
  policy: OraclePolicy,
  world: readonly WorldObject[],
  definition: PolicyDefinition,
): readonly Attached[] {
  const attached = policy.targets.flatMap((target) => resolveTarget(target, policy, world, definition));
  return attached.filter((one, i) => attached.findIndex(({ target }) => target.id === one.target.id) === i);
}

function resolveTarget(
  target: OracleTarget,
  policy: OraclePolicy,
  world: readonly WorldObject[],
  definition: PolicyDefinition,
): readonly Attached[] {
  const kind = findTargetKind(target, policy, definition);
  if (kind === undefined || (target.selector !== undefined && !definition.targeting.selectors)) return [];
  return findObjects(target, kind, policy, world, definition)
    .filter((object) => isInScope(object.ref, policy) && isNamespaceAllowed(object.ref, policy, world, definition))
    .flatMap((object) => findNodes(object, target.sectionName, kind, definition))
    .map((node) => {
      const { namespace } = policy.object.ref;
      const isConsumer = definition.targeting.crossNamespace === "Consumer" && isAcross(node.object.ref, policy);
      return isConsumer ? { policy, target: node, consumer: trafficOf(namespace) } : { policy, target: node };
    });
}

/** "`group` may carry a version and may be left out where the kind is unambiguous. Kinds compare case-insensitively." */
function findTargetKind(
  target: OracleTarget,
  policy: OraclePolicy,
  { targeting }: PolicyDefinition,
): TargetKind | undefined {
  const group = target.group?.split("/")[0];
  const matching = targeting.kinds.filter(
    (kind) =>
      kind.kind.toLowerCase() === target.kind.toLowerCase() &&
      (group === undefined || kind.group === group) &&
      (kind.policies.length === 0 || kind.policies.includes(policy.kind.kind)),
  );
  return matching.length === 1 ? matching[0] : undefined;
}

function findObjects(
  { name, namespace, selector }: OracleTarget,
  kind: TargetKind,
  policy: OraclePolicy,
  world: readonly WorldObject[],
  definition: PolicyDefinition,
): readonly WorldObject[] {
  const isClusterScoped = factsOf(kind, definition).scope === "Cluster";
  const home = isClusterScoped ? "" : (namespace ?? policy.object.ref.namespace);
  if (name === undefined) {
    return world.filter(
      (object) => isSameKind(object.ref, kind) && object.ref.namespace === home && selects(selector, labelsOf(object)),
    );
  }
  const ref: ObjectRef = { group: kind.group, kind: kind.kind, namespace: home, name };
  const found = findObject(world, ref);
  if (found !== undefined) return [found];
  // GEP-713, "Targeting virtual types": objects that are not actual Kubernetes kinds.
  return kind.virtual && !/[/#]/.test(name + home) ? [worldObject(ref, {})] : [];
}

/**
 * "A namespaced policy may target the Namespace it lives in, and no other; any other cluster-scoped target needs a
 * cluster-scoped policy." And REF: "policy attachment relies on the policy being defined within the same scope as the target".
 */
function isInScope(target: ObjectRef, { kind, object }: OraclePolicy): boolean {
  if (kind.scope === "Cluster") return target.namespace === "";
  if (target.namespace !== "") return true;
  return isSameKind(target, namespaceKind) && target.name === object.ref.namespace;
}

const isAcross = (target: ObjectRef, { object }: OraclePolicy): boolean =>
  target.namespace !== "" && target.namespace !== object.ref.namespace;

function isNamespaceAllowed(
  target: ObjectRef,
  policy: OraclePolicy,
  world: readonly WorldObject[],
  { targeting }: PolicyDefinition,
): boolean {
  if (!isAcross(target, policy)) return true;
  switch (targeting.crossNamespace) {
    case "Forbidden":
      return false;
    case "ReferenceGrant":
      return isGranted(world, policy.object.ref, target);
    case "Consumer":
      return true;
  }
}

/** "`sectionName` in a target matches declared, unique names", positions of rules only where the definition allows them. */
function findNodes(
  object: WorldObject,
  sectionName: string | undefined,
  kind: TargetKind,
  definition: PolicyDefinition,
): readonly TargetNode[] {
  if (sectionName === undefined) return [objectNode(object)];
  return sectionNodes(object, definition).filter(({ section }) => {
    if (section === undefined || !kind.sections.includes(section.type) || section.name !== sectionName) return false;
    const isUnnamedRule = section.type === "Rule" && !textField(section.value, "name");
    return section.isDeclared || (isUnnamedRule && definition.targeting.positionalRules);
  });
}

/** Resolves a policy's target references to the nodes that it may target. */
import type { AbsentTarget, PolicyDefinition, TargetKind } from "../../src/core/model/definition.ts";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import type { ObjectRef } from "../../src/core/model/refs.ts";
import type { Attached } from "./attached.ts";
import { type ClusterObject, clusterObject, findObject, labelsOf } from "./cluster-objects.ts";
import { trafficOf } from "./find-paths.ts";
import { field, fieldAt, isList, isMap, textField } from "./json-value.ts";
import { factsOf, isSameKind, namespaceKind } from "./kind-table.ts";
import { selects } from "./label-selector.ts";
import { attachNamed } from "./named-policies.ts";
import type { OraclePolicy, OracleTarget } from "./read-policy.ts";
import { isGranted } from "./reference-grants.ts";
import { objectNode, sectionNodes, type TargetNode } from "./target-node.ts";

export function resolveTargets(
  policy: OraclePolicy,
  objects: readonly ClusterObject[],
  definition: PolicyDefinition,
): readonly Attached[] {
  const targeted = policy.targets.flatMap((target) => resolveTarget(target, policy, objects, definition));
  const attached = [
    ...attachNamed(policy, objects, definition),
    ...targeted,
    ...attachWithoutTarget(policy, objects, definition),
  ];
  return attached.filter((one, i) => attached.findIndex(({ target }) => target.id === one.target.id) === i);
}

/** Without a target: its own Namespace, or from the root namespace every Namespace; or the workloads that it selects. */
function attachWithoutTarget(
  policy: OraclePolicy,
  objects: readonly ClusterObject[],
  { targeting: { absent } }: PolicyDefinition,
): readonly Attached[] {
  if (absent === undefined || absent.means === "Nothing" || policy.targets.length > 0) return [];
  const own = policy.object.ref.namespace;
  const isRoot = own === "" || own === absent.rootNamespace;
  if (selectsWorkloads(policy, absent))
    return selectedWorkloads(policy, objects, absent)
      .filter(({ ref }) => isRoot || ref.namespace === own)
      .map((object): Attached => ({ policy, target: objectNode(object) }));
  const spaces = objects.filter(({ ref }) => isSameKind(ref, namespaceKind)).map(objectNode);
  if (isRoot) return spaces.map((target): Attached => ({ policy, target, isMeshWide: true }));
  return spaces.filter(({ object }) => object.ref.name === own).map((target): Attached => ({ policy, target }));
}

export function selectsWorkloads({ object }: OraclePolicy, { workloadSelector }: AbsentTarget): boolean {
  if (workloadSelector === undefined) return false;
  const { matchLabels, matchExpressions } = workloadLabels(object, workloadSelector);
  return Object.keys(matchLabels).length + matchExpressions.length > 0;
}

/** A LabelSelector, `{labels: {…}}`, or the labels themselves. */
function workloadLabels({ raw }: ClusterObject, name: string): { matchLabels: JsonObject; matchExpressions: Json[] } {
  const written = fieldAt(raw, `spec.${name}`);
  if (!isMap(written)) return { matchLabels: {}, matchExpressions: [] };
  const [labels, expressions] = [field(written, "matchLabels"), field(written, "matchExpressions")];
  if (labels !== undefined || expressions !== undefined)
    return { matchLabels: isMap(labels) ? labels : {}, matchExpressions: isList(expressions) ? [...expressions] : [] };
  const inner = field(written, "labels");
  return { matchLabels: isMap(inner) ? inner : written, matchExpressions: [] };
}

function selectedWorkloads(
  { object }: OraclePolicy,
  objects: readonly ClusterObject[],
  { workloadSelector = "", workloads = [] }: AbsentTarget,
): readonly ClusterObject[] {
  const selector = workloadLabels(object, workloadSelector);
  return objects.filter(({ ref, raw }) =>
    workloads.some((kind) => {
      if (!isSameKind(ref, kind)) return false;
      const labels = fieldAt(raw, kind.labels);
      const written = isMap(labels) ? Object.entries(labels) : [];
      const texts = written.filter((entry): entry is [string, string] => typeof entry[1] === "string");
      const byName = (kind.nameLabels ?? []).map((label): [string, string] => [label, ref.name]);
      return selects(selector, new Map([...texts, ...byName]));
    }),
  );
}

export function resolveTarget(
  target: OracleTarget,
  policy: OraclePolicy,
  objects: readonly ClusterObject[],
  definition: PolicyDefinition,
): readonly Attached[] {
  const kind = findTargetKind(target, policy, definition);
  if (kind === undefined || (target.selector !== undefined && !definition.targeting.selectors)) return [];
  return findObjects(target, kind, policy, objects, definition)
    .filter(
      (object) =>
        isInScope(object.ref, policy, definition) &&
        isNamespaceAllowed(object.ref, target, policy, objects, definition),
    )
    .flatMap((object) => findNodes(object, target, kind, definition))
    .map((node) => {
      const { namespace } = policy.object.ref;
      const isConsumer = definition.targeting.crossNamespace === "Consumer" && isAcross(node.object.ref, policy);
      return isConsumer ? { policy, target: node, consumer: trafficOf(namespace) } : { policy, target: node };
    });
}

/** `group` may have a version, and may be omitted where the kind is unambiguous. Kinds compare case-insensitively. */
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
  { name, namespace, selector, namespaces }: OracleTarget,
  kind: TargetKind,
  policy: OraclePolicy,
  objects: readonly ClusterObject[],
  definition: PolicyDefinition,
): readonly ClusterObject[] {
  const isClusterScoped = factsOf(kind, definition).scope === "Cluster";
  const home = isClusterScoped ? "" : (namespace ?? policy.object.ref.namespace);
  if (name === undefined) {
    // A cluster-scoped policy selects in every namespace, unless it names one.
    const isAnywhere =
      (policy.kind.scope === "Cluster" && namespace === undefined) ||
      namespaces !== "Same" ||
      selectsEverywhere(policy, definition);
    const isSelected = ({ ref }: ClusterObject): boolean =>
      typeof namespaces === "string" || isClusterScoped || selects(namespaces.labels, labelsOfNamespace(ref, objects));
    return objects.filter(
      (object) =>
        isSameKind(object.ref, kind) &&
        (isClusterScoped || isAnywhere || object.ref.namespace === home) &&
        isSelected(object) &&
        selects(selector, labelsOf(object)),
    );
  }
  if (home === "" && !isClusterScoped) return [];
  const ref: ObjectRef = { group: kind.group, kind: kind.kind, namespace: home, name };
  const found = findObject(objects, ref);
  if (found !== undefined) return [found];
  // GEP-713, "Targeting virtual types": objects that are not actual Kubernetes kinds.
  return kind.virtual && !/[/#]/.test(name + home) ? [clusterObject(ref, {})] : [];
}

const selectsEverywhere = ({ object }: OraclePolicy, { targeting }: PolicyDefinition): boolean =>
  targeting.selectorNamespaces?.everywhere.includes(object.ref.namespace) ?? false;

/** Kubernetes labels every Namespace with its name, also one without a document. */
function labelsOfNamespace({ namespace }: ObjectRef, objects: readonly ClusterObject[]): ReadonlyMap<string, string> {
  const ref = { ...namespaceKind, namespace: "", name: namespace };
  return labelsOf(findObject(objects, ref) ?? clusterObject(ref, {}));
}

/**
 * A namespaced policy may target its own Namespace and no other; any other cluster-scoped target needs a cluster-scoped
 * policy. Policy attachment reference: "policy attachment relies on the policy being defined within the same scope as the target".
 */
function isInScope(target: ObjectRef, { kind, object }: OraclePolicy, { targeting }: PolicyDefinition): boolean {
  if (kind.scope === "Cluster") return target.namespace === "" || targeting.crossNamespace === "ReferenceGrant";
  if (target.namespace !== "") return true;
  return isSameKind(target, namespaceKind) && target.name === object.ref.namespace;
}

/** A cluster-scoped policy refers from no namespace, so it needs no grant. */
const isAcross = (target: ObjectRef, { object, kind }: OraclePolicy): boolean =>
  kind.scope === "Namespaced" && target.namespace !== "" && target.namespace !== object.ref.namespace;

function isNamespaceAllowed(
  target: ObjectRef,
  { selector, namespaces }: OracleTarget,
  policy: OraclePolicy,
  objects: readonly ClusterObject[],
  definition: PolicyDefinition,
): boolean {
  const { targeting } = definition;
  if (!isAcross(target, policy)) return true;
  if (selector !== undefined && selectsEverywhere(policy, definition)) return true;
  if (namespaces !== "Same")
    return targeting.selectorNamespaces?.grants === "NotNeeded" || isGranted(objects, policy.object.ref, target);
  switch (targeting.crossNamespace) {
    case "Forbidden":
      return false;
    case "ReferenceGrant":
      return isGranted(objects, policy.object.ref, target);
    case "Consumer":
      return true;
  }
}

/** `sectionName` in a target matches declared, unique names; positions of rules only where the definition allows them. */
function findNodes(
  object: ClusterObject,
  { sectionName, port }: OracleTarget,
  kind: TargetKind,
  definition: PolicyDefinition,
): readonly TargetNode[] {
  const isByPort = kind.byPort === true && port !== undefined;
  if (sectionName === undefined && !isByPort) return kind.sectionRequired ? [] : [objectNode(object)];
  const named = sectionNodes(object, definition).filter(({ section }) => {
    if (section === undefined || !kind.sections.includes(section.type) || section.name !== sectionName) return false;
    const isUnnamedRule = section.type === "Rule" && !textField(section.value, "name");
    return section.isDeclared || (isUnnamedRule && definition.targeting.positionalRules);
  });
  if (named.length > 0 || kind.byPort !== true) return named;
  // A section of that name comes first; else all sections with that port.
  const number = port ?? (/^[0-9]+$/.test(sectionName ?? "") ? Number(sectionName) : undefined);
  return sectionNodes(object, definition).filter(
    ({ section }) =>
      section !== undefined && kind.sections.includes(section.type) && field(section.value, "port") === number,
  );
}

/** The status of each policy: the ancestors that have an entry, and the conditions of each (GEP-713, "Status reporting"). */
import type { Enforcement, Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { ObjectId, ObjectRef } from "../../src/core/model/refs.ts";
import type { Attached } from "./attached.ts";
import { buildLinks } from "./build-links.ts";
import { type ClusterObject, findObject } from "./cluster-objects.ts";
import type { StackEntry } from "./fold-stack.ts";
import { field, unique } from "./json-value.ts";
import { isClusterScoped, isSameKind, kindNamed, serviceKind } from "./kind-table.ts";
import { judgeReferences, resolvedRefs } from "./policy-references.ts";
import { ancestorOf, enforcementOn, type FoldedPath, winnerAgainst } from "./policy-verdicts.ts";
import { type OraclePolicy, type OracleTarget, readableTargets } from "./read-policy.ts";
import { resolveTarget } from "./resolve-targets.ts";
import { objectNode, sectionNodes, type TargetNode } from "./target-node.ts";

/** Conditions by ancestor: `Type=Status/Reason`, without the reason of ResolvedRefs. The key of conditions without an ancestor is empty. */
export type OracleStatus = ReadonlyMap<string, readonly string[]>;

interface Evaluated {
  readonly verdict: Verdict;
  readonly attached: readonly Attached[];
  readonly paths: readonly FoldedPath[];
  /** The policies on paths behind Gateways of other controllers, whose status is theirs to write. */
  readonly elsewhere: readonly StackEntry[];
  readonly definition: PolicyDefinition;
  readonly definitions: readonly PolicyDefinition[];
  readonly objects: readonly ClusterObject[];
}

/** What is reported about a policy at one ancestor. A policy may have several targets with one ancestor. */
interface Reported {
  readonly enforcement: Enforcement[];
  readonly refused: string[];
}

export function statusOf(object: ClusterObject, policy: OraclePolicy | undefined, all: Evaluated): OracleStatus {
  const { verdict, definition, objects } = all;
  const hasAncestors = definition.status.ancestors !== "None";
  const reported = new Map<string, Reported>();
  const at = (ancestor: string): Reported => {
    const key = hasAncestors ? ancestor : "";
    const known = reported.get(key) ?? { enforcement: [], refused: [] };
    reported.set(key, known);
    return known;
  };
  const reason = verdict.state === "NotAccepted" ? verdict.reason : undefined;
  if (policy === undefined)
    for (const target of readableTargets(object, definition))
      for (const ancestor of writtenAncestors(target, object, all)) at(ancestor).refused.push("Invalid");
  else {
    for (const { ancestor, enforcement } of acceptedAt(policy, all)) at(ancestor).enforcement.push(enforcement);
    for (const one of all.attached.filter((each) => each.policy === policy)) {
      const isConflicted = winnerAgainst(one, all.attached, definition) !== undefined;
      const why = isConflicted ? conflictWord(definition) : reason;
      if (why !== undefined) for (const ancestor of ancestorsAt(one.target, all)) at(ancestor).refused.push(why);
    }
    for (const target of policy.targets.filter((one) => resolveTarget(one, policy, objects, definition).length === 0))
      for (const ancestor of writtenAncestors(target, object, all)) at(ancestor).refused.push("TargetNotFound");
  }
  const home = object.ref.namespace;
  const space = home === "" ? [] : [refText({ group: "", kind: "Namespace", namespace: "", name: home })];
  if (reported.size === 0 && reason !== undefined)
    for (const ancestor of hasAncestors ? space : [""]) at(ancestor).refused.push(reason);
  return new Map([...reported].map(([ancestor, one]) => [ancestor, conditionsOf(one, policy, all)]));
}

const conflictWord = ({ merge }: PolicyDefinition): string =>
  merge.sameTarget === "Undefined" ? "Undefined" : "Conflicted";

function conditionsOf({ enforcement, refused }: Reported, policy: OraclePolicy | undefined, all: Evaluated): string[] {
  const { definition, objects } = all;
  const references = policy === undefined ? undefined : resolvedRefs(policy, objects, definition);
  const resolved = references === undefined ? [] : [`ResolvedRefs=${references}`];
  const [state] = enforcement;
  if (state !== undefined) return ["Accepted=True/Accepted", enforcementWord(state, definition), ...resolved];
  // What is known comes first. Whether a target exists elsewhere is not known here.
  const reason = refused.find((one) => one !== "Undefined") ?? "Undefined";
  const isAboutReferences = policy !== undefined && judgeReferences(policy, objects, definition).reason === reason;
  const status = reason === "Undefined" ? "Unknown" : "False";
  return [`Accepted=${status}/${reason}`, ...(isAboutReferences ? resolved : [])];
}

function enforcementWord(state: Enforcement, { status: { vocabulary: type } }: PolicyDefinition): string {
  switch (state) {
    case "Enforced":
      return `${type}=True/${type}`;
    case "PartiallyEnforced":
      return `${type}=True/Partially${type}`;
    case "Overridden":
    case "NoPath":
      return `${type}=False/${state}`;
    case "Incomplete":
      return `${type}=Unknown/Incomplete`;
  }
}

/** Where an accepted policy is accepted, and whether it takes effect there. */
function acceptedAt(
  policy: OraclePolicy,
  all: Evaluated,
): readonly { readonly ancestor: string; readonly enforcement: Enforcement }[] {
  const { verdict, attached, definition } = all;
  if (verdict.state !== "Accepted") return [];
  const own = attached.filter((one) => one.policy === policy);
  const accepted = own.filter((one) => winnerAgainst(one, attached, definition) === undefined);
  const { enforcement } = verdict;
  const isElsewhere = ({ target }: Attached): boolean =>
    all.elsewhere.some((entry) => entry.policy === policy && entry.target.object.id === target.object.id);
  if (enforcement === "NoPath")
    return accepted
      .filter((one) => !isElsewhere(one))
      .flatMap(({ target }) => ancestorsAt(target, all).map((ancestor) => ({ ancestor, enforcement })));
  if (definition.status.ancestors === "None") return [{ ancestor: "", enforcement }];
  const isDirect = definition.class === "Direct";
  if (!isDirect && isAtTargets(definition))
    return accepted.map(({ target }) => ({ ancestor: textOf(target), enforcement }));
  const involved = all.paths.filter(({ levels }) => levels.flat().some((entry) => entry.policy === policy));
  const groups = involved.map((path) =>
    isAtTargets(definition)
      ? deepestTarget(path, policy).map(textOf)
      : isDirect
        ? servedBy(path, policy, accepted, all)
        : [ancestorOf(path, policy)],
  );
  const { isUndecided } = judgeReferences(policy, all.objects, definition);
  return unique(groups.flat()).flatMap((ancestor) => {
    const there = involved.filter((_, i) => groups[i]?.includes(ancestor));
    const state = enforcementOn(there, policy, isUndecided);
    const refs = isDirect ? [ancestor] : namedAbove(ancestor as ObjectId, enforcementOn(there, policy, false), all);
    return refs.map((one) => ({ ancestor: one, enforcement: state }));
  });
}

/** The target of a policy that a path of a Direct kind is about: a section rather than its object. */
function deepestTarget({ entries }: FoldedPath, policy: OraclePolicy): readonly TargetNode[] {
  const own = entries.filter((entry) => entry.policy === policy).toSorted((a, b) => b.level - a.level);
  return own.slice(0, 1).map(({ target }) => target);
}

/** The Gateways above the targets of a policy on one object; the target itself if it has none. */
function servedBy(path: FoldedPath, policy: OraclePolicy, own: readonly Attached[], all: Evaluated): readonly string[] {
  const onObject = own.filter(({ target }) => target.object.id === path.nodes[0]?.object.id);
  const alone = deepestTarget(path, policy).filter((target) => gatewaysAbove(target, all).length === 0);
  return unique([...onObject.flatMap(({ target }) => gatewaysAbove(target, all)), ...alone.map(textOf)]);
}

/** The object itself. Where nothing is known above it, the parents that it names and that do not exist. */
function namedAbove(id: ObjectId, state: Enforcement, { objects, definition }: Evaluated): readonly string[] {
  const absent = buildLinks(objects, definition).absentParents.filter(({ child }) => child === id);
  if (state === "Incomplete" && absent.length > 0) return unique(absent.map(({ parent }) => refText(parent)));
  return objects.filter((object) => object.id === id).map(({ ref }) => refText(ref));
}

/** `Target`, or `Gateway`; by default the targets of a Direct kind. */
function isAtTargets({ class: policyClass, status: { ancestors } }: PolicyDefinition): boolean {
  if (ancestors === "Gateway" || ancestors === "Target") return ancestors === "Target";
  return policyClass === "Direct";
}

/** The ancestors of a policy at a target: for a Direct kind with `Gateway` the Gateways above, if there are any. */
function ancestorsAt(target: TargetNode, all: Evaluated): readonly string[] {
  const { definition } = all;
  const above = definition.class === "Direct" && !isAtTargets(definition) ? gatewaysAbove(target, all) : [];
  return above.length === 0 ? [textOf(target)] : above;
}

/** The Gateways and mesh Services above an object. For a port only routes that use that port count. */
function gatewaysAbove({ object, section }: TargetNode, { objects, definition }: Evaluated): readonly string[] {
  const whole = { ...definition, hierarchy: { ...definition.hierarchy, through: [] } };
  const { links } = buildLinks(objects, whole);
  const port = section === undefined ? undefined : field(section.value, "port");
  const above: ClusterObject[] = [object];
  for (const one of above)
    for (const link of links) {
      const isUsed = one !== object || typeof port !== "number" || link.port === undefined || link.port === port;
      if (link.child.object.id !== one.id || !isUsed || above.some(({ id }) => id === link.parent.object.id)) continue;
      above.push(link.parent.object);
    }
  const isFrontend = ({ id }: ClusterObject): boolean =>
    links.some(
      (link) => link.isMesh && link.parent.object.id === id && above.some((one) => one.id === link.child.object.id),
    );
  const hasClass = ({ id }: ClusterObject): boolean =>
    links.some(({ parent, child }) => child.object.id === id && parent.object.ref.namespace === "");
  return above
    .filter((one) => (isSameKind(one.ref, serviceKind) ? isFrontend(one) : hasClass(one)))
    .map(({ ref }) => refText(ref));
}

/** The ancestors at a target as the policy writes it, whether it exists or not. A selector names none. */
function writtenAncestors(target: OracleTarget, { ref: from }: ClusterObject, all: Evaluated): readonly string[] {
  const { definition, objects } = all;
  if (target.name === undefined) return [];
  const group = target.group?.split("/")[0];
  const named = kindNamed(target.kind, group, all.definitions) ?? { group: group ?? "", kind: target.kind };
  const isCluster = isClusterScoped(named, all.definitions);
  const namespace = isCluster ? "" : (target.namespace ?? from.namespace);
  const ref = { group: named.group, kind: named.kind, namespace, name: target.name };
  const found = findObject(objects, ref);
  if (found === undefined || definition.class !== "Direct" || isAtTargets(definition))
    return [refText(ref, target.sectionName)];
  const node = sectionNodes(found, definition).find(({ section }) => section?.name === target.sectionName);
  const above = gatewaysAbove(node ?? objectNode(found), all);
  return above.length > 0 ? above : [refText(ref, target.sectionName)];
}

const textOf = ({ object, section }: TargetNode): string => refText(object.ref, section?.name);

const refText = ({ group, kind, namespace, name }: ObjectRef, sectionName?: string): string =>
  `${group}/${kind}/${namespace}/${name}${sectionName === undefined ? "" : `#${sectionName}`}`;

/**
 * From the targets that a policy names to the objects and sections that it is attached to. Each way of targeting of GEP-713
 * is supported, and each way to fail has its own message. One bad target does not hide the good ones.
 */
import type { PolicyDefinition } from "../model/definition.ts";
import type { Policy, PolicyTarget } from "../model/policy.ts";
import { isNamespace, isPlainName, kindId, MAX_NAME_LENGTH, objectId } from "../model/refs.ts";
import {
  attach,
  formatNotPermitted,
  kindOf,
  type LocatedTarget,
  maySuggest,
  mayTarget,
  namespaceOf,
  type Resolution,
  refOf,
  reject,
  type TargetContext,
} from "./resolution.ts";
import { resolveAbsent } from "./resolve-absent.ts";
import { resolveBySelector } from "./resolve-by-selector.ts";
import { resolveNamed } from "./resolve-named.ts";
import type { ResolvedTargets } from "./resolved-targets.ts";
import { findAllowedKind, formatKindNotAllowed, isTargetLeftToImplementations, usableKinds } from "./target-kinds.ts";

export function resolveTargets(policy: Policy, definition: PolicyDefinition, context: TargetContext): ResolvedTargets {
  const resolution: Resolution = {
    policy,
    definition,
    context,
    attachments: [],
    attached: undefined,
    rejections: [],
    named: [],
    grantsOf: [],
    selects: [],
  };
  for (const target of policy.targets) resolveTarget(resolution, target);
  resolveAbsent(resolution);
  resolveNamed(resolution);
  const { attachments, rejections, named, grantsOf, selects } = resolution;
  return {
    attachments: exactly(attachments),
    rejections: exactly(rejections),
    named: exactly(named),
    grantsOf: exactly(grantsOf),
    selects: exactly(selects),
  };
}

const NONE: readonly never[] = [];

/** A copy without spare capacity, and one empty list for all: targets are kept for every policy. */
const exactly = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list.slice());

function resolveTarget(resolution: Resolution, target: PolicyTarget): void {
  const located = locateTarget(resolution, target);
  if (located === undefined) return;
  const { allowed } = located;
  if (target.sectionName !== undefined && allowed.sections.length === 0) {
    const message = `${kindOf(resolution)} cannot target a section of a ${allowed.kind}; leave out sectionName`;
    reject(resolution, `${target.field}.sectionName`, "SectionNotAllowed", message);
  } else if (target.selector === undefined) {
    resolveByName(resolution, located, target.name ?? "");
  } else {
    resolveBySelector(resolution, located, target.selector);
  }
}

/** Finds the kind and the namespace of a target, or rejects the target. */
function locateTarget(resolution: Resolution, target: PolicyTarget): LocatedTarget | undefined {
  const { definition, policy, context } = resolution;
  const own = definition.policies[policy.kindIndex] ?? definition.policies[0];
  const allowed = findAllowedKind(usableKinds(definition, own), target);
  if (allowed === undefined && isTargetLeftToImplementations(definition, target)) {
    const message = `a ${target.kind} (${target.group ?? ""}) as target of a ${kindOf(resolution)} is left to implementations: whether the policy takes effect is not known`;
    reject(resolution, `${target.field}.kind`, "ImplementationSpecificKind", message);
    return undefined;
  }
  if (allowed === undefined) {
    const { field, message } = formatKindNotAllowed(kindOf(resolution), target, usableKinds(definition, own));
    reject(resolution, field, "KindNotAllowed", message);
    return undefined;
  }
  const facts = context.kind(allowed.group, allowed.kind);
  const scope = allowed.virtual ? "Namespaced" : (facts?.scope ?? "Namespaced");
  const located: LocatedTarget = { target, allowed, scope, facts, namespace: undefined };
  if (scope === "Cluster")
    return mayTargetClusterScope(resolution, located, own.scope) ? { ...located, namespace: "" } : undefined;
  return own.scope === "Cluster" ? locateForClusterPolicy(resolution, located) : locateInNamespace(resolution, located);
}

/**
 * A namespaced policy may target the Namespace it lives in
 *
 * Any other cluster-scoped object needs a cluster-scoped policy.
 * GEP-713, "Cross namespace references"
 */
function mayTargetClusterScope(
  resolution: Resolution,
  { target, allowed }: LocatedTarget,
  policyScope: "Namespaced" | "Cluster",
): boolean {
  const own = namespaceOf(resolution);
  const isOwnNamespace = isNamespace(allowed) && (target.selector !== undefined || target.name === own);
  if (policyScope === "Cluster" || isOwnNamespace) return true;
  const why = isNamespace(allowed)
    ? `a namespaced policy can target only the Namespace it lives in, '${own}', not '${target.name ?? ""}'`
    : `${allowed.kind} is cluster-scoped, so only a cluster-scoped policy can target it`;
  reject(resolution, target.field, "ScopeNotAllowed", why);
  return false;
}

/**
 * A cluster-scoped policy targets cluster-scoped objects
 *
 * A policy is defined in the scope of its target. A cluster-scoped policy may target namespaced objects only if its definition
 * says `crossNamespace: ReferenceGrant`; it needs no grant, because a grant names the namespace of a referrer. The policy has no
 * namespace of its own, so its target must name one.
 * Policy attachment reference, "Attaching Policy to GatewayClass"
 */
function locateForClusterPolicy(resolution: Resolution, located: LocatedTarget): LocatedTarget | undefined {
  const { target, allowed } = located;
  const { crossNamespace } = resolution.definition.targeting;
  if (crossNamespace !== "ReferenceGrant") {
    const why = `${allowed.kind} is namespaced, and ${kindOf(resolution)} is cluster-scoped: such a policy can target only cluster-scoped objects, because its definition says crossNamespace: ${crossNamespace}`;
    reject(resolution, target.field, "ScopeNotAllowed", why);
    return undefined;
  }
  if (target.namespace !== undefined || target.selector !== undefined)
    return { ...located, namespace: target.namespace };
  const message = `a cluster-scoped policy must name the namespace of the ${allowed.kind} '${target.name ?? ""}'`;
  reject(resolution, `${target.field}.namespace`, "NamespaceMissing", message);
  return undefined;
}

function locateInNamespace(resolution: Resolution, located: LocatedTarget): LocatedTarget | undefined {
  const { target } = located;
  const namespace = target.namespace ?? namespaceOf(resolution);
  if (namespace === namespaceOf(resolution) || resolution.definition.targeting.crossNamespace !== "Forbidden")
    return { ...located, namespace };
  const message = `${kindOf(resolution)} cannot target objects in another namespace ('${namespace}'); put the policy into that namespace`;
  reject(resolution, `${target.field}.namespace`, "CrossNamespaceForbidden", message);
  return undefined;
}

/**
 * Reference by name
 *
 * A target by name must exist, unless the kind is virtual, or the object is implied: a Namespace that objects are in, a
 * GatewayClass that a Gateway names.
 * GEP-713, "Reference by name"
 */
function resolveByName(resolution: Resolution, located: LocatedTarget, name: string): void {
  const { context } = resolution;
  const { allowed, target } = located;
  const namespace = located.namespace ?? "";
  if (allowed.virtual && !hasPlainNames(resolution, target)) return;
  const ref = refOf(allowed, namespace, name);
  const object = context.find(kindId(allowed), namespace, name);
  resolution.named.push(object?.id ?? objectId(ref));
  if (object === undefined && !allowed.virtual && !context.isImplied(ref))
    return rejectMissing(resolution, located, name);
  if (mayTarget(resolution, ref)) return attach(resolution, located, object, ref);
  reject(resolution, target.field, "ReferenceNotPermitted", formatNotPermitted(resolution, ref));
}

function rejectMissing(resolution: Resolution, located: LocatedTarget, name: string): void {
  const { target, allowed, scope } = located;
  const namespace = located.namespace ?? "";
  const where = scope === "Cluster" ? "" : ` in namespace '${namespace}'`;
  const missing = { kind: kindId(allowed), namespace, name };
  resolution.rejections.push({
    field: `${target.field}.name`,
    code: "TargetNotFound",
    message: `no ${allowed.kind} '${name}'${where}`,
    ...(maySuggest(resolution) ? { missing } : {}),
  });
}

/** The name of an object that exists was checked before; the name of a virtual object comes only from the policy. */
function hasPlainNames(resolution: Resolution, { field, name, namespace }: PolicyTarget): boolean {
  for (const [key, word] of Object.entries({ name, namespace })) {
    if (word === undefined || isPlainName(word)) continue;
    const message = `${field}.${key} is '${word.slice(0, 80)}'; a name has at most ${MAX_NAME_LENGTH} characters, without '/' and '#'`;
    reject(resolution, `${field}.${key}`, "InvalidTarget", message);
    return false;
  }
  return true;
}

import { NAMESPACE } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { labelsOf, namespaceLabelsOf } from "../model/kube-object.ts";
import type { LabelSelector, PolicyTarget } from "../model/policy.ts";
import { formatRef, isNamespace, kindId, namespaceRef, type ObjectRef } from "../model/refs.ts";
import { matchesSelector } from "../topology/matches-selector.ts";
import { isReferencePermitted, needsGrant } from "../topology/reference-grants.ts";
import { findTargetSections, formatNoSection } from "./find-target-section.ts";
import {
  attach,
  formatNotPermitted,
  type LocatedTarget,
  maySuggest,
  mayTarget,
  namespaceOf,
  namesSection,
  type Resolution,
  refOf,
  reject,
} from "./resolution.ts";
import type { Rejection } from "./resolved-targets.ts";

/**
 * Label selectors
 *
 * A policy may select its targets by label: every object of the kind in its namespace that matches is a target. A selector
 * that gives no target is rejected.
 * GEP-713, "Label selectors"
 */
export function resolveBySelector(resolution: Resolution, located: LocatedTarget, selector: LabelSelector): void {
  const { context, definition } = resolution;
  const { target, allowed } = located;
  resolution.selects.push(kindId(allowed));
  const own = namespaceOf(resolution);
  const before = resolution.attachments.length + resolution.rejections.length;
  const namespace = located.scope === "Cluster" ? "" : selectsFrom(resolution, located);
  const isInNamespace = located.scope === "Cluster" ? () => true : namespaceFilter(resolution, target);
  const skipped: Skipped = { notPermitted: undefined, otherNamespace: undefined, withoutSection: undefined };
  const labelsIn = isNamespace(allowed) ? (object: KubeObject) => namespaceLabelsOf(object, object.name) : labelsOf;
  let isEmpty = true;
  for (const object of context.objectsOf(kindId(allowed), namespace)) {
    isEmpty = false;
    if (!matchesSelector(selector, labelsIn(object))) continue;
    if (!isInNamespace(object)) continue;
    if (isNamespace(allowed) && own !== "" && object.name !== own) {
      skipped.otherNamespace ??= object;
    } else if (!maySelect(resolution, target, object.ref)) {
      skipped.notPermitted ??= object;
    } else if (
      namesSection(located) &&
      findTargetSections(context.sections, definition.targeting, located, object, target).length === 0
    ) {
      skipped.withoutSection ??= object;
    } else {
      attach(resolution, located, object, object.ref);
    }
  }
  if (isNamespace(allowed)) attachImplied(resolution, located, selector);
  if (resolution.attachments.length + resolution.rejections.length === before)
    rejectSelector(resolution, located, { ...skipped, isEmpty });
}

/** The namespace in which a selector selects; undefined: in all, as far as `namespaceFilter` allows. */
function selectsFrom({ policy, definition }: Resolution, { target, namespace }: LocatedTarget): string | undefined {
  const isEverywhere = definition.targeting.selectorNamespaces?.everywhere.includes(policy.object.family.namespace);
  return target.namespaces !== undefined || isEverywhere ? undefined : namespace;
}

/** A function that is true if the selector selects in the namespace of an object. Where its labels are not known, that is reported once. */
function namespaceFilter(resolution: Resolution, { namespaces, field }: PolicyTarget): (object: KubeObject) => boolean {
  if (namespaces === undefined || namespaces === "All") return () => true;
  const { context } = resolution;
  const known = new Map<string, boolean>();
  resolution.selects.push(NAMESPACE);
  return ({ family: { namespace } }) => {
    const before = known.get(namespace);
    if (before !== undefined) return before;
    const object = context.find(NAMESPACE, "", namespace);
    const isMatch = matchesSelector(namespaces, namespaceLabelsOf(object, namespace));
    known.set(namespace, isMatch);
    if (!isMatch && object === undefined && !context.isKnownAbsent(namespaceRef(namespace)))
      resolution.rejections.push({
        field,
        code: "UnknownNamespaceLabels",
        message: `whether the selector selects in namespace '${namespace}' is not known: the Namespace is not in the input`,
        unknownNamespace: namespace,
      });
    return isMatch;
  };
}

/**
 * Selectors across namespaces
 *
 * A selector that says in which namespaces it selects needs a ReferenceGrant in those other than its own, unless the definition says that
 * none is needed. Policies in namespaces that the definition lists select everywhere.
 * GEP-713, "Cross namespace references"
 */
function maySelect(resolution: Resolution, { namespaces }: PolicyTarget, to: ObjectRef): boolean {
  const { policy, definition, context, grantsOf } = resolution;
  const { selectorNamespaces } = definition.targeting;
  const from = policy.object.family;
  if (selectorNamespaces?.everywhere.includes(from.namespace)) return true;
  if (namespaces === undefined) return mayTarget(resolution, to);
  if (!needsGrant(from, to) || selectorNamespaces?.grants === "NotNeeded") return true;
  if (grantsOf.at(-1) !== to.namespace) grantsOf.push(to.namespace);
  return isReferencePermitted(from, to, context.grantsIn);
}

/** A Namespace that no document defines has one label: its name. */
function attachImplied(resolution: Resolution, located: LocatedTarget, selector: LabelSelector): void {
  const own = namespaceOf(resolution);
  for (const name of resolution.context.impliedNamespaces()) {
    if (own !== "" && name !== own) continue;
    if (matchesSelector(selector, namespaceLabelsOf(undefined, name)))
      attach(resolution, located, undefined, refOf(located.allowed, "", name));
  }
}

/** For each reason the first object that the selector matches and that is not a target. */
interface Skipped {
  notPermitted: KubeObject | undefined;
  otherNamespace: KubeObject | undefined;
  withoutSection: KubeObject | undefined;
}

/** Rejects a selector that gave no target, for the reason that came nearest to giving one. */
function rejectSelector(
  resolution: Resolution,
  located: LocatedTarget,
  skipped: Skipped & { readonly isEmpty: boolean },
): void {
  const { target, allowed } = located;
  const namespace = selectsFrom(resolution, located);
  const { notPermitted, otherNamespace, withoutSection } = skipped;
  const field = target.selectorField ?? `${target.field}.selector`;
  if (withoutSection !== undefined) {
    const why = formatNoSection(resolution.context.sections, located, {
      object: withoutSection,
      ref: withoutSection.ref,
      name: target.sectionName ?? "",
      suggest: maySuggest(resolution),
    });
    const message = `nothing that the selector matches has such a section: ${why}`;
    return reject(resolution, `${target.field}.sectionName`, "SectionNotFound", message);
  }
  if (notPermitted !== undefined) {
    const message = `the selector matches, but ${formatNotPermitted(resolution, notPermitted.ref)}`;
    return reject(resolution, field, "ReferenceNotPermitted", message);
  }
  if (otherNamespace !== undefined) {
    const own = namespaceOf(resolution);
    const message = `the selector matches ${formatRef(otherNamespace.ref)}, but a namespaced policy can target only the Namespace it lives in, '${own}'`;
    return reject(resolution, field, "ScopeNotAllowed", message);
  }
  const where = namespace === undefined || located.scope === "Cluster" ? "" : ` in namespace '${namespace}'`;
  const message = `the selector matches no ${allowed.kind}${where}`;
  const selected = { kind: kindId(allowed), ...(namespace === undefined || where === "" ? {} : { namespace }) };
  const rejection: Rejection = { field, code: "SelectorMatchesNothing", message };
  resolution.rejections.push(skipped.isEmpty ? { ...rejection, selected } : rejection);
}

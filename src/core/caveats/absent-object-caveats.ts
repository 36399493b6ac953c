/** Caveats about objects that others name and the snapshot does not have, where the snapshot may be a part of the world. */

import type { Rejection } from "../attachment/resolved-targets.ts";
import type { KindNames } from "../effective/findings/kind-names.ts";
import { isAbsentElsewhere } from "../effective/verdicts/find-undecided.ts";
import { mayBeGrantedElsewhere } from "../effective/world/refused-objects.ts";
import type { World } from "../effective/world/world.ts";
import { isKnownAbsent } from "../model/completeness.ts";
import type { KubeObject } from "../model/kube-object.ts";
import {
  compareText,
  formatRef,
  type GroupKind,
  isNamespace,
  type KindId,
  kindId,
  namespaceRef,
  type ObjectId,
  type ObjectRef,
  objectId,
  type PolicyId,
  parseKindId,
  parseObjectId,
} from "../model/refs.ts";
import { countKinds } from "../model/words/count-kinds.ts";
import { suggestName } from "../model/words/near-miss.ts";
import type { LinkRefusal } from "../topology/links.ts";
import type { Caveat, CaveatObject } from "./caveat.ts";
import type { CaveatCode } from "./caveat-codes.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";

/** An absent object, and the objects that name it. */
interface Absent {
  readonly ref: ObjectRef;
  readonly namedBy: CaveatObject[];
}

type AbsentTable = Map<ObjectId, Absent>;

/** Parents on the paths of the question: policies on them, and above them, are not known. */
export function absentParentCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, related } = context;
  const objects = related();
  const isAsked = (id: ObjectId): boolean =>
    objects === undefined || objects.above.has(id) || (objects.hasNamespace && objects.below.has(id));
  const found: AbsentTable = new Map();
  world.links.forEach(({ absentParents, refusals }, id) => {
    if (absentParents.length === 0 || !isAsked(id)) return;
    const named = refusals.filter(({ code }) => code === "ParentNotFound");
    for (const ref of absentParents) {
      const field = isNamespace(ref)
        ? refusals.find(({ code }) => code === "UnknownNamespaceLabels")?.field
        : named.find(({ parent }) => parent !== undefined && objectId(parent) === objectId(ref))?.field;
      note(context, found, ref, id, field);
    }
  });
  const namespaces: AbsentTable = new Map([...found].filter(([, { ref }]) => isNamespace(ref)));
  for (const id of namespaces.keys()) found.delete(id);
  const targeting = policiesOnAbsent(world, found);
  const [verb, are] = targeting.length === 1 ? ["targets", "is"] : ["target", "are"];
  const known =
    targeting.length === 0
      ? ""
      : `; ${countPolicies(targeting, context.names)} ${verb} it and ${are} left out of account`;
  const consequence = `Policies on it and above it are not known${known}`;
  return [
    ...absentCaveats("AbsentParent", found, "named as a parent", consequence),
    ...absentCaveats("AbsentParent", namespaces, "selected by labels", UNKNOWN_LABELS),
  ];
}

/** A Namespace is no parent: its labels decide whether a selector of a Gateway allows what is in it. */
const UNKNOWN_LABELS = "Whether a Gateway allows its routes, and which policies take effect on them, is not known";

/** Backends of the routes of the question: policies on them are not known. */
export function absentBackendCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, related } = context;
  const objects = related();
  const found: AbsentTable = new Map();
  world.links.forEach((_, id) => {
    if (objects !== undefined && !objects.below.has(id) && !objects.above.has(id)) return;
    for (const { code, child, field } of world.childLinksOf(id)?.refusals ?? []) {
      if (child === undefined || !isLeftOut(world, code, child)) continue;
      note(context, found, child, id, field);
    }
  });
  return absentCaveats("AbsentBackend", found, "named as a backend", "Policies on it are not known");
}

/** True if a backend, or the ReferenceGrant for it, may exist outside of the input. */
function isLeftOut(world: World, code: LinkRefusal["code"], child: ObjectRef): boolean {
  if (code === "RefNotPermitted") return mayBeGrantedElsewhere(world, child);
  if (code !== "BackendNotFound" || isKnownAbsent(world, child)) return false;
  return suggestName(world.names, kindId(child), child.namespace, child.name) === "";
}

/** Targets of policies: whether these policies take effect is not known. */
export function absentTargetCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope } = context;
  if (scope.about === "Objects") return [];
  const asked = scope.about === "Policies" ? new Set<ObjectId>(scope.policies) : undefined;
  const found: AbsentTable = new Map();
  const namespaces: AbsentTable = new Map();
  const selecting: SelectingPolicy[] = [];
  world.policies.forEach(({ object, targets }, id: PolicyId) => {
    if (asked !== undefined && !asked.has(id)) return;
    for (const rejection of targets.rejections) {
      const ref = absentTarget(world, rejection);
      if (ref !== undefined) note(context, found, ref, id, rejection.field);
      if (rejection.unknownNamespace !== undefined)
        note(context, namespaces, namespaceRef(rejection.unknownNamespace), id, rejection.field);
      if (rejection.selected !== undefined && isAbsentElsewhere(world, rejection))
        selecting.push({ policy: object, field: rejection.field });
    }
  });
  const consequence = "Whether the policy takes effect is not known";
  return [
    ...absentCaveats("AbsentTarget", found, "targeted by a policy", consequence),
    ...absentCaveats("AbsentTarget", namespaces, "selected by labels", `${consequence} there`),
    ...selectorCaveats(selecting),
  ];
}

interface SelectingPolicy {
  readonly policy: KubeObject;
  readonly field: string;
}

/** Policies that select their targets by label, where the input has no object to select from. */
function selectorCaveats(selecting: readonly SelectingPolicy[]): readonly Caveat[] {
  if (selecting.length === 0) return [];
  const policies = [...selecting].sort((a, b) => compareText(a.policy.id, b.policy.id));
  const names = listNames(policies.map(({ policy }) => formatRef(policy.ref)));
  const count =
    policies.length === 1 ? "1 policy selects its targets" : `${policies.length} policies select their targets`;
  const summary = `${count} by label, and the input has none to select from`;
  const message = `${summary}: ${names}. Whether ${policies.length === 1 ? "it takes" : "they take"} effect is not known`;
  return [
    caveat("AbsentTarget", { message, summary, objects: policies.map(({ policy, field }) => located(policy, field)) }),
  ];
}

/** The target of a rejection, if it may exist outside of the input. */
function absentTarget(world: World, rejection: Rejection): ObjectRef | undefined {
  const { missing } = rejection;
  if (missing === undefined || !isAbsentElsewhere(world, rejection)) return undefined;
  return { ...parseKindId(missing.kind), namespace: missing.namespace, name: missing.name };
}

/** The policies of the input that target one of the absent objects: what they set below it is not part of the answer. */
function policiesOnAbsent(world: World, absent: AbsentTable): readonly PolicyId[] {
  const ids: PolicyId[] = [];
  if (absent.size === 0) return ids;
  world.policies.forEach(({ targets }, id: PolicyId) => {
    const isOn = targets.rejections.some((rejection) => {
      const ref = absentTarget(world, rejection);
      return ref !== undefined && absent.has(objectId(ref));
    });
    if (isOn) ids.push(id);
  });
  return ids.sort(compareText);
}

/** `2 AuthPolicies and 1 RetryPolicy`: no names, which redaction would have to hide. */
function countPolicies(ids: readonly PolicyId[], { kindName }: KindNames): string {
  const counts = new Map<KindId, number>();
  for (const id of ids) {
    const kind = kindId(parseObjectId(id));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return countKinds(
    [...counts].map(([kind, count]) => ({ ...parseKindId(kind), count })),
    kindName,
  );
}

/** Objects that policies refer to: whether these policies are accepted is not known. */
export function absentReferenceCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope, related } = context;
  const asked = scope.about === "Policies" ? new Set<ObjectId>(scope.policies) : undefined;
  const objects = related();
  const found: AbsentTable = new Map();
  world.policies.forEach(({ references, targets }, id: PolicyId) => {
    if (references.unknown.length === 0 || (asked !== undefined && !asked.has(id))) return;
    const isRelated = (object: ObjectId): boolean =>
      objects === undefined || objects.above.has(object) || objects.below.has(object);
    if (!targets.attachments.some(({ object }) => isRelated(object))) return;
    for (const { ref, field } of references.unknown) note(context, found, ref, id, field);
  });
  const consequence = "Whether the policy is accepted, and works, is not known";
  return absentCaveats("AbsentReference", found, "referred to by a policy", consequence);
}

function note(
  { world }: CaveatContext,
  found: AbsentTable,
  ref: ObjectRef,
  by: ObjectId,
  field: string | undefined,
): void {
  const id = objectId(ref);
  // An object that is in the input and refused is another caveat.
  if (world.refused.has(id) || world.deleted.has(id)) return;
  const absent = found.get(id) ?? { ref, namedBy: [] };
  found.set(id, absent);
  const object = world.objects.get(by);
  absent.namedBy.push(object === undefined ? { object: by } : located(object, field));
}

function absentCaveats(code: CaveatCode, found: AbsentTable, role: string, consequence: string): readonly Caveat[] {
  const absent = [...found].sort(([a], [b]) => compareText(a, b)).map(([, one]) => one);
  const [first] = absent;
  if (first === undefined) return [];
  const names = absent.map(({ ref }) => formatRef(ref));
  const isOne = absent.length === 1;
  const summary = isOne ? `${formatRef(first.ref)} is not in the input` : `${countOf(absent)} are not in the input`;
  return [
    caveat(code, {
      message: isOne
        ? `${names.join("")} is ${role} and is not in the input. ${consequence}`
        : `${countOf(absent)} are ${role} and are not in the input: ${listNames(names)}. ${consequence.replaceAll(" it ", " them ")}`,
      summary,
      objects: absent.flatMap(({ namedBy }) => namedBy.slice(0, 1)),
    }),
  ];
}

/** `3 Gateways`, or `3 objects` of several kinds. */
function countOf(absent: readonly Absent[]): string {
  const kinds = new Set(absent.map(({ ref }: { readonly ref: GroupKind }) => ref.kind));
  const [only = "object"] = kinds;
  return `${absent.length} ${kinds.size === 1 ? only : "object"}s`;
}

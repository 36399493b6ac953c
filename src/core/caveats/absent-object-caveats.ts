/** Caveats about objects that others name and the snapshot does not have, where the snapshot may be a part of the world. */
import { refusalsOf } from "../effective/world/link-indexes.ts";
import { isCompleteFor } from "../model/completeness.ts";
import {
  compareText,
  formatRef,
  type GroupKind,
  kindId,
  type ObjectId,
  type ObjectRef,
  objectId,
  type PolicyId,
  parseKindId,
} from "../model/refs.ts";
import { suggestName } from "../model/words/near-miss.ts";
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
      const field = named.find(({ parent }) => parent !== undefined && objectId(parent) === objectId(ref))?.field;
      note(context, found, ref, id, field);
    }
  });
  return absentCaveats("AbsentParent", found, "named as a parent", "Policies on it and above it are not known");
}

/** Backends of the routes of the question: policies on them are not known. */
export function absentBackendCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, related } = context;
  const objects = related();
  const found: AbsentTable = new Map();
  world.linkChildren().forEach(({ refusals }, id) => {
    if (refusals.length === 0 || (objects !== undefined && !objects.below.has(id) && !objects.above.has(id))) return;
    for (const { code, child, field } of refusalsOf(world, id)) {
      if (code !== "BackendNotFound" || child === undefined) continue;
      const isMistyped = suggestName(world.names, kindId(child), child.namespace, child.name) !== "";
      if (!isMistyped && !isCompleteFor(world.completeness, child, child.namespace))
        note(context, found, child, id, field);
    }
  });
  return absentCaveats("AbsentBackend", found, "named as a backend", "Policies on it are not known");
}

/** Targets of policies: whether these policies take effect is not known. */
export function absentTargetCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope } = context;
  if (scope.about === "Objects") return [];
  const asked = scope.about === "Policies" ? new Set<ObjectId>(scope.policies) : undefined;
  const found: AbsentTable = new Map();
  world.policies.forEach(({ targets }, id: PolicyId) => {
    if (asked !== undefined && !asked.has(id)) return;
    for (const { code, missing, field } of targets.rejections) {
      if (code !== "TargetNotFound" || missing === undefined) continue;
      const ref = { ...parseKindId(missing.kind), namespace: missing.namespace, name: missing.name };
      if (isCompleteFor(world.completeness, ref, ref.namespace)) continue;
      // A name that is nearly that of an object is a mistake, and a finding says so.
      if (suggestName(world.names, missing.kind, missing.namespace, missing.name) === "")
        note(context, found, ref, id, field);
    }
  });
  return absentCaveats("AbsentTarget", found, "targeted by a policy", "Whether the policy takes effect is not known");
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
  { world, scope }: CaveatContext,
  found: AbsentTable,
  ref: ObjectRef,
  by: ObjectId,
  field: string | undefined,
): void {
  const id = objectId(ref);
  // An object that is in the input and refused is another caveat.
  if (world.refused.has(id) || scope.deleted?.has(id) === true) return;
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

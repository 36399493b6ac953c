import type { LevelKind, MergeRules, PolicyDefinition, Targeting } from "../../definition.ts";
import type { Finding } from "../../finding.ts";
import type { KubeObject } from "../../kube-object.ts";
import { attachableLevels, formatLevel, isAbove, sameKind, sameLevel } from "../../levels.ts";
import { type GroupKind, isNamespace, kindId } from "../../refs.ts";
import { hasWholePaths, supportedGranularities } from "../../units.ts";
import { checkParts } from "./check-parts.ts";
import { error, info, type Problem, warning } from "./definition-problem.ts";

/** Reports contradictions in a definition that fits its schema. `object`: the document of the definition, if there is one. */
export function checkDefinition(definition: PolicyDefinition, object?: KubeObject): Finding[] {
  const problems = [
    ...checkClass(definition),
    ...checkKinds(definition),
    ...checkLevels(definition),
    ...checkMerge(definition),
    ...checkPartMerges(definition),
    ...checkParts(definition),
  ];
  return problems.map(({ code, severity, field, message }) => ({
    code,
    severity,
    ...(object === undefined ? {} : { object: object.id }),
    field,
    message,
    ...(object?.source === undefined ? {} : { source: object.source }),
  }));
}

/**
 * Direct policy kinds: one target kind, no span, no merge
 *
 * A Direct policy kind targets one kind, takes effect on the targets themselves and supports only the strategy None.
 * GEP-713, "Classes of meta resources"
 */
function* checkClass({ class: policyClass, targeting, hierarchy, merge }: PolicyDefinition): Generator<Problem> {
  if (policyClass !== "Direct") return;
  if (targeting.kinds.length > 1) {
    const kinds = targeting.kinds.map((kind) => kind.kind).join(", ");
    // Implementations have Direct kinds that may target several: it is worth knowing, and no mistake.
    yield info(
      "DefinitionDirectSeveralKinds",
      "spec.targeting.kinds",
      `spec.targeting.kinds lists ${kinds}; by GEP-713 a Direct policy kind targets a single kind. If policies on one of them should take effect on another, make the class Inherited.`,
    );
  }
  if (!merge.none && merge.accumulate === undefined) {
    yield error(
      "DefinitionDirectMerges",
      "spec.merge",
      "spec.merge merges specs; a Direct policy kind supports only the strategies None (GEP-713) and Accumulate. Leave it out, or make the class Inherited.",
    );
  }
  const levels = attachableLevels(targeting);
  for (const target of hierarchy.effectiveTargets) {
    if (levels.some((level) => sameLevel(level, target))) continue;
    yield error(
      "DefinitionDirectSpans",
      "spec.hierarchy.effectiveTargets",
      `spec.hierarchy.effectiveTargets lists ${formatLevel(target)}; a Direct policy takes effect on the kind that it targets only (GEP-713). Leave it out, or make the class Inherited.`,
    );
  }
}

function* checkKinds({ policies, targeting, hierarchy }: PolicyDefinition): Generator<Problem> {
  yield* duplicates(policies, "spec.policies");
  yield* duplicates(targeting.kinds, "spec.targeting.kinds");
  yield* duplicates(hierarchy.kinds, "spec.hierarchy.kinds");
  const { ref, refs, selectors } = targeting.fields;
  if (new Set([ref, refs, selectors]).size < 3) {
    yield error(
      "DefinitionDuplicate",
      "spec.targeting.fields",
      `spec.targeting.fields names one field twice (${[ref, refs, selectors].join(", ")}); each way of naming targets needs its own.`,
    );
  }
}

function* duplicates(kinds: readonly GroupKind[], field: string): Generator<Problem> {
  const seen = new Set<string>();
  for (const [i, kind] of kinds.entries()) {
    if (seen.has(kindId(kind))) {
      yield error(
        "DefinitionDuplicate",
        `${field}[${i}]`,
        `${field}[${i}] repeats ${kind.kind} (group "${kind.group}"). List each kind once.`,
      );
    }
    seen.add(kindId(kind));
  }
}

/** Every targetable level is an effective target or above one, and every mapped field is on a path. */
function* checkLevels({ targeting, hierarchy, mapsTo }: PolicyDefinition): Generator<Problem> {
  const ends = hierarchy.effectiveTargets;
  const leadsToEnd = (level: LevelKind): boolean =>
    ends.some((end) => sameLevel(level, end) || isAbove(level, end, hierarchy));
  const names = ends.map(formatLevel).join(", ");
  for (const level of attachableLevels(targeting)) {
    if (leadsToEnd(level)) continue;
    yield error(
      "DefinitionTargetBelowEffective",
      "spec.hierarchy.effectiveTargets",
      `spec.hierarchy.effectiveTargets is ${names}, but policies may be attached to ${formatLevel(level)}, which is not above any of them: such a policy would never take effect. Add ${formatLevel(level)} to it, or remove it from spec.targeting.`,
    );
  }
  const targetsNamespace = attachableLevels(targeting).some((level) => isNamespace(level));
  const endsAtNamespace = ends.some((end) => isNamespace(end));
  if (targetsNamespace && !endsAtNamespace && hierarchy.namespacesAbove.length === 0) {
    yield error(
      "DefinitionNamespaceReachesNothing",
      "spec.hierarchy.namespaces.above",
      "spec.hierarchy.namespaces.above is empty, but policies may be attached to a Namespace: list the kinds whose Namespace is a level above them.",
    );
  }
  yield* checkThrough([...attachableLevels(targeting), ...ends], hierarchy.through);
  for (const [i, { to }] of mapsTo.entries()) {
    if (leadsToEnd(to.level)) continue;
    yield error(
      "DefinitionMappingOffPath",
      `spec.mapsTo[${i}].to`,
      `spec.mapsTo[${i}].to is on ${formatLevel(to.level)}, which no path to ${names} goes through.`,
    );
  }
}

/** Conflicts on one target are about all requests: a mesh divides them by the namespace that they come from, which only None can do. */
function* checkSameTarget(merge: MergeRules, { crossNamespace }: Targeting): Generator<Problem> {
  const isPlain = merge.none
    ? merge.sameTarget !== "NoneWins" && merge.sameTarget !== "Undefined"
    : isMerged(merge) && merge.limit === undefined;
  if (crossNamespace !== "Consumer" || isPlain) return;
  const field = merge.limit === undefined ? "spec.merge.sameTarget" : "spec.merge.limit";
  yield error(
    "DefinitionMisplaced",
    field,
    `${field} has no meaning with crossNamespace Consumer, where policies of other namespaces take effect on other requests. Leave one of them out.`,
  );
}

/** True if policies on one target are merged with each other. */
const isMerged = ({ sameTarget }: MergeRules): boolean => sameTarget === "Established" || sameTarget === "OldestWins";

/** A path cannot pass a kind that `through` leaves out. Namespaces are levels by `namespaces.above` alone. */
function* checkThrough(used: readonly GroupKind[], through: readonly GroupKind[]): Generator<Problem> {
  const missing = used.filter((kind) => !isNamespace(kind) && !through.some((passed) => sameKind(passed, kind)));
  if (through.length === 0 || missing.length === 0) return;
  const names = [...new Set(missing.map(({ kind }) => kind))].join(", ");
  yield error(
    "DefinitionOutsideHierarchy",
    "spec.hierarchy.through",
    `spec.hierarchy.through leaves out ${names}, which the definition uses elsewhere. Add it, or leave through out.`,
  );
}

/** The policies that are merged with each other, and in which order. */
function* checkPartners({ bare, parents, skip, mostSpecific, annotation }: MergeRules): Generator<Problem> {
  const partners = skip !== undefined ? "skip" : mostSpecific !== undefined ? "mostSpecific" : "parents";
  if (bare === "Direct" && (parents === "Closest" || partners !== "parents"))
    yield error(
      "DefinitionMisplaced",
      `spec.merge.${partners}`,
      `spec.merge.${partners} has no meaning with bare: Direct, where a Direct policy replaces all others. Leave one of them out.`,
    );
  if (mostSpecific !== undefined && annotation?.between === "Objects")
    yield error(
      "DefinitionMisplaced",
      "spec.merge.mostSpecific",
      "spec.merge.mostSpecific contradicts spec.merge.annotation.between: Objects, which merges the policies of one object together. Leave one of them out.",
    );
}

function* checkMerge({ class: policyClass, merge, mapsTo, targeting }: PolicyDefinition): Generator<Problem> {
  yield* checkSameTarget(merge, targeting);
  if (merge.accumulate !== undefined) {
    const byReference = merge.accumulate.order.includes("Reference");
    if (byReference && (targeting.namedBy === undefined || merge.limit !== undefined))
      yield error(
        "DefinitionMisplaced",
        "spec.merge.order",
        `spec.merge.order has Reference, ${merge.limit === undefined ? "but no object names policies of the kind: spec.targeting.namedBy is missing" : "which has no meaning with spec.merge.limit, where precedence selects the policies"}. Leave one of them out.`,
      );
    if (policyClass === "Direct" && targeting.kinds.some(({ sections }) => sections.length > 0))
      yield error(
        "DefinitionMisplaced",
        "spec.targeting.kinds",
        "spec.targeting.kinds has sections, but policies of a Direct kind on an object and on its sections do not add up. Make the class Inherited.",
      );
    if (mapsTo.length > 0)
      yield error(
        "DefinitionMisplaced",
        "spec.mapsTo",
        "spec.mapsTo has no meaning with strategy Accumulate: a field of an object has one value. Leave it out.",
      );
    return;
  }
  yield* checkGranularity(merge, mapsTo.length > 0);
  yield* checkLists(merge, mapsTo.length > 0);
  yield* checkPartners(merge);
  yield* checkAnnotation(merge);
}

/** The fields that only some granularities have a use for. */
function* checkGranularity(merge: MergeRules, isMapped: boolean): Generator<Problem> {
  const granularities = supportedGranularities(merge);
  if (granularities.includes("Merge") && merge.rules.length === 0) {
    yield error(
      "DefinitionNoRules",
      "spec.merge.rules",
      "spec.merge.rules is empty, but the kind supports Merge: list the maps of the spec proper that contain named rules.",
    );
  }
  if (!merge.none && !granularities.includes("Merge") && merge.rules.length > 0) {
    yield warning(
      "DefinitionUnusedField",
      "spec.merge.rules",
      "spec.merge.rules has no effect: the kind does not support Merge.",
    );
  }
  if (!merge.none && !hasWholePaths(granularities) && merge.atomicPaths.length > 0 && !isMapped) {
    const why = granularities.includes("Patch")
      ? "the kind also supports Patch, which merges maps key by key"
      : "the kind supports neither Field nor Merge";
    yield warning("DefinitionUnusedField", "spec.merge.atomicPaths", `spec.merge.atomicPaths has no effect: ${why}.`);
  }
}

function* checkAnnotation({ decidedBy, annotation }: MergeRules): Generator<Problem> {
  if (decidedBy === "Annotation" && annotation === undefined) {
    yield error(
      "DefinitionNoAnnotation",
      "spec.merge.annotation",
      "spec.merge.annotation is missing, but decidedBy is Annotation: give its key and the meaning of its values.",
    );
  }
  if (decidedBy !== "Annotation" && annotation !== undefined) {
    yield warning(
      "DefinitionUnusedField",
      "spec.merge.annotation",
      `spec.merge.annotation has no effect: decidedBy is ${decidedBy}.`,
    );
  }
}

/** The merge rules of parts, with the fields of the part in messages. */
function* checkPartMerges(definition: PolicyDefinition): Generator<Problem> {
  for (const [i, { merge }] of (definition.parts ?? []).entries()) {
    if (merge === undefined) continue;
    for (const problem of checkMerge({ ...definition, merge, mapsTo: [] })) {
      const at = (text: string): string => text.replaceAll("spec.merge", `spec.parts[${i}].merge`);
      yield { ...problem, field: at(problem.field), message: at(problem.message) };
    }
  }
}

/** Lists that are merged item by item: not in a value that is compared as a whole, and not in a field of an object. */
function* checkLists(merge: MergeRules, hasMappings: boolean): Generator<Problem> {
  const { lists = [], atomicPaths } = merge;
  const field = "spec.merge.lists";
  if (lists.length === 0) return;
  if (hasMappings)
    yield error(
      "DefinitionMisplaced",
      field,
      `${field} has no meaning with mapsTo: a list of an object is one value. Leave one of them out.`,
    );
  const granularities = supportedGranularities(merge);
  if (!granularities.some((one) => one === "Field" || one === "Patch" || one === "Merge"))
    yield warning("DefinitionUnusedField", field, `${field} has no effect: the kind compares specs as a whole.`);
  const byLeaf = granularities.includes("Field") || granularities.includes("Patch");
  const wholes = [...atomicPaths, ...(byLeaf ? [] : merge.rules.map((map) => `${map}.*`))];
  for (const [i, { path }] of lists.entries()) {
    const above = wholes.find((whole) => isIn(path.split("."), whole.split(".")));
    if (above === undefined) continue;
    yield error(
      "DefinitionMisplaced",
      `${field}[${i}].path`,
      `${field}[${i}].path is "${path}", which is in ${above}, a map that is one value. Leave the list out: two policies never mix such a map.`,
    );
  }
}

/** True if a path is that of a map, or leads to something in it. */
const isIn = (path: readonly string[], map: readonly string[]): boolean =>
  path.length >= map.length && map.every((key, at) => key === "*" || path[at] === "*" || path[at] === key);

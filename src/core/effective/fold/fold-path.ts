import type { EffectiveField, EffectiveSpec } from "../../merge/effective-spec.ts";
import type { EmptyPolicyResult } from "../../merge/empty-policies.ts";
import { evaluatedPolicies } from "../../merge/evaluation-order.ts";
import { fold } from "../../merge/fold.ts";
import type { FoldLevel } from "../../merge/fold-level.ts";
import type { PointerState } from "../../merge/fold-result.ts";
import { isDirect } from "../../merge/is-direct.ts";
import { outcomesOf } from "../../merge/outcomes-of.ts";
import type { PartsAtEnd } from "../../merge/parts/compile-parts.ts";
import { foldParts } from "../../merge/parts/fold-parts.ts";
import type { RemovalOutcome } from "../../merge/provenance.ts";
import { byPointer, provenanceOf } from "../../merge/provenance-of.ts";
import type { RemovalResult } from "../../merge/removals.ts";
import type { LevelKind } from "../../model/definition.ts";
import type { Block, Policy } from "../../model/policy.ts";
import type { Node, Path } from "../paths/path.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { policiesIn, type Stack } from "../world/stack.ts";
import { isAbout, type MappedNode, NO_OWN_VALUES, type OwnItem, type OwnValues, ownValues } from "./own-values.ts";

/** Own values change with every edit of a route. An entry that was dropped is folded again on the next access. */
const MAX_KEYS = 4096;

/** The effective spec at the end of a path. Paths with the same stack and own values share it, so it is folded once for all of them. */
export function foldPath(path: Path, kind: CompiledKind, own: OwnValues = ownValuesOn(path, kind)): EffectiveSpec {
  const { stack } = path;
  const parts = kind.parts?.at(levelOf(path.node));
  if (parts !== undefined) return foldAtEnd(stack, own, kind, parts);
  const endLevels = endLevelsOf(path, kind);
  if (own.key === "" && endLevels === 0) {
    stack.effective ??= foldStack(stack, NO_OWN_VALUES, 0, kind);
    return stack.effective;
  }
  const key = `${endLevels}${own.key}`;
  let effective = stack.effectiveByKey?.get(key);
  if (effective === undefined) {
    effective = foldStack(stack, own, endLevels, kind);
    if (stack.effectiveByKey === undefined || stack.effectiveByKey.size >= MAX_KEYS) stack.effectiveByKey = new Map();
    stack.effectiveByKey.set(key, effective);
  }
  return effective;
}

/** Where parts take effect at different levels, the effective spec depends on the end of the path. */
function foldAtEnd(stack: Stack, own: OwnValues, kind: CompiledKind, parts: PartsAtEnd): EffectiveSpec {
  stack.effectiveByKey ??= new Map();
  const effective = stack.effectiveByKey.get(parts.key) ?? foldStack(stack, own, 0, kind, parts);
  stack.effectiveByKey.set(parts.key, effective);
  return effective;
}

/** The own values of objects on the path, in the fields that the kind maps onto. */
export const ownValuesOn = (path: Path, kind: CompiledKind): OwnValues =>
  kind.mappings.length === 0 ? NO_OWN_VALUES : ownValues(mappedNodes(path, kind), kind.mappings, kind.ownUnitRules);

/** The state of every pointer at the end of a path: of the spec, then of each item of an object's field. An `EffectiveSpec` has only what is reported. */
export function pointerStatesAt(path: Path, kind: CompiledKind): readonly (readonly PointerState[])[] {
  const own = ownValuesOn(path, kind);
  const parts = kind.parts?.at(levelOf(path.node));
  const { spec, items } = runFolds(levelsOf(path.stack, own, endLevelsOf(path, kind), kind, parts), own, kind, parts);
  return [spec.states, ...items.map(({ states }) => states)].map(byPointer);
}

const NO_FIELDS: readonly EffectiveField[] = [];

function foldStack(
  stack: Stack,
  own: OwnValues,
  endLevels: number,
  kind: CompiledKind,
  parts?: PartsAtEnd,
): EffectiveSpec {
  const levels = levelsOf(stack, own, endLevels, kind, parts);
  const { spec, items } = runFolds(levels, own, kind, parts);
  const policies = haveAllPart(own, kind)
    ? policiesIn(stack)
    : levels.flatMap(({ policies: own, replaced = [] }) => [...own, ...replaced]);
  // There are many stacks, and a spread would take longer than the fold.
  const { spec: result, sources, ownSources } = provenanceOf(spec.states);
  const removed = removalsOf(spec, items);
  const outcomes = outcomesOf(
    policies,
    [spec.states, ...items.map(({ states }) => states)],
    removed,
    spec.emptyPolicies,
  );
  const conditionErrors = items.length === 0 ? spec.conditionErrors : distinctErrors([spec, ...items]);
  const fields = items.length === 0 ? NO_FIELDS : items.map(fieldOf);
  const removals = removed.length === 0 ? NO_REMOVALS : removed.map(plainRemoval);
  const { accumulate } = kind.definition.merge;
  if (spec.order === undefined || accumulate === undefined)
    return { spec: result, sources, ownSources, outcomes, conditionErrors, removals, fields };
  const order = evaluatedPolicies(spec.order, accumulate);
  return { spec: result, sources, ownSources, outcomes, conditionErrors, removals, fields, order };
}

interface FoldedStates extends Pick<EffectiveSpec, "conditionErrors"> {
  readonly states: readonly PointerState[];
  readonly removals: readonly RemovalResult[];
}

const NO_RESULTS: readonly RemovalResult[] = [];
const NO_REMOVALS: readonly RemovalOutcome[] = [];
const NO_EMPTY_POLICIES: readonly EmptyPolicyResult[] = [];

/**
 * The outcome of each entry of `remove` on a path: it takes effect if it does in the spec or in an item of an object's field. A policy
 * at several levels has its entries once.
 */
function removalsOf(spec: FoldedStates, items: readonly FoldedItem[]): readonly RemovalResult[] {
  if (spec.removals.length === 0) return NO_RESULTS;
  const all = new Map<string, RemovalResult>();
  for (const result of [spec, ...items].flatMap(({ removals }) => removals)) {
    const key = JSON.stringify([result.policy.id, result.block.name, result.entry]);
    const known = all.get(key);
    all.set(key, known === undefined ? result : joined(known, result));
  }
  return [...all.values()];
}

const STATES: readonly RemovalResult["state"][] = ["inEffect", "overridden", "neutral", "gated"];

function joined(a: RemovalResult, b: RemovalResult): RemovalResult {
  const [first, second] = STATES.indexOf(a.state) <= STATES.indexOf(b.state) ? [a, b] : [b, a];
  if (first.state !== second.state) return first;
  const removes = [...new Set([...first.removes, ...second.removes])].sort();
  return { ...first, removes, by: [...new Set([...first.by, ...second.by])] };
}

const plainRemoval = ({ policy, block, entry, state, removes, by }: RemovalResult): RemovalOutcome => ({
  policy: policy.id,
  block: block.name,
  entry,
  state,
  removes,
  by: by.map(({ id }) => id),
});

interface FoldedItem extends FoldedStates {
  readonly item: OwnItem;
}

const NO_ITEMS: readonly FoldedItem[] = [];

/** Folds the stack into the spec, and once more into each item of an object's field that policies may set. */
function runFolds(
  levels: readonly FoldLevel[],
  own: OwnValues,
  { definition, tools }: CompiledKind,
  parts: PartsAtEnd | undefined,
): {
  readonly spec: FoldedStates & {
    readonly emptyPolicies: readonly EmptyPolicyResult[];
    readonly order: readonly Policy[] | undefined;
  };
  readonly items: readonly FoldedItem[];
} {
  const { states, conditionErrors, removals, emptyPolicies, order } = foldParts(
    levels,
    own.units,
    { definition, tools },
    parts,
  );
  const isInSpec = (pointer: string): boolean => !isAbout(pointer, own.notInSpec);
  const spec = {
    conditionErrors,
    states: statesInSpec(states, own),
    removals: removals?.results(isInSpec) ?? NO_RESULTS,
    emptyPolicies: emptyPolicies?.results() ?? NO_EMPTY_POLICIES,
    order,
  };
  if (own.items.length === 0) return { spec, items: NO_ITEMS };
  const items = own.items.map((item): FoldedItem => {
    // All own values take part, so that conditions see the whole spec for this item.
    const folded = fold(levels, [...item.units, ...own.units], definition, tools);
    const isInItem = (pointer: string): boolean => isAbout(pointer, [item.from]);
    return {
      item,
      conditionErrors: folded.conditionErrors,
      states: folded.states.filter(({ pointer }) => isInItem(pointer)),
      removals: folded.removals?.results(isInItem) ?? NO_RESULTS,
    };
  });
  return { spec, items };
}

/** Settings that go to items only, or nowhere, are not part of the spec. */
const statesInSpec = (states: readonly PointerState[], { notInSpec }: OwnValues): readonly PointerState[] =>
  notInSpec.length === 0 ? states : states.filter(({ pointer }) => !isAbout(pointer, notInSpec));

const fieldOf = ({ item, states }: FoldedItem): EffectiveField => ({
  object: item.object,
  pointer: item.pointer,
  ...provenanceOf(states),
});

/** The folds of one path see the same conditions, so each error is listed once. */
function distinctErrors(folds: readonly FoldedStates[]): EffectiveSpec["conditionErrors"] {
  const errors = folds.flatMap(({ conditionErrors }) => conditionErrors);
  return errors.filter(
    ({ policy, block, message }, at) =>
      errors.findIndex((one) => one.policy === policy && one.block === block && one.message === message) === at,
  );
}

/** The levels of a stack, the most specific first. `endLevels`: how many of them belong to the end of the path. */
function levelsOf(
  stack: Stack,
  own: OwnValues,
  endLevels: number,
  kind: CompiledKind,
  parts: PartsAtEnd | undefined,
): readonly FoldLevel[] {
  const levels: FoldLevel[] = [];
  const areAll = haveAllPart(own, kind);
  for (let at: Stack | undefined = stack; at?.set !== undefined; at = at.up) {
    const { policies, replaced } = at.set;
    const isEnd = levels.length < endLevels;
    const keeps = (policy: Policy): boolean => hasPart(policy, isEnd, own, kind, parts);
    const part = areAll ? policies : policies.filter(keeps);
    levels.push(
      areAll
        ? at.set
        : { ...at.set, policies: part, ...(replaced === undefined ? {} : { replaced: replaced.filter(keeps) }) },
    );
  }
  return levels;
}

const haveAllPart = ({ nowhere }: OwnValues, { definition, parts }: CompiledKind): boolean =>
  nowhere.length === 0 && definition.merge.bare !== "Direct" && parts === undefined;

/** A Direct policy has a part in paths that end at its target; any other where one of its settings has somewhere to go. */
function hasPart(
  policy: Policy,
  isEnd: boolean,
  { nowhere }: OwnValues,
  { definition }: CompiledKind,
  parts: PartsAtEnd | undefined,
): boolean {
  if (parts !== undefined) return parts.hasPart(policy);
  if (!isEnd && isDirect(policy, definition.merge)) return false;
  return policy.blocks.length === 0 || policy.blocks.some((block) => goesSomewhere(block, nowhere));
}

const goesSomewhere = ({ units, remove }: Block, nowhere: readonly string[]): boolean =>
  remove.length > 0 || units.some(({ pointer }) => !isAbout(pointer, nowhere));

/** The number of the stack's last sets that are on the effective target, or on the object that it is a section of. */
function endLevelsOf(path: Path, { stacks, definition }: CompiledKind): number {
  if (definition.merge.bare !== "Direct") return 0;
  const own = ownLevels(path, stacks);
  return path.node.section === undefined || path.up === undefined ? own : own + ownLevels(path.up, stacks);
}

/** The number of sets on the last node of the path: of policies that target it, and of policies that it names. */
function ownLevels({ stack, up }: Path, { empty }: CompiledKind["stacks"]): number {
  const above = up?.stack ?? empty;
  let levels = 0;
  for (let at: Stack | undefined = stack; at !== undefined && at !== above; at = at.up) levels++;
  return levels;
}

/** The nodes that a mapping of the kind leads into: a section both as a node and as part of its object. */
function mappedNodes(path: Path, { mappings }: CompiledKind): readonly MappedNode[] {
  const nodes: MappedNode[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    const { node } = at;
    const raw = node.section?.raw ?? node.raw;
    if (raw !== undefined && mappings.some(({ level }) => level.kind === node.ref.kind))
      nodes.push({ object: node.id, level: levelOf(node), raw, index: node.section?.index });
  }
  return nodes;
}

function levelOf({ ref, section }: Node): LevelKind {
  const { group, kind } = ref;
  return section === undefined ? { group, kind } : { group, kind, section: section.section };
}

import { type Folded, type FoldLevel, fold } from "../merge/fold.ts";
import type { LevelKind } from "../model/definition.ts";
import type { Policy } from "../model/policy.ts";
import type { ObjectId, TargetId } from "../model/refs.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import { type CoreField, type EffectiveCore, effectiveCore, sourcesOf } from "./effective-core.ts";
import type { EffectivePolicy, MappedField, PathNode, Source } from "./effective-policy.ts";
import { type MappedNode, NO_OWN_VALUES, type OwnValues, ownValues } from "./own-values.ts";
import { endOf, type Node, type Path, shownPath } from "./path-finder.ts";
import type { Stack } from "./stack.ts";

/** Own values come and go with every edit of a route; what is forgotten is folded again when it is asked for. */
const MAX_FOLDS = 4096;

/** The effective policy at the end of a path; folded once for all paths with the same stack and own values. */
export function effectiveAt(path: Path, kind: CompiledKind, own: OwnValues = ownValuesOf(path, kind)): EffectiveCore {
  const { stack } = path;
  const endLevels = kind.definition.merge.bare === "Direct" ? countEndLevels(path, kind) : 0;
  if (own.key === "" && endLevels === 0) {
    stack.fold ??= foldStack(stack, own, endLevels, kind);
    return stack.fold;
  }
  const key = `${endLevels}${own.key}`;
  let core = stack.folds?.get(key);
  if (core === undefined) {
    core = foldStack(stack, own, endLevels, kind);
    if (stack.folds === undefined || stack.folds.size >= MAX_FOLDS) stack.folds = new Map();
    stack.folds.set(key, core);
  }
  return core;
}

const ownValuesOf = (path: Path, kind: CompiledKind): OwnValues =>
  kind.mappings.length === 0 ? NO_OWN_VALUES : ownValues(mappedNodes(path, kind), kind.mappings, kind.tools.unitRules);

function foldStack(stack: Stack, own: OwnValues, endLevels: number, kind: CompiledKind): EffectiveCore {
  const levels: FoldLevel[] = [];
  const policies: Policy[] = [];
  for (let at: Stack | undefined = stack; at?.set !== undefined; at = at.up) {
    levels.push(levels.length < endLevels ? { ...at.set, isEnd: true } : at.set);
    for (const policy of at.set.policies) policies.push(policy);
  }
  const { merge } = kind.definition;
  const run = (units: OwnValues["units"]): Folded => fold(levels, units, merge, kind.tools);
  const fields = own.items.map(({ object, pointer, units }) => ({ object, pointer, folded: run(units) }));
  return effectiveCore(run(own.units), candidatesAmong(policies, levels, kind), fields);
}

/** Bare rules as Direct are candidates only where the path ends at their target: a policy with nothing else has no part in others. */
function candidatesAmong(
  policies: readonly Policy[],
  levels: readonly FoldLevel[],
  { definition }: CompiledKind,
): readonly Policy[] {
  if (definition.merge.bare !== "Direct") return policies;
  return policies.filter(
    (policy) =>
      policy.blocks.length === 0 ||
      policy.blocks.some(({ name }) => name !== "bare") ||
      levels.some((level) => level.isEnd && level.policies.includes(policy)),
  );
}

/** The last links of the stack that belong to the end itself, or to the object that the end is a section of. */
function countEndLevels(path: Path, { stacks }: CompiledKind): number {
  const pushed = (at: Path): number => (at.stack === (at.up?.stack ?? stacks.empty) ? 0 : 1);
  return pushed(path) + (path.node.section !== undefined && path.up !== undefined ? pushed(path.up) : 0);
}

/** The nodes that a mapping of the kind leads into: sections both as nodes and as part of their object. */
function mappedNodes(path: Path, { mappings }: CompiledKind): readonly MappedNode[] {
  const nodes: MappedNode[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    const { node } = at;
    const level = levelOf(node);
    const raw = node.section?.raw ?? node.raw;
    if (raw !== undefined && mappings.some((mapping) => mapping.level.kind === level.kind)) {
      nodes.push({ object: node.id, level, raw, index: node.section?.index });
    }
  }
  return nodes;
}

function levelOf({ ref, section }: Node): LevelKind {
  const { group, kind } = ref;
  return section === undefined ? { group, kind } : { group, kind, section: section.section };
}

/** A section at the end of a path, where nothing but its name tells it from the others. */
export interface PathEnd {
  readonly target: TargetId;
  readonly node: PathNode;
}

/** The effective policy of one path, or of one that goes on to `below`, as plain data. */
export function effectivePolicy(path: Path, kind: CompiledKind, below?: PathEnd): EffectivePolicy {
  const own = ownValuesOf(path, kind);
  const core = effectiveAt(path, kind, own);
  const effective: EffectivePolicy = {
    policyKind: kind.policyKind,
    target: below?.target ?? endOf(path),
    path: shownPath(path, below?.node),
    spec: core.spec,
    sources: sourcesAt(core, own.object, kind),
  };
  // By far the most paths have nothing more to say.
  if (path.from === undefined && !path.incomplete && core.fields.length === 0) return effective;
  const { policyKind, target, path: nodes, ...rest } = effective;
  return {
    policyKind,
    target,
    path: nodes,
    ...(path.from === undefined ? {} : { from: path.from }),
    ...(path.incomplete ? { incomplete: true as const } : {}),
    ...rest,
    ...(core.fields.length === 0 ? {} : { fields: core.fields.map(mappedField) }),
  };
}

const mappedField = (field: CoreField): MappedField => ({
  object: field.object,
  pointer: field.pointer,
  spec: field.spec,
  sources: sourcesOf(field, field.object),
});

/** Shared like the fold itself, unless they name the object at the end of this path. */
const sourcesAt = (core: EffectiveCore, object: ObjectId | undefined, { sources }: CompiledKind): readonly Source[] =>
  object === undefined ? sources.of(core) : sourcesOf(core, object);

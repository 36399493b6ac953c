import { type Folded, type FoldLevel, fold } from "../../merge/fold.ts";
import type { Place } from "../../merge/fold-result.ts";
import { isDirect } from "../../merge/is-direct.ts";
import type { LevelKind } from "../../model/definition.ts";
import type { Block, Policy } from "../../model/policy.ts";
import type { ObjectId, TargetId } from "../../model/refs.ts";
import { endOf, type Node, type Path, shownPath } from "../paths/path.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { type CoreField, EffectiveCore, sourcesOf } from "./effective-core.ts";
import type { EffectivePolicy, MappedField, PathNode, Source } from "./effective-policy.ts";
import { countedPlaces, type FoldedField, type FoldPattern, foldPattern } from "./fold-pattern.ts";
import { isAbout, type MappedNode, NO_OWN_VALUES, type OwnValues, ownValues } from "./own-values.ts";
import { policiesIn } from "./policy-chain.ts";
import type { Stack } from "./stack.ts";

/** Own values come and go with every edit of a route; what is forgotten is folded again when it is asked for. */
const MAX_FOLDS = 4096;

/** The effective policy at the end of a path; folded once for all paths with the same stack and own values. */
export function effectiveAt(path: Path, kind: CompiledKind, own: OwnValues = ownValuesOf(path, kind)): EffectiveCore {
  const { stack } = path;
  const endLevels = endLevelsOf(path, kind);
  if (own.key === "" && endLevels === 0) return foldOf(stack, kind);
  const key = `${endLevels}${own.key}`;
  let core = stack.folds?.get(key);
  if (core === undefined) {
    core = new EffectiveCore(patternWith(stack, own, endLevels, key, kind), stack);
    if (stack.folds === undefined || stack.folds.size >= MAX_FOLDS) stack.folds = new Map();
    stack.folds.set(key, core);
  }
  return core;
}

/** The same where nothing but the stack counts. */
export function foldOf(stack: Stack, kind: CompiledKind): EffectiveCore {
  if (stack.fold === undefined) {
    const { pattern } = stack;
    pattern.fold ??= foldStack(stack, NO_OWN_VALUES, 0, kind);
    stack.fold = new EffectiveCore(pattern.fold, stack);
  }
  return stack.fold;
}

function patternWith(stack: Stack, own: OwnValues, endLevels: number, key: string, kind: CompiledKind): FoldPattern {
  const { pattern } = stack;
  // Items are those of one object, and no other stack meets that object's values.
  if (own.items.length > 0) return foldStack(stack, own, endLevels, kind);
  let fold = pattern.folds?.get(key);
  if (fold === undefined) {
    fold = foldStack(stack, own, endLevels, kind);
    if (pattern.folds === undefined || pattern.folds.size >= MAX_FOLDS) pattern.folds = new Map();
    pattern.folds.set(key, fold);
  }
  return fold;
}

const ownValuesOf = (path: Path, kind: CompiledKind): OwnValues =>
  kind.mappings.length === 0 ? NO_OWN_VALUES : ownValues(mappedNodes(path, kind), kind.mappings, kind.tools.unitRules);

/** Who holds each place at the end of a path and who lost it, for whoever looks closer: a fold keeps only what it tells. */
export function placesAt(path: Path, kind: CompiledKind): readonly (readonly Place[])[] {
  const own = ownValuesOf(path, kind);
  const { whole, fields } = runFolds(path.stack, own, endLevelsOf(path, kind), kind);
  return countedPlaces(whole, fields, own);
}

function foldStack(stack: Stack, own: OwnValues, endLevels: number, kind: CompiledKind): FoldPattern {
  const { whole, fields, levels } = runFolds(stack, own, endLevels, kind);
  const policies = policiesIn(stack);
  const candidates = haveAllPart(own, kind) ? policies : levels.flatMap((level) => level.policies);
  return foldPattern(whole, fields, own, { policies, candidates });
}

const NOTHING_SET: readonly FoldedField[] = [];

interface Folds {
  readonly levels: readonly FoldLevel[];
  readonly whole: Folded;
  readonly fields: readonly FoldedField[];
}

function runFolds(stack: Stack, own: OwnValues, endLevels: number, kind: CompiledKind): Folds {
  const levels = levelsOf(stack, own, endLevels, kind);
  const { definition, tools } = kind;
  const whole = fold(levels, own.units, definition, tools);
  if (own.items.length === 0) return { levels, whole, fields: NOTHING_SET };
  const fields = own.items.map(({ object, pointer, from, units }) => ({
    object,
    pointer,
    from,
    // Everything, so that conditions see the whole spec as it is for this item.
    folded: fold(levels, [...units, ...own.units], definition, tools),
  }));
  return { levels, whole, fields };
}

/** `endLevels`: how many of the last links belong to the end of the path. */
function levelsOf(stack: Stack, own: OwnValues, endLevels: number, kind: CompiledKind): readonly FoldLevel[] {
  const levels: FoldLevel[] = [];
  const areAll = haveAllPart(own, kind);
  for (let at: Stack | undefined = stack; at?.set !== undefined; at = at.up) {
    const { policies, annotated } = at.set;
    const isEnd = levels.length < endLevels;
    const part = areAll ? policies : policies.filter((policy) => hasPart(policy, isEnd, own, kind));
    levels.push(areAll ? at.set : { policies: part, annotated });
  }
  return levels;
}

const haveAllPart = ({ nowhere }: OwnValues, { definition }: CompiledKind): boolean =>
  nowhere.length === 0 && definition.merge.bare !== "Direct";

/** A Direct policy has a part in paths that end at its target, any other where something that it says goes anywhere. */
function hasPart(policy: Policy, isEnd: boolean, { nowhere }: OwnValues, { definition }: CompiledKind): boolean {
  if (!isEnd && isDirect(policy, definition.merge)) return false;
  return policy.blocks.length === 0 || policy.blocks.some((block) => goesSomewhere(block, nowhere));
}

const goesSomewhere = ({ units, remove }: Block, nowhere: readonly string[]): boolean =>
  remove.length > 0 || units.some(({ pointer }) => !isAbout(pointer, nowhere));

/** Where it matters: the last links of the stack that belong to the end itself, or to the object that the end is a section of. */
function endLevelsOf(path: Path, { stacks, definition }: CompiledKind): number {
  if (definition.merge.bare !== "Direct") return 0;
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

/** The effective policy of one path as plain data. `target`, `nodes`: how it is shown, where that is known. */
export function effectivePolicy(
  path: Path,
  kind: CompiledKind,
  target: TargetId = endOf(path),
  nodes: readonly PathNode[] = shownPath(path),
): EffectivePolicy {
  const own = ownValuesOf(path, kind);
  const core = effectiveAt(path, kind, own);
  return shownPolicy(
    kind,
    target,
    nodes,
    path,
    core,
    sourcesOf(core, (pointer) => ownerOf(pointer, own)),
  );
}

/** `path`: the path, or as much of it as tells whose traffic it is. */
export function shownPolicy(
  { policyKind }: CompiledKind,
  target: TargetId,
  nodes: readonly PathNode[],
  path: Pick<Path, "from" | "incomplete">,
  core: EffectiveCore,
  sources: readonly Source[],
): EffectivePolicy {
  const { spec } = core;
  // By far the most paths have nothing more to say.
  const fields = core.pattern.fields.length === 0 ? NO_FIELDS : core.fields;
  if (path.from === undefined && !path.incomplete && fields === NO_FIELDS)
    return { policyKind, target, path: nodes, spec, sources };
  return {
    policyKind,
    target,
    path: nodes,
    ...(path.from === undefined ? {} : { from: path.from }),
    ...(path.incomplete ? { incomplete: true as const } : {}),
    spec,
    sources,
    ...(fields === NO_FIELDS ? {} : { fields: fields.map(mappedField) }),
  };
}

/** Whose own value holds a place: of several the most specific. */
const ownerOf = (pointer: string, { units, objects }: OwnValues): ObjectId | undefined =>
  objects[units.findIndex((unit) => unit.pointer === pointer)];

const NO_FIELDS: readonly CoreField[] = [];

const mappedField = (field: CoreField): MappedField => ({
  object: field.object,
  pointer: field.pointer,
  spec: field.spec,
  sources: sourcesOf(field, () => field.object),
});

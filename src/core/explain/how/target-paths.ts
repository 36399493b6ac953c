/** The paths of a policy kind through a target, and the values of wanted settings on them. */
import { effectivePolicyAt } from "../../effective/fold/effective-policy-at.ts";
import { foldPath, ownValuesOn } from "../../effective/fold/fold-path.ts";
import { isAbout } from "../../effective/fold/own-values.ts";
import { type SpecOrField, specAndFields } from "../../effective/fold/spec-and-fields.ts";
import { type Path, plainPath } from "../../effective/paths/path.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import { type Json, jsonEqual } from "../../model/json.ts";
import { valueAtKeys } from "../../model/json-pointer.ts";
import { kindId, parseObjectId } from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { nodesKey } from "../nodes-key.ts";
import { forEachAnyPathThrough, type ObjectOrSection } from "../paths-through.ts";
import type { UnitWish } from "./settings.ts";

/** One path through the target. */
export interface TargetPath {
  /** The root first. */
  readonly nodes: readonly PathNode[];
  readonly from?: string;
  readonly incomplete: boolean;
  /** Undefined: a target of a Direct kind without a policy. */
  readonly path: Path | undefined;
}

/** Every path through the target, with or without policies. */
export function targetPaths(world: World, kind: CompiledKind, target: ObjectOrSection): readonly TargetPath[] {
  const found: TargetPath[] = [];
  forEachAnyPathThrough(world, kind, target, (path) => {
    const { from, incomplete } = path;
    found.push({ nodes: plainPath(path), ...(from === undefined ? {} : { from }), incomplete, path });
  });
  if (kind.definition.class !== "Direct") return found;
  const covered = new Set(found.map(({ nodes }) => nodesKey(nodes)));
  return [...found, ...directTargets(world, kind, target).filter(({ nodes }) => !covered.has(nodesKey(nodes)))];
}

/** The object, or its sections, where policies of a Direct kind take effect. */
function directTargets(world: World, kind: CompiledKind, { id, sectionName }: ObjectOrSection): readonly TargetPath[] {
  const { group, kind: name, namespace, name: own } = parseObjectId(id);
  const node: PathNode = { group, kind: name, namespace, name: own };
  const end = kind.ends.get(kindId(node));
  const object = world.objects.get(id);
  const facts = world.rulebook.factsOf(kindId(node));
  if (end === undefined) return [];
  const sections = object === undefined || facts === undefined ? [] : sectionsOf(object, facts);
  const ends = sections.filter(({ section }) => end.sections.has(section));
  const bare = (nodes: readonly PathNode[]): TargetPath => ({ nodes, incomplete: false, path: undefined });
  if (ends.length === 0) return sectionName === undefined ? [bare([node])] : [];
  return ends
    .filter((section) => sectionName === undefined || section.name === sectionName)
    .map((section) => bare([node, { ...node, sectionName: section.name }]));
}

/**
 * The specs of a path that have a setting: the effective spec, or each item of an object's own field that the setting maps onto. Empty
 * if it maps onto nothing there.
 */
export function foldsWith({ path }: TargetPath, kind: CompiledKind, { pointer }: UnitWish): readonly SpecOrField[] {
  if (path === undefined) return [{ spec: {}, sources: [] }];
  const own = ownValuesOn(path, kind);
  const folds = specAndFields(effectivePolicyAt(path, kind));
  if (own.notInSpec.length === 0 && own.items.length === 0) return folds;
  const items = own.items.filter((item) => isAbout(pointer, [item.from]));
  return folds.filter(({ field }) =>
    field === undefined
      ? !isAbout(pointer, own.notInSpec)
      : items.some((item) => item.object === field.object && item.pointer === field.pointer),
  );
}

/** The values of a setting on a path: one, unless it maps onto several items of an object. */
function valuesOn(one: TargetPath, kind: CompiledKind, setting: UnitWish): readonly (Json | undefined)[] {
  const { path } = one;
  if (path === undefined) return [undefined];
  const own = ownValuesOn(path, kind);
  // Mostly all settings are in the spec, and paths with the same stack share the fold.
  const isPlain = own.notInSpec.length === 0 && own.items.length === 0;
  const specs = isPlain ? [foldPath(path, kind, own)] : foldsWith(one, kind, setting);
  return specs.map(({ spec }) => valueAtKeys(spec, setting.keys) ?? undefined);
}

/** True if the path has the value that is wanted. */
export function hasSetting(path: TargetPath, kind: CompiledKind, setting: UnitWish): boolean {
  const values = valuesOn(path, kind, setting);
  if (values.length === 0) return setting.value === undefined;
  return values.every((value) => jsonEqual(value, setting.value));
}

export const hasSettings = (path: TargetPath, kind: CompiledKind, settings: readonly UnitWish[]): boolean =>
  settings.every((setting) => hasSetting(path, kind, setting));

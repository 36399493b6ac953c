/** The object's own field, where the policy kind maps onto it. */
import { ownValuesOn } from "../../../effective/fold/fold-path.ts";
import type { PathNode } from "../../../effective/paths/path-node.ts";
import type { CompiledMapping } from "../../../effective/world/compile-mapping.ts";
import type { World } from "../../../effective/world/world.ts";
import type { JsonObject } from "../../../model/json.ts";
import { formatRef, type ObjectId, objectId, parseObjectId } from "../../../model/refs.ts";
import { joinWords } from "../../../model/words/count-kinds.ts";
import { forEachAnyPathThrough, leadsThrough } from "../../paths-through.ts";
import { type HowDraft, NO_CHANGE, rawIn, withStep } from "../draft.ts";
import { withoutValue, withValue } from "../edit-json.ts";
import { formatNames, formatWanted, type HowSearch, MAX_OBJECTS } from "../search.ts";
import { parsePath, type UnitWish } from "../settings.ts";
import type { TargetPath } from "../target-paths.ts";
import { nodeKey } from "./levels-of-paths.ts";
import { sectionOf } from "./targetable.ts";

/** A field of an object that a setting maps onto, on some paths. */
interface OwnField {
  readonly node: PathNode;
  readonly setting: UnitWish;
  /** Keys and indexes in the object. */
  readonly keys: readonly string[];
}

/** Sets the fields on all paths that do not have the settings. Undefined if the kind does not map the settings onto fields there. */
export function setFields(search: HowSearch): HowDraft | undefined {
  const fields = ownFields(search);
  if (fields === undefined || fields.length === 0) return undefined;
  const byObject = new Map<ObjectId, OwnField[]>();
  for (const field of fields) {
    const id = objectId(field.node);
    byObject.set(id, [...(byObject.get(id) ?? []), field]);
  }
  if (byObject.size > MAX_OBJECTS) {
    search.leaveOut(`the own fields of ${byObject.size} objects: more than ${MAX_OBJECTS}`);
    return undefined;
  }
  if (fields.some(({ node }) => reachesUnknown(search, node))) {
    search.leaveOut("the own field: it takes effect on other targets, too, where no policy is known");
    return undefined;
  }
  let draft = NO_CHANGE;
  for (const [id, own] of [...byObject].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const raw = rawIn(search.world, draft, id);
    if (raw === undefined) return undefined;
    draft = withStep(draft, stepOf(search.world, id, own), parseObjectId(id), own.reduce(setField, raw));
  }
  return draft;
}

const setField = (raw: JsonObject, { keys, setting: { value } }: OwnField): JsonObject =>
  value === undefined ? withoutValue(raw, keys) : withValue(raw, keys, value);

function stepOf(world: World, id: ObjectId, fields: readonly OwnField[]): HowDraft["steps"][number] {
  const nodes = [...new Map(fields.map(({ node }) => [nodeKey(node), node])).values()];
  const settings = [...new Map(fields.map(({ setting }) => [setting.pointer, setting])).values()];
  const sections = nodes.flatMap((node) => sectionOf(world, node) ?? []);
  const noun = `${sections[0]?.section.toLowerCase() ?? ""}${sections.length > 1 ? "s" : ""}`;
  const at = sections.length === 0 ? "" : `, ${noun} ${joinWords(sections.map(({ name }) => name))}`;
  const where = `${formatRef(parseObjectId(id))} itself${at}`;
  const isSet = settings.some(({ value }) => value !== undefined);
  return {
    way: "SetField",
    object: id,
    targets: nodes,
    summary: isSet ? `Set ${formatWanted(settings)} in ${where}` : `Remove ${formatNames(settings)} from ${where}`,
  };
}

/** Undefined if a setting maps onto nothing on a path. */
function ownFields({ world, kind, unmet, settings }: HowSearch): readonly OwnField[] | undefined {
  const fields = new Map<string, OwnField>();
  for (const path of unmet) {
    for (const setting of settings) {
      const mapping = kind.mappings.find(({ from }) => from.path.every((key, at) => key === setting.keys[at]));
      const node = mapping === undefined ? undefined : mappedNode(world, path, mapping);
      if (mapping === undefined || node === undefined) return undefined;
      const found = mapping.isList
        ? itemFields(path, kind, mapping, node, setting)
        : [{ node, setting, keys: keysOf(world, mapping, node, setting) }];
      if (found.length === 0) return undefined;
      for (const field of found) fields.set(`${nodeKey(node)} ${JSON.stringify(field.keys)}`, field);
    }
  }
  return [...fields.values()];
}

/** The most specific node of the path that the mapping leads into, if a document defines it. */
function mappedNode(world: World, { nodes }: TargetPath, { level }: CompiledMapping): PathNode | undefined {
  const node = nodes.findLast(
    (one) =>
      one.kind === level.kind &&
      one.group === level.group &&
      (level.section === undefined ? one.sectionName === undefined : sectionOf(world, one)?.section === level.section),
  );
  return node !== undefined && world.objects.has(objectId(node)) ? node : undefined;
}

function keysOf(world: World, mapping: CompiledMapping, node: PathNode, setting: UnitWish): readonly string[] {
  const section = mapping.level.section === undefined ? undefined : sectionOf(world, node);
  const list = mapping.listPointer.split("/").slice(1);
  const steps = mapping.steps.flatMap((step) => ("key" in step ? [step.key] : []));
  const rest = setting.keys.slice(mapping.from.path.length);
  return [...(section === undefined ? [] : [...list, String(section.index)]), ...steps, ...rest];
}

/** The fields of the list items that the object has. */
function itemFields(
  { path }: TargetPath,
  kind: HowSearch["kind"],
  mapping: CompiledMapping,
  node: PathNode,
  setting: UnitWish,
): readonly OwnField[] {
  if (path === undefined) return [];
  const rest = setting.keys.slice(mapping.from.path.length);
  return ownValuesOn(path, kind)
    .items.filter((item) => item.object === objectId(node) && item.from === mapping.from.pointer)
    .map((item) => ({ node, setting, keys: [...(parsePath(item.pointer) ?? []), ...rest] }));
}

/**
 * True if the field also takes effect on a path outside of the target that has no policy. Plans compare effective policies, so a change
 * there would not be counted.
 */
function reachesUnknown({ world, kind, target }: HowSearch, node: PathNode): boolean {
  let found = false;
  const section = node.sectionName === undefined ? {} : { sectionName: node.sectionName };
  forEachAnyPathThrough(world, kind, { id: objectId(node), ...section }, (path) => {
    found ||= !leadsThrough(path, target) && path.stack === kind.stacks.empty;
  });
  return found;
}

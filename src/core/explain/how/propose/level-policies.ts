/** Policies on the levels of the target's paths: new ones, and ones that exist and get the settings. */
import type { PathNode } from "../../../effective/paths/path-node.ts";
import { setsAt } from "../../../effective/world/stack.ts";
import type { PolicyRecord } from "../../../effective/world/world.ts";
import { isJsonList, type Json, type JsonObject, jsonEqual } from "../../../model/json.ts";
import { valueAtKeys } from "../../../model/json-pointer.ts";
import { BLOCK_ORDER, type BlockName } from "../../../model/policy.ts";
import { formatRef, kindId, type ObjectRef, objectId, type PolicyId } from "../../../model/refs.ts";
import { joinWords } from "../../../model/words/count-kinds.ts";
import { formatKeys } from "../../../model/words/format-keys.ts";
import { type HowDraft, NO_CHANGE, rawIn, withStep } from "../draft.ts";
import { withValue } from "../edit-json.ts";
import { blockKeys, type UnitValue, withoutSettings, withSettings } from "../edit-policy.ts";
import { type BlockFormat, granularityOf, type PolicyFormat, specIn } from "../policy-format.ts";
import { formatNames, formatWanted, type HowSearch, MAX_OBJECTS } from "../search.ts";
import type { UnitWish } from "../settings.ts";
import { foldsWith } from "../target-paths.ts";
import { type CoveringLevel, nodeKey } from "./levels-of-paths.ts";
import { policyName } from "./policy-name.ts";
import { policyNamespace, refTo } from "./targetable.ts";

/** Some policies with the settings in one block. Defaults are used unless only overrides achieve it. */
export interface BlockDrafts {
  readonly block: BlockName;
  readonly drafts: readonly HowDraft[];
}

/** A new policy, or several, on all nodes of a level. Empty if the kind cannot target them. */
export function createdPolicies(search: HowSearch, level: CoveringLevel): readonly BlockDrafts[] {
  const { kind, formats } = search;
  const names = [...new Set(formats.flatMap(({ blocks }) => blocks.map(({ name }) => name)))];
  return names.flatMap((block): readonly BlockDrafts[] => {
    const assigned = assignNodes(search, level.nodes, block);
    if (assigned === undefined) return [];
    const drafts = assigned[0]?.block.strategies.flatMap((strategy) =>
      contentsOf(
        search,
        assigned[0]?.block,
        granularityOf(kind, strategy) === "Atomic" || kind.definition.merge.none,
      ).map((content) => createAll(search, assigned, content, strategy)),
    );
    return [{ block, drafts: drafts ?? [] }];
  });
}

/** A policy to be created, and its targets. */
interface PolicyOnNodes {
  readonly format: PolicyFormat;
  readonly block: BlockFormat;
  readonly namespace: string;
  readonly nodes: readonly PathNode[];
}

/** Undefined if a node cannot be targeted, or too many policies are needed. */
function assignNodes(
  search: HowSearch,
  nodes: readonly PathNode[],
  name: BlockName,
): readonly PolicyOnNodes[] | undefined {
  const { world, kind, formats } = search;
  const assigned = new Map<string, PolicyOnNodes>();
  for (const node of nodes) {
    const found = formats
      .map((format) => ({
        format,
        block: format.blocks.find((one) => one.name === name),
        namespace: policyNamespace(world, kind, format.own, node),
      }))
      .find(({ block, namespace }) => block !== undefined && namespace !== undefined);
    if (found?.block === undefined || found.namespace === undefined) return undefined;
    const { format, block, namespace } = found;
    const isOne = kind.definition.targeting.refs === "One";
    const key = `${kindId(format.own)} ${namespace} ${isOne ? nodeKey(node) : ""}`;
    assigned.set(key, { format, block, namespace, nodes: [...(assigned.get(key)?.nodes ?? []), node] });
  }
  if (assigned.size <= MAX_OBJECTS && nodes.length <= MAX_OBJECTS) return [...assigned.values()];
  search.leaveOut(`policies on each of ${nodes.length} targets (${nodes[0]?.kind ?? ""}): more than ${MAX_OBJECTS}`);
  return undefined;
}

/**
 * The possible contents of the block. Under Atomic and None a policy replaces all others as a whole, so what takes effect now is written beside
 * the settings, if it is the same on all paths.
 */
function contentsOf(search: HowSearch, block: BlockFormat | undefined, isWhole: boolean): readonly JsonObject[] {
  const { settings, kind, paths } = search;
  const wanted = settings.filter(({ value }) => value !== undefined);
  const unwanted = settings.filter(({ value }) => value === undefined);
  const bare = withSettings({}, [], wanted, unitNow(search));
  const removed = removals(bare, unwanted, kind.tools.unitRules.nulls, block);
  const specs = paths.map((path) => foldsWith(path, kind, settings[0] as UnitWish)[0]?.spec ?? {});
  const [first = {}] = specs;
  if (!isWhole || Object.keys(first).length === 0 || !specs.every((spec) => jsonEqual(spec, first))) return [removed];
  return [removed, withSettings(first, [], settings, unitNow(search))];
}

/** Adds what keeps values out: `remove`, or null in kinds that support Patch. */
function removals(
  block: JsonObject,
  unwanted: readonly UnitWish[],
  nulls: boolean,
  format: BlockFormat | undefined,
): JsonObject {
  if (unwanted.length === 0) return block;
  if (nulls) return unwanted.reduce((result, { keys }) => withValue(result, keys, null), block);
  const isUnset = format?.schema?.properties.some(({ key }) => key === "unset") === true;
  const field = isUnset ? "unset" : "remove";
  const old = valueAtKeys(block, [field]);
  const entries = unwanted.map(({ unit }) => unit.join("."));
  return withValue(block, [field], [...new Set([...(isJsonList(old) ? old : []), ...entries])]);
}

/** The current value of a unit, on the first path that has it: a setting that is a part of it keeps the rest. */
const unitNow =
  ({ paths, kind }: HowSearch): UnitValue =>
  (setting) => {
    for (const path of paths) {
      for (const { spec } of foldsWith(path, kind, setting)) {
        const value: Json | undefined = valueAtKeys(spec, setting.unit);
        if (value !== undefined) return value;
      }
    }
    return undefined;
  };

function createAll(
  search: HowSearch,
  assigned: readonly PolicyOnNodes[],
  content: JsonObject,
  strategy: string | undefined,
): HowDraft {
  const { kind } = search;
  const { field } = kind.definition.merge.granularity;
  const whole = strategy === undefined ? content : { ...withValue({}, field.split("."), strategy), ...content };
  return assigned.reduce((draft, { format, block, namespace, nodes }) => {
    const { own, apiVersion } = format;
    const [first] = nodes;
    const ref: ObjectRef = {
      group: own.group,
      kind: own.kind,
      namespace,
      name: policyName(search, draft, own, namespace, first as PathNode),
    };
    const { fields, refs } = kind.definition.targeting;
    const targets = nodes.map((node) => refTo(node, namespace));
    const isList = refs === "Many" && !(format.isWhole && lacks(format, fields.refs));
    const spec = {
      ...(isList ? { [fields.refs]: targets } : { [fields.ref]: targets[0] ?? {} }),
      ...(block.name === "bare" ? whole : { [block.keys.at(-1) ?? ""]: whole }),
    };
    const metadata = { name: ref.name, ...(namespace === "" ? {} : { namespace }) };
    const raw: JsonObject = { apiVersion, kind: own.kind, metadata, spec };
    const step = {
      way: "CreatePolicy" as const,
      object: objectId(ref),
      block: block.name,
      targets: nodes,
      summary: createSummary(search, ref, nodes, block.name),
    };
    return withStep(draft, step, ref, raw);
  }, NO_CHANGE);
}

const lacks = ({ spec }: PolicyFormat, field: string): boolean =>
  spec !== undefined && !spec.properties.some(({ key }) => key === field);

function createSummary({ settings }: HowSearch, ref: ObjectRef, nodes: readonly PathNode[], block: BlockName): string {
  const on = joinWords(nodes.map((node) => formatRef(node, node.sectionName)));
  const wanted = settings.filter(({ value }) => value !== undefined);
  const as = { defaults: "as a default", bare: "", overrides: "as an override" }[block];
  const does =
    wanted.length === 0
      ? `that removes ${formatNames(settings)}`
      : `that sets ${formatWanted(wanted)}${as === "" ? "" : ` ${as}`}`;
  return `Create ${/^(?:[AEIO]|X[A-Z])/.test(ref.kind) ? "an" : "a"} ${ref.kind} on ${on} ${does}`;
}

const MAX_EDITED = 4;

/**
 * The policies on the nodes of a level, each with the settings in its blocks. Only a policy on all of the nodes counts. `setNow`:
 * policies whose settings take effect now; they are changed in other ways.
 */
export function editedPolicies(
  search: HowSearch,
  level: CoveringLevel,
  setNow: ReadonlySet<PolicyId>,
): readonly (readonly BlockDrafts[])[] {
  const { world, kind } = search;
  const sets = level.nodes.map((node) => new Set(policiesOn(search, node)));
  const [first] = sets;
  const common = [...(first ?? [])].filter((id) => !setNow.has(id) && sets.every((set) => set.has(id)));
  return common.slice(0, MAX_EDITED).flatMap((id) => {
    const record = world.policies.get(id);
    return record?.policy === undefined || record.kind !== kind ? [] : [editsOf(search, record)];
  });
}

/** True if one of the policies is on every node of the level. */
export const isOnLevel = (search: HowSearch, { nodes }: CoveringLevel, policies: ReadonlySet<PolicyId>): boolean =>
  [...policies].some((id) => nodes.every((node) => policiesOn(search, node).includes(id)));

function policiesOn({ world, kind }: HowSearch, node: PathNode): readonly PolicyId[] {
  const sets = world.attached[kind.index]?.get(objectId(node));
  return setsAt(sets, node.sectionName).flatMap(({ policies, conflicted }) =>
    [...policies, ...conflicted].map(({ id }) => id),
  );
}

function editsOf(search: HowSearch, { object, policy }: PolicyRecord): readonly BlockDrafts[] {
  const { world, kind, formats, settings } = search;
  const format = formats.find(({ own }) => kindId(own) === object.family.kindId);
  const has = new Set((policy?.blocks ?? []).map(({ name }) => name));
  const isExclusive = kind.definition.merge.blocks === "Exclusive" && has.size > 0;
  const names = BLOCK_ORDER.filter(
    (name) => has.has(name) || (!isExclusive && format?.blocks.some((block) => block.name === name) === true),
  );
  const raw = rawIn(world, NO_CHANGE, object.id) ?? object.raw;
  return names.map((name): BlockDrafts => {
    const block = format?.blocks.find((one) => one.name === name);
    const known = blockKeys(raw, name);
    const keys = known ?? block?.keys ?? ["spec"];
    const strategies = known === undefined ? (block?.strategies ?? [undefined]) : [undefined];
    const others = BLOCK_ORDER.filter((other) => other !== name && has.has(other));
    const cleared = others.reduce((result, other) => {
      const at = blockKeys(result, other);
      return at === undefined ? result : withoutSettings(result, at, settings);
    }, raw);
    const drafts = strategies.map((strategy) => {
      const edited = editBlock(search, cleared, keys, strategy, block);
      const step = {
        way: "EditPolicy" as const,
        object: object.id,
        block: name,
        targets: [],
        summary: editSummary(object.ref, name, settings),
      };
      return withStep(NO_CHANGE, step, object.ref, edited);
    });
    return { block: name, drafts };
  });
}

function editBlock(
  search: HowSearch,
  raw: JsonObject,
  keys: readonly string[],
  strategy: string | undefined,
  format: BlockFormat | undefined,
): JsonObject {
  const { settings, kind } = search;
  const { field } = kind.definition.merge.granularity;
  const named = strategy === undefined ? raw : withValue(raw, [...keys, ...field.split(".")], strategy);
  const set = withSettings(named, keys, settings, unitNow(search));
  const unwanted = settings.filter(({ value }) => value === undefined);
  if (unwanted.length === 0) return set;
  const block = keys.length === 1 ? specIn(set) : valueAtKeys(set, keys);
  const old = typeof block === "object" && block !== null && !isJsonList(block) ? block : {};
  return withValue(set, keys, removals(old, unwanted, kind.tools.unitRules.nulls, format));
}

function editSummary(ref: ObjectRef, block: BlockName, settings: readonly UnitWish[]): string {
  const wanted = settings.filter(({ value }) => value !== undefined);
  const at = block === "bare" ? "" : `, ${block}`;
  if (wanted.length > 0) return `Set ${formatWanted(wanted)} in ${formatRef(ref)}${at}`;
  return `Let ${formatRef(ref)} remove ${joinWords(settings.map(({ keys }) => formatKeys(keys)))}`;
}

/** Reads a policy by its definition: targets, age, blocks. An invalid policy is undefined. */
import type { CustomStrategies } from "../../src/core/merge/custom-strategy.ts";
import type {
  BaseStrategy,
  Granularity,
  MergeRules,
  PolicyDefinition,
  PolicyKind,
  ReservedWords,
  Targeting,
} from "../../src/core/model/definition.ts";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import type { ClusterObject } from "./cluster-objects.ts";
import { field, fieldAt, isList, isMap, textField } from "./json-value.ts";
import { isSelector } from "./label-selector.ts";
import { readLists } from "./merged-lists.ts";
import { type OracleUnit, unitsOf } from "./spec-units.ts";

export interface OracleTarget {
  readonly group: string | undefined;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly selector: Json | undefined;
  /** Where a selector selects: `Same`, `All`, or in namespaces with these labels. */
  readonly namespaces: "Same" | "All" | { readonly labels: Json };
  readonly sectionName: string | undefined;
  readonly port: number | undefined;
}

export interface OracleBlock {
  readonly name: BlockName;
  /** The part with merge rules of its own that the units are in. */
  readonly part?: string;
  readonly granularity: Granularity;
  /** The base strategy that a field gives to rules outside of blocks. */
  readonly base?: BaseStrategy | undefined;
  readonly when: string | undefined;
  readonly remove: readonly string[];
  readonly units: readonly OracleUnit[];
}

export interface OraclePolicy {
  readonly id: PolicyId;
  readonly object: ClusterObject;
  readonly kind: PolicyKind;
  readonly kindIndex: number;
  readonly createdAt: number;
  readonly targets: readonly OracleTarget[];
  /** The non-empty blocks, in the order defaults, bare rules, overrides. */
  readonly blocks: readonly OracleBlock[];
  /** An empty policy that keeps out defaults (None, or `merge.empty: TakesPlace`): the granularity that it selects. */
  readonly emptyGranularity: Granularity | undefined;
}

interface Reading {
  readonly object: ClusterObject;
  readonly definition: PolicyDefinition;
  readonly strategies: CustomStrategies;
}

export function readPolicy(
  object: ClusterObject,
  kindIndex: number,
  options: Omit<Reading, "object">,
): OraclePolicy | undefined {
  const reading = { ...options, object };
  // Settings at the root of an object are everything but what each object has.
  const { settings } = options.definition;
  const isLeftOut = settings === "OptionalSpec" && !Object.hasOwn(object.raw, "spec");
  const written = isLeftOut ? {} : field(object.raw, "spec");
  const spec = settings === "Root" ? without(object.raw, ["apiVersion", "kind", "metadata", "status"]) : written;
  if (!isMap(spec)) return undefined;
  const targets = readTargets(spec, reading.definition);
  const { accumulate } = reading.definition.merge;
  const blocks = accumulate === undefined ? readBlocks(spec, reading) : readEntry(spec, object, reading.definition);
  if (targets === undefined || blocks === undefined) return undefined;
  if (targets.some((target) => isOutsideParts(target, blocks, reading.definition))) return undefined;
  return {
    id: object.id as PolicyId,
    object,
    kind: reading.definition.policies[kindIndex] as PolicyKind,
    kindIndex,
    createdAt: readCreationTime(object),
    targets,
    blocks,
    emptyGranularity: blocks.length === 0 ? readEmptyGranularity(spec, reading) : undefined,
  };
}

/** True if the policy has a setting of a part that is not for such a target. */
function isOutsideParts(
  { group, kind, sectionName, port }: OracleTarget,
  blocks: readonly OracleBlock[],
  { parts = [], merge }: PolicyDefinition,
): boolean {
  const isSection = sectionName !== undefined || port !== undefined;
  return parts.some(({ name, paths, targets, merge: own }) => {
    const isAllowed = targets?.some(
      (level) =>
        level.kind.toLowerCase() === kind.toLowerCase() &&
        (group === undefined || level.group === group.split("/")[0]) &&
        (level.section !== undefined) === isSection,
    );
    if (isAllowed !== false) return false;
    const units = blocks
      .filter(({ part }) => part === (own === undefined ? undefined : name))
      .flatMap((one) => one.units);
    return units.some((unit) => isInPart(unit, paths, own ?? merge));
  });
}

/** True if a unit is at one of the paths, or below. */
export function isInPart({ path }: OracleUnit, paths: readonly string[], { accumulate }: MergeRules): boolean {
  const inPolicy = accumulate === undefined ? path : path.slice(1);
  return paths.some((one) => one.split(".").every((step, at) => step === inPolicy[at]));
}

function readEmptyGranularity(spec: JsonObject, reading: Reading): Granularity | undefined {
  const { none, empty, granularity } = reading.definition.merge;
  if (none) return granularity.default;
  if (empty === "GivesWay") return undefined;
  const { defaults, overrides } = spellingsOf(reading.definition);
  const written = [...defaults, ...overrides].map((key) => field(spec, key));
  const words = [...written, spec]
    .map((block) => fieldAt(block, granularity.field))
    .filter((word) => word !== undefined);
  const hasStrategy = Object.keys(granularity.values).length > 0;
  return hasStrategy ? readGranularity(words[0], reading) : granularity.default;
}

/** The creation time in whole seconds. A policy without one is the newest. */
function readCreationTime({ raw }: ClusterObject): number {
  const text = textField(fieldAt(raw, "metadata"), "creationTimestamp") ?? "";
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const milliseconds = isTime ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? Number.POSITIVE_INFINITY : Math.floor(milliseconds / 1000);
}

/** Reads `targetRef`, `targetRefs` and selectors. A policy must have a target, and only one with `refs: One`. */
function readTargets(spec: JsonObject, { targeting }: PolicyDefinition): readonly OracleTarget[] | undefined {
  const { fields, refs: howMany } = targeting;
  if (targeting.kinds.length === 0) return [];
  const ref = field(spec, fields.ref);
  const refs = field(spec, fields.refs) ?? [];
  const selectors = field(spec, fields.selectors) ?? [];
  if (!isList(refs) || !isList(selectors)) return undefined;
  const items = [...(ref === undefined ? [] : [ref]), ...refs].map((item) => readTarget(item, targeting));
  const selected = selectors.map((item) => readTarget(isMap(item) ? { selector: item, ...item } : item, targeting));
  const targets = [...items, ...selected].filter((target) => target !== undefined);
  const isComplete = targets.length === items.length + selected.length;
  if (!isComplete || (howMany === "One" && targets.length > 1)) return undefined;
  const needsTarget = targeting.namedBy === undefined && targeting.absent === undefined;
  return targets.length === 0 && needsTarget ? undefined : targets;
}

/** The targets of a policy that is not valid, as far as each of them can be read. */
export function readableTargets({ raw }: ClusterObject, { targeting }: PolicyDefinition): readonly OracleTarget[] {
  const { ref, refs } = targeting.fields;
  const spec = field(raw, "spec");
  const listed = field(spec, refs) ?? [];
  const items = targeting.kinds.length === 0 ? [] : [field(spec, ref), ...(isList(listed) ? listed : [])];
  return items.flatMap((item) => (item === undefined ? [] : (readTarget(item, targeting) ?? [])));
}

/** Reads one target: an object by name, or the objects that a label selector selects. */
function readTarget(item: Json, { selectorNamespaces, kinds, impliedKind }: Targeting): OracleTarget | undefined {
  if (!isMap(item)) return undefined;
  const texts = ["group", "kind", "namespace", "name", "sectionName"].map((key) => field(item, key));
  if (texts.some((value) => value !== undefined && typeof value !== "string")) return undefined;
  const [group, named, namespace, name, sectionName] = texts as readonly (string | undefined)[];
  const kind = named === undefined || named === "" ? impliedKind : named;
  const selector = field(item, "selector");
  if (!kind || name === "" || (name === undefined) === (selector === undefined)) return undefined;
  if (selector !== undefined && !isSelector(selector)) return undefined;
  const namespaces =
    selector === undefined ? "Same" : readNamespaces(field(item, selectorNamespaces?.field ?? "") ?? {});
  if (namespaces === undefined) return undefined;
  const written = { group, kind, namespace: namespace || undefined, name, selector, namespaces };
  const port = kinds.some(({ byPort }) => byPort) ? field(item, "port") : undefined;
  if (port !== undefined && typeof port !== "number") return undefined;
  return { ...written, sectionName: sectionName || undefined, port };
}

function readNamespaces(value: Json): OracleTarget["namespaces"] | undefined {
  const from = field(value, "from") ?? "Same";
  if (!isMap(value) || from === "Same" || from === "All") return isMap(value) ? (from as "Same" | "All") : undefined;
  const labels = field(value, "selector");
  return from === "Selector" && labels !== undefined && isSelector(labels) ? { labels } : undefined;
}

/** Both spellings are read: `default` and `override` (Policy attachment reference), `defaults` and `overrides` (the others). */
const spellingsOf = ({ merge }: PolicyDefinition): ReservedWords =>
  merge.words ?? {
    defaults: ["defaults", "default"],
    overrides: ["overrides", "override"],
    when: ["when"],
    remove: ["remove", "unset"],
  };

/** The fields of a spec that are about targets. Policies that only objects name have no targets, and so no fields for them. */
function targetFieldsOf({ targeting }: PolicyDefinition): readonly string[] {
  const { ref, refs, selectors } = targeting.fields;
  return [
    ...(targeting.kinds.length === 0 ? [] : [ref, refs, selectors]),
    ...(targeting.absent?.workloadSelector === undefined ? [] : [targeting.absent.workloadSelector]),
  ];
}

function readBlocks(spec: JsonObject, reading: Reading): readonly OracleBlock[] | undefined {
  const { merge } = reading.definition;
  const targetFields = targetFieldsOf(reading.definition);
  if (merge.none) return readWhole(without(spec, targetFields), reading.definition);
  if (reading.definition.parts !== undefined) return readParts(without(spec, targetFields), reading);
  const spellings = spellingsOf(reading.definition);
  const bare = without(spec, [...targetFields, ...spellings.defaults, ...spellings.overrides]);
  const written: (readonly [BlockName, Json])[] = [
    ...spellings.defaults.flatMap((key) => writtenAs("defaults", field(spec, key))),
    ["bare", bare],
    ...spellings.overrides.flatMap((key) => writtenAs("overrides", field(spec, key))),
  ];
  const blocks = written.map(([name, value]) => (isMap(value) ? readBlock(name, value, reading) : undefined));
  const readable = blocks.filter((block) => block !== undefined);
  const names = written.map(([name]) => name);
  if (readable.length < blocks.length || new Set(names).size < names.length) return undefined;
  const hasContent = ({ units, remove }: OracleBlock) => units.length > 0 || remove.length > 0;
  const withContent = readable.filter(hasContent);
  // GEP-713: "Instances MUST NOT be allowed to declare more than one merge strategy." An empty block does not count.
  return merge.blocks === "Exclusive" && withContent.length > 1 ? undefined : withContent;
}

/** Parts with rules of their own are read as policies of a kind with these rules; what is left is read by the rules of the kind. */
function readParts(spec: JsonObject, reading: Reading): readonly OracleBlock[] | undefined {
  const { definition, object } = reading;
  const own = (definition.parts ?? []).filter(({ merge }) => merge !== undefined);
  const rest = own.flatMap(({ paths }) => paths).reduce((left, path) => withoutPath(left, path.split(".")), spec);
  const blocks = own.map(({ name, paths, merge = definition.merge }): OracleBlock | undefined => {
    const ofPart = { ...reading, definition: { ...definition, merge } };
    const picked = pick(spec, paths);
    if (Object.keys(picked).length === 0)
      return { name: "bare", granularity: "Atomic", when: undefined, remove: [], units: [] };
    if (merge.accumulate !== undefined) {
      const [entry] = readEntry(picked, object, ofPart.definition);
      return entry && { ...entry, part: name };
    }
    const word = fieldAt(spec, merge.granularity.field);
    const hasStrategy = Object.keys(merge.granularity.values).length > 0;
    const granularity = readGranularity(hasStrategy ? word : undefined, ofPart);
    if (granularity === undefined) return undefined;
    const base = (hasStrategy && typeof word === "string" && merge.granularity.bases?.[word]) || merge.granularity.base;
    const units = unitsOf(readLists(picked, word, ofPart), ofPart.definition);
    return { name: "bare", part: name, granularity, base, when: undefined, remove: [], units };
  });
  const all = [readBlock("bare", rest, reading), ...blocks];
  const readable = all.filter((block) => block !== undefined);
  return readable.length < all.length ? undefined : readable.filter(({ units }) => units.length > 0);
}

/** The values at some paths of a map. */
function pick(map: JsonObject, paths: readonly string[]): JsonObject {
  const entries = Object.entries(map).flatMap(([key, value]): [string, Json][] => {
    if (paths.includes(key)) return [[key, value]];
    const below = paths.filter((path) => path.startsWith(`${key}.`)).map((path) => path.slice(key.length + 1));
    const inner = isMap(value) ? pick(value, below) : {};
    return Object.keys(inner).length === 0 ? [] : [[key, inner]];
  });
  return Object.fromEntries(entries);
}

/** Where all policies take effect, the whole spec is an entry below the name of the policy, also if it is empty. */
function readEntry(spec: JsonObject, { ref }: ClusterObject, definition: PolicyDefinition): readonly OracleBlock[] {
  const { namespace, name, kind } = ref;
  const parts = [definition.policies.length > 1 ? kind : "", namespace, name].filter((part) => part !== "");
  const units = unitsOf({ [parts.join("/")]: without(spec, targetFieldsOf(definition)) }, definition);
  return [{ name: "bare", granularity: definition.merge.granularity.default, when: undefined, remove: [], units }];
}

/** A kind that never merges has no blocks and no strategy: everything but the targets is the spec proper. */
function readWhole(spec: JsonObject, definition: PolicyDefinition): readonly OracleBlock[] {
  const units = unitsOf(spec, definition);
  const { default: granularity } = definition.merge.granularity;
  return units.length === 0 ? [] : [{ name: "bare", granularity, when: undefined, remove: [], units }];
}

const writtenAs = (name: BlockName, value: Json | undefined): readonly (readonly [BlockName, Json])[] =>
  value === undefined ? [] : [[name, value]];

const without = (map: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));

/**
 * A block's spec proper is the block without `strategy`, `when` and `remove`/`unset`. RFC 9 has `when` only in "the `defaults`
 * and `overrides` blocks"; beside bare rules it is an ordinary rule.
 */
function readBlock(name: BlockName, block: JsonObject, reading: Reading): OracleBlock | undefined {
  const { values, field: strategyField } = reading.definition.merge.granularity;
  const hasStrategy = Object.keys(values).length > 0;
  const word = hasStrategy ? fieldAt(block, strategyField) : undefined;
  const granularity = readGranularity(word, reading);
  const words = spellingsOf(reading.definition);
  const when =
    name === "bare" ? undefined : words.when.map((key) => field(block, key)).find((one) => one !== undefined);
  const lists = words.remove.map((key) => field(block, key) ?? []);
  const remove = lists.flat();
  if (granularity === undefined || (when !== undefined && typeof when !== "string")) return undefined;
  if (!lists.every(isList) || !remove.every((entry) => typeof entry === "string")) return undefined;
  const proper = without(hasStrategy ? withoutPath(block, strategyField.split(".")) : block, [
    ...words.remove,
    ...(name === "bare" ? [] : words.when),
  ]);
  const { base: usual, bases = {} } = reading.definition.merge.granularity;
  const base = name === "bare" ? ((typeof word === "string" ? bases[word] : undefined) ?? usual) : undefined;
  return {
    name,
    granularity,
    base,
    when,
    remove,
    units: unitsOf(readLists(proper, word, reading), reading.definition),
  };
}

/** The map without the value at a path, and without maps that only contained it. */
function withoutPath(map: JsonObject, [key = "", ...rest]: readonly string[]): JsonObject {
  const inner = field(map, key);
  if (rest.length === 0) return without(map, [key]);
  if (!isMap(inner) || Object.keys(pick(inner, [rest.join(".")])).length === 0) return map;
  const left = withoutPath(inner, rest);
  return Object.keys(left).length === 0 ? without(map, [key]) : { ...map, [key]: left };
}

function readGranularity(value: Json | undefined, { definition, strategies }: Reading): Granularity | undefined {
  const { default: byDefault, values } = definition.merge.granularity;
  const isListed = typeof value === "string" && Object.hasOwn(values, value);
  const granularity = value === undefined ? byDefault : isListed ? values[value] : undefined;
  const isUnknown = typeof granularity === "object" && !Object.hasOwn(strategies, granularity.custom);
  // A strategy that is not registered counts as Atomic.
  return isUnknown ? "Atomic" : granularity;
}

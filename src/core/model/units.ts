/** Splits a spec proper into units, the smallest parts that take effect or are overridden, and builds specs from units. */
import { blockNamesOf, hasNoBlocks } from "./block-names.ts";
import type { Granularity, MergeRules, PolicyDefinition } from "./definition.ts";
import { isJsonObject, type Json, type JsonObject, setOwn } from "./json.ts";
import { escapePointer } from "./json-pointer.ts";
import { type CrdFacts, crdMapPaths } from "./parse/definition/parse-crd.ts";
import type { Unit } from "./policy.ts";

/** How specs of one kind split into units. Built once for a definition and its CRD. */
export interface UnitRules {
  /** Dotted paths of the maps of named rules; `*` stands for any key. */
  readonly ruleMaps: readonly string[];
  /** Dotted paths of maps that are one value. */
  readonly atomicPaths: readonly string[];
  /** `false`: a named rule is one unit. `true`: each of its leaves is a unit, which refers to its rule. */
  readonly leaves: boolean;
  /** `true`: `null` removes a value (Patch). `false`: `null` counts as absent, as in the API server. */
  readonly nulls: boolean;
  /** The tree of `ruleMaps` and `atomicPaths`, as the list that a walk begins with. */
  readonly roots: Nodes;
  readonly pointers: PointerTable;
}

/** A node of the tree of listed paths. */
interface UnitNode {
  readonly children: Map<string, UnitNode>;
  ruleMap: boolean;
  atomic: boolean;
}

/** A node of the tree of pointers. Policies of a kind set the same few fields, so they share the texts and lists. */
interface PointerNode {
  readonly pointer: string;
  readonly path: readonly string[];
  readonly children: Map<string, PointerNode>;
}

/** Bounded, because tenants may invent any number of keys. Pointers beyond the bound are not shared. */
interface PointerTable {
  readonly root: PointerNode;
  free: number;
}

const MAX_SHARED_POINTERS = 20_000;
/** Deeper than any accepted policy. A value below this depth is one unit. */
const MAX_DEPTH = 128;

export function unitRules(options: Pick<UnitRules, "ruleMaps" | "atomicPaths" | "leaves" | "nulls">): UnitRules {
  const paths = pathNode();
  for (const path of options.ruleMaps) addPath(paths, path).ruleMap = true;
  for (const path of options.atomicPaths) addPath(paths, path).atomic = true;
  const root: PointerNode = { pointer: "", path: [], children: new Map() };
  return { ...options, roots: [paths], pointers: { root, free: MAX_SHARED_POINTERS } };
}

/** Every granularity with which a policy of the kind may be merged. */
export function supportedGranularities(merge: MergeRules): readonly Granularity[] {
  if (merge.none) return [];
  if (merge.accumulate !== undefined) return ["Field"];
  const { values: annotated = {}, absent, fields } = merge.annotation ?? {};
  const byAnnotation = [...Object.values(annotated), absent, fields].flatMap((one) =>
    one === undefined ? [] : [one.granularity],
  );
  const { default: byDefault, values, ofReferenceBlocks } = merge.granularity;
  const ofBlocks = ofReferenceBlocks === undefined ? [] : [ofReferenceBlocks];
  return [byDefault, ...Object.values(values), ...ofBlocks, ...byAnnotation];
}

/**
 * Lists and maps are one value
 *
 * A list is one unit, so it is overwritten as a whole. A map is one unit too where `atomicPaths` or the schema of the CRD marks
 * it and the kind supports Field but not Patch; where `atomicPaths` marks it also in a kind that merges named rules. A kind that
 * supports neither Field nor Patch compares named rules as a whole.
 * Policy attachment reference, "Merging into existing `spec` fields"
 */
export function unitRulesOf({ merge }: Pick<PolicyDefinition, "merge">, crd?: CrdFacts): UnitRules {
  const granularities = supportedGranularities(merge);
  const byLeaf = granularities.includes("Field") || granularities.includes("Patch");
  return unitRules({
    ruleMaps: hasNoBlocks(merge) ? [] : merge.rules,
    atomicPaths: wholePaths(merge, crd),
    leaves: byLeaf || merge.rules.length === 0,
    nulls: granularities.includes("Patch"),
  });
}

/** The dotted paths of maps that are one value. The units of an accumulated policy begin with its name. */
function wholePaths(merge: MergeRules, crd: CrdFacts | undefined): readonly string[] {
  const granularities = supportedGranularities(merge);
  if (!hasWholePaths(granularities)) return [];
  const items = (merge.lists ?? []).flatMap(({ path, items: each }) => (each === "Whole" ? [`${path}.*`] : []));
  const declared = [...merge.atomicPaths, ...items];
  const paths = granularities.includes("Field") ? [...declared, ...mapPathsOf(merge, crd)] : declared;
  return merge.accumulate === undefined ? paths : paths.map((path) => `*.${path}`);
}

/** The paths of maps in the schema of the CRD. The names of blocks are not part of a path, unless the kind has no such blocks. */
function mapPathsOf(merge: MergeRules, crd: CrdFacts | undefined): readonly string[] {
  if (crd === undefined || (merge.words === undefined && !hasNoBlocks(merge))) return crd?.mapPaths ?? [];
  return crdMapPaths(crd.spec, blockNamesOf(merge));
}

/**
 * Maps of the object are one value
 *
 * A map in a field that a policy sets is one value against the object's own, in every class and with every strategy: a policy that sets
 * one key of it overwrites all of it. `mapPaths`: paths in the spec proper where the schema of the object's field has a map.
 * Policy attachment reference, "Merging into existing `spec` fields"
 */
export function ownUnitRulesOf(
  definition: PolicyDefinition,
  crd: CrdFacts | undefined,
  mapPaths: readonly string[],
): UnitRules {
  const { ruleMaps, leaves, nulls } = unitRulesOf(definition, crd);
  const atomicPaths = [...definition.merge.atomicPaths, ...(crd?.mapPaths ?? []), ...mapPaths];
  return unitRules({ ruleMaps, atomicPaths, leaves, nulls });
}

/** A JSON Merge Patch (RFC 7386) merges every map key by key, so no map is one value in a kind that supports Patch. */
export const hasWholePaths = (granularities: readonly Granularity[]): boolean =>
  (granularities.includes("Field") || granularities.includes("Merge")) && !granularities.includes("Patch");

const pathNode = (): UnitNode => ({ children: new Map(), ruleMap: false, atomic: false });

function addPath(root: UnitNode, dotted: string): UnitNode {
  let node = root;
  for (const key of dotted.split(".")) {
    let next = node.children.get(key);
    if (next === undefined) {
      next = pathNode();
      node.children.set(key, next);
    }
    node = next;
  }
  return node;
}

/**
 * The units of a spec proper, in document order, without the keys in `aside`. A scalar, a list, an empty object and a map that
 * is one value are leaves. An empty map of named rules gives no unit, nor does an empty object above such a map.
 */
export function unitsOf(spec: JsonObject, rules: UnitRules, aside: ReadonlySet<string> = NO_KEYS): Unit[] {
  const units: Unit[] = [];
  walkObject(spec, { rules, units, aside }, rules.pointers.root, rules.roots, undefined, 0);
  // A copy has no spare capacity, which matters because the list is kept.
  return units.slice();
}

/** True if a map at this path is one value: its keys are not units of their own. */
export function isOneValue(path: readonly string[], rules: UnitRules): boolean {
  let nodes = rules.roots;
  for (const key of path) nodes = childNodes(nodes, key);
  return nodes.some((node) => node.atomic && !node.ruleMap);
}

const NO_KEYS: ReadonlySet<string> = new Set();

interface Walk {
  readonly rules: UnitRules;
  readonly units: Unit[];
  /** Keys of the root that are not part of the spec proper. */
  readonly aside: ReadonlySet<string>;
}

/** The nodes that a key path leads to: more than one if both `*` and the name of a key lead to one. */
type Nodes = readonly UnitNode[];
const NOWHERE: Nodes = [];

/** The named rule that a value is part of. */
interface NamedRule {
  readonly pointer: string;
  readonly name: string;
}

function walkObject(
  object: JsonObject,
  walk: Walk,
  parent: PointerNode,
  nodes: Nodes,
  rule: NamedRule | undefined,
  depth: number,
): void {
  const isRuleMap = rule === undefined && nodes.some((node) => node.ruleMap);
  for (const key in object) {
    if (!Object.hasOwn(object, key) || (depth === 0 && walk.aside.has(key))) continue;
    const value = object[key] ?? null;
    if (value === null && !walk.rules.nulls) continue;
    const here = childPointer(walk.rules.pointers, parent, key);
    const ruleHere = isRuleMap ? { pointer: here.pointer, name: key } : rule;
    const isWholeRule = isRuleMap && !walk.rules.leaves;
    const nodesHere = nodes.length === 0 ? NOWHERE : childNodes(nodes, key);
    if (
      !isWholeRule &&
      isJsonObject(value) &&
      depth < MAX_DEPTH &&
      !nodesHere.some((node) => node.atomic && !node.ruleMap)
    ) {
      if (walk.rules.nulls ? hasKeys(value) : hasSetKeys(value)) {
        walkObject(value, walk, here, nodesHere, ruleHere, depth + 1);
        continue;
      }
      if (ruleHere === undefined && nodesHere.some(leadsToRules)) continue;
      pushUnit(walk, here, EMPTY_MAP, ruleHere);
      continue;
    }
    pushUnit(walk, here, value, ruleHere);
  }
}

/** A map with nulls only becomes an empty map, because the API server drops the nulls. */
const EMPTY_MAP: JsonObject = {};

function pushUnit({ units }: Walk, { pointer, path }: PointerNode, value: Json, rule: NamedRule | undefined): void {
  if (rule === undefined) units.push({ pointer, path, value, rule: pointer });
  else units.push({ pointer, path, value, rule: rule.pointer, ruleName: rule.name });
}

/** True if a key has a value other than null. */
function hasSetKeys(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key) && (object[key] ?? null) !== null) return true;
  return false;
}

function hasKeys(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true;
  return false;
}

const leadsToRules = (node: UnitNode): boolean => node.ruleMap || [...node.children.values()].some(leadsToRules);

function childNodes(nodes: Nodes, key: string): Nodes {
  const found: UnitNode[] = [];
  for (const node of nodes) {
    const named = node.children.get(key);
    const any = node.children.get("*");
    if (named !== undefined) found.push(named);
    if (any !== undefined && any !== named) found.push(any);
  }
  return found;
}

function childPointer(table: PointerTable, parent: PointerNode, key: string): PointerNode {
  const known = parent.children.get(key);
  if (known !== undefined) return known;
  const child: PointerNode = {
    pointer: `${parent.pointer}/${escapePointer(key)}`,
    path: [...parent.path, key],
    children: new Map(),
  };
  if (table.free > 0) {
    table.free--;
    parent.children.set(key, child);
  }
  return child;
}

/** The spec that units make up. The unit of an empty object and units below it may come in any order. */
export function buildSpec(units: Iterable<Pick<Unit, "path" | "value">>): JsonObject {
  const spec: MutableObject = {};
  const own = new Set<JsonObject>([spec]);
  for (const { path, value } of units) {
    const key = path.at(-1);
    if (key === undefined) continue;
    let parent = spec;
    for (let i = 0; i < path.length - 1; i++) parent = openChild(parent, path[i] as string, own);
    if (isJsonObject(value) && !hasKeys(value)) openChild(parent, key, own);
    else setOwn(parent, key, value);
  }
  return spec;
}

type MutableObject = { [key: string]: Json };

/** The object at `key`: created if it is absent, copied if it belongs to a unit, because units are never changed. */
function openChild(parent: MutableObject, key: string, own: Set<JsonObject>): MutableObject {
  const current = Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (isMutable(current, own)) return current;
  const made: MutableObject = {};
  if (isJsonObject(current)) for (const name of Object.keys(current)) setOwn(made, name, current[name] ?? null);
  own.add(made);
  setOwn(parent, key, made);
  return made;
}

const isMutable = (value: Json | undefined, own: ReadonlySet<JsonObject>): value is MutableObject =>
  isJsonObject(value) && own.has(value);

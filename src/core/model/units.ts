/** Splits a spec proper into units, the smallest things that can win or lose, and puts specs together from them. */

import type { Granularity, PolicyDefinition } from "./definition.ts";
import { isJsonObject, type Json, type JsonObject, setOwn } from "./json.ts";
import type { CrdFacts } from "./parse/parse-crd.ts";
import { supportedGranularities } from "./parse/supported-granularities.ts";
import type { Unit } from "./policy.ts";

/** How specs of one kind split into units. Made once per definition (and CRD) by `unitRules`. */
export interface UnitRules {
  /** Dotted paths of the maps of named rules; `*` stands for any key. */
  readonly ruleMaps: readonly string[];
  /** Dotted paths of maps that are one value. */
  readonly atomicPaths: readonly string[];
  /** `false`: a named rule is one unit. `true`: it splits into its leaves, which know the rule they lie in. */
  readonly leaves: boolean;
  /** Whether `null` is a tombstone (Patch). Otherwise it says nothing, nor does an object that holds only nulls. */
  readonly nulls: boolean;
  readonly paths: PathNode;
  /** Just that one. */
  readonly roots: readonly PathNode[];
  readonly places: PlaceTable;
}

/** The listed paths as a tree. */
interface PathNode {
  readonly children: Map<string, PathNode>;
  ruleMap: boolean;
  atomic: boolean;
}

/** A place in the spec: policies of a kind name the same few places, so they share pointers and paths. */
interface Place {
  readonly pointer: string;
  readonly path: readonly string[];
  readonly children: Map<string, Place>;
}

/** Bounded, so that a tenant who makes up keys cannot grow it without end; beyond the bound places are just not shared. */
interface PlaceTable {
  readonly root: Place;
  free: number;
}

const MAX_SHARED_PLACES = 20_000;
/** Deeper than any policy that is accepted: below it a value is one unit, so the walk always ends. */
const MAX_DEPTH = 128;

export function unitRules(options: Pick<UnitRules, "ruleMaps" | "atomicPaths" | "leaves" | "nulls">): UnitRules {
  const paths = pathNode();
  for (const path of options.ruleMaps) addPath(paths, path).ruleMap = true;
  for (const path of options.atomicPaths) addPath(paths, path).atomic = true;
  const root: Place = { pointer: "", path: [], children: new Map() };
  return { ...options, paths, roots: [paths], places: { root, free: MAX_SHARED_PLACES } };
}

// Definitions are immutable, and read again with every evaluation.
const kept = new WeakMap<PolicyDefinition, UnitRules>();

/** The rules of a kind: by named rule if that is all it compares, else by leaf. Maps are one value for Field kinds only, and not where Patch goes into them. */
export function unitRulesOf(definition: PolicyDefinition, crd?: CrdFacts): UnitRules {
  if (crd !== undefined) return newUnitRules(definition, crd);
  const known = kept.get(definition) ?? newUnitRules(definition);
  kept.set(definition, known);
  return known;
}

function newUnitRules({ merge }: PolicyDefinition, crd?: CrdFacts): UnitRules {
  const granularities = supportedGranularities(merge);
  const byLeaf = granularities.includes("Field") || granularities.includes("Patch");
  return unitRules({
    ruleMaps: merge.none ? [] : merge.rules,
    atomicPaths: hasWholeMaps(granularities) ? [...merge.atomicPaths, ...(crd?.mapPaths ?? [])] : [],
    leaves: byLeaf || merge.rules.length === 0,
    nulls: granularities.includes("Patch"),
  });
}

/** JSON Merge Patch (RFC 7386) knows no map that is one value: in a kind that supports both, maps are merged key by key. */
export const hasWholeMaps = (granularities: readonly Granularity[]): boolean =>
  granularities.includes("Field") && !granularities.includes("Patch");

const pathNode = (): PathNode => ({ children: new Map(), ruleMap: false, atomic: false });

function addPath(root: PathNode, dotted: string): PathNode {
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
 * The units of a spec proper, in document order. A scalar, a list, an empty object and a map that is one value are
 * leaves; a map of named rules without any (and an empty object on the way to one) says nothing and gives no unit.
 */
export function unitsOf(spec: JsonObject, rules: UnitRules, aside: ReadonlySet<string> = NO_KEYS): Unit[] {
  const units: Unit[] = [];
  walkObject(spec, { rules, units, aside }, rules.places.root, rules.roots, undefined, 0);
  // A list that grew has room to spare, and these are kept.
  return units.slice();
}

const NO_KEYS: ReadonlySet<string> = new Set();

interface Walk {
  readonly rules: UnitRules;
  readonly units: Unit[];
  /** Keys beside the spec proper. */
  readonly aside: ReadonlySet<string>;
}

/** The listed paths that a place may still be on: more than one where `*` and a name both lead there. */
type Nodes = readonly PathNode[];
const NOWHERE: Nodes = [];

/** The named rule that a place lies in. */
interface NamedRule {
  readonly pointer: string;
  readonly name: string;
}

function walkObject(
  object: JsonObject,
  walk: Walk,
  place: Place,
  nodes: Nodes,
  rule: NamedRule | undefined,
  depth: number,
): void {
  const isRuleMap = rule === undefined && nodes.some((node) => node.ruleMap);
  for (const key in object) {
    if (!Object.hasOwn(object, key) || (depth === 0 && walk.aside.has(key))) continue;
    const value = object[key] ?? null;
    if (value === null && !walk.rules.nulls) continue;
    const here = childPlace(walk.rules.places, place, key);
    const ruleHere = isRuleMap ? { pointer: here.pointer, name: key } : rule;
    const isWholeRule = isRuleMap && !walk.rules.leaves;
    const nodesHere = nodes.length === 0 ? NOWHERE : childNodes(nodes, key);
    if (
      !isWholeRule &&
      isJsonObject(value) &&
      depth < MAX_DEPTH &&
      !nodesHere.some((node) => node.atomic && !node.ruleMap)
    ) {
      if (hasKeys(value)) {
        walkObject(value, walk, here, nodesHere, ruleHere, depth + 1);
        continue;
      }
      if (ruleHere === undefined && nodesHere.some(leadsToRules)) continue;
    }
    const { pointer, path } = here;
    if (ruleHere === undefined) walk.units.push({ pointer, path, value, rule: pointer });
    else walk.units.push({ pointer, path, value, rule: ruleHere.pointer, ruleName: ruleHere.name });
  }
}

function hasKeys(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true;
  return false;
}

const leadsToRules = (node: PathNode): boolean => node.ruleMap || [...node.children.values()].some(leadsToRules);

function childNodes(nodes: Nodes, key: string): Nodes {
  const found: PathNode[] = [];
  for (const node of nodes) {
    const named = node.children.get(key);
    const any = node.children.get("*");
    if (named !== undefined) found.push(named);
    if (any !== undefined && any !== named) found.push(any);
  }
  return found;
}

function childPlace(table: PlaceTable, parent: Place, key: string): Place {
  const known = parent.children.get(key);
  if (known !== undefined) return known;
  const place: Place = {
    pointer: `${parent.pointer}/${escapePointer(key)}`,
    path: [...parent.path, key],
    children: new Map(),
  };
  if (table.free > 0) {
    table.free--;
    parent.children.set(key, place);
  }
  return place;
}

/** RFC 6901: `~` and `/` inside a key. */
export const escapePointer = (key: string): string =>
  key.includes("~") || key.includes("/") ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;

const SLASH = 47;

/** True if one JSON pointer is strictly below the other. */
export const liesBelow = (pointer: string, other: string): boolean =>
  pointer.length > other.length && pointer.charCodeAt(other.length) === SLASH && pointer.startsWith(other);

/** What a JSON pointer lies below, the nearest first. */
export function* pointersAbove(pointer: string): Iterable<string> {
  for (let end = pointer.lastIndexOf("/"); end > 0; end = pointer.lastIndexOf("/", end - 1))
    yield pointer.slice(0, end);
}

/** The spec that units make up. An empty object takes in whatever is set below it, before or after. */
export function buildSpec(units: Iterable<Pick<Unit, "path" | "value">>): JsonObject {
  const spec: MutableObject = {};
  const own = new OwnObjects(spec);
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

/** The object at `key`, made if it is not there and copied if it belongs to a unit: units are never written to. */
function openChild(parent: MutableObject, key: string, own: OwnObjects): MutableObject {
  const current = Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (isMutable(current, own)) return current;
  const made: MutableObject = {};
  if (isJsonObject(current)) for (const name of Object.keys(current)) setOwn(made, name, current[name] ?? null);
  own.add(made);
  setOwn(parent, key, made);
  return made;
}

const isMutable = (value: Json | undefined, own: OwnObjects): value is MutableObject =>
  isJsonObject(value) && own.has(value);

/** The objects that were made for a spec. Mostly a few, which are looked through. */
class OwnObjects {
  readonly #few: JsonObject[];
  #all: Set<JsonObject> | undefined;

  constructor(first: JsonObject) {
    this.#few = [first];
  }

  add(object: JsonObject): void {
    if (this.#all === undefined && this.#few.length < FEW) this.#few.push(object);
    else this.#all = (this.#all ?? new Set(this.#few)).add(object);
  }

  has(object: JsonObject): boolean {
    return this.#all === undefined ? this.#few.includes(object) : this.#all.has(object);
  }
}

const FEW = 16;

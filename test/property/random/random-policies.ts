/**
 * Random policies. A plan is generated first and combined with the cluster later (`policyFromPlan`), so that most policies
 * target an existing object, and shrinking one part does not change the others.
 */
import fc from "fast-check";
import type { PolicyKind, TargetKind } from "../../../src/core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/model/json.ts";
import { gatewayGroup, type PolicyKindUnderTest, weightAnnotation } from "./define-kind.ts";
import { chance, jsonOf, kubeObject, namespaces, weighted } from "./random-topology.ts";

type AimMode =
  | "exact"
  | "versioned group"
  | "no group"
  | "wrong case"
  | "selector"
  | "selector list"
  | "other namespace"
  | "wrong name"
  | "wrong section"
  | "positional section"
  | "wrong kind";

interface Aim {
  readonly kind: number;
  readonly object: number;
  readonly section: number | undefined;
  readonly mode: AimMode;
}

interface BlockPlan {
  readonly values: readonly { readonly path: number; readonly value: Json }[];
  readonly strategy: number | undefined;
  readonly when: number | undefined;
  readonly removals: readonly number[];
  readonly removeSpelling: "remove" | "unset";
}

export interface PolicyPlan {
  readonly kind: number;
  readonly created: string | undefined;
  readonly aims: readonly Aim[];
  readonly spelling: "defaults" | "default";
  readonly defaults: BlockPlan | undefined;
  readonly bare: BlockPlan | undefined;
  readonly overrides: BlockPlan | undefined;
}

const index = fc.nat(23);

const value: fc.Arbitrary<Json> = weighted<Json>(
  [6, 1],
  [6, 2],
  [4, 3],
  [3, "x"],
  [3, null],
  [1, false],
  [2, [500]],
  [1, [500, 503]],
  [2, {}],
  [1, { shade: 1 }],
  [1, { shade: null, k: 2 }],
);

const block: fc.Arbitrary<BlockPlan> = fc.record({
  values: fc.oneof(
    { weight: 9, arbitrary: fc.array(fc.record({ path: index, value }), { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant([]) },
  ),
  strategy: chance(0.7, index),
  when: chance(0.2, index),
  removals: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(index, { minLength: 1, maxLength: 2 }) },
  ),
  removeSpelling: fc.constantFrom("remove", "unset"),
});

const aim: fc.Arbitrary<Aim> = fc.record({
  kind: index,
  object: index,
  section: chance(0.35, index),
  mode: weighted<AimMode>(
    [30, "exact"],
    [2, "versioned group"],
    [1, "no group"],
    [1, "wrong case"],
    [2, "selector"],
    [2, "selector list"],
    [14, "other namespace"],
    [1, "wrong name"],
    [1, "wrong section"],
    [1, "positional section"],
    [1, "wrong kind"],
  ),
});

export const policyPlan: fc.Arbitrary<PolicyPlan> = fc
  .record({
    kind: index,
    // Three times, one of them "not yet": ties are common.
    created: weighted<string | undefined>([3, undefined], [4, "2026-01-01T00:00:00Z"], [2, "2026-01-02T00:00:00Z"]),
    aims: fc.oneof(
      { weight: 4, arbitrary: aim.map((one) => [one]) },
      { weight: 1, arbitrary: fc.array(aim, { minLength: 2, maxLength: 3 }) },
    ),
    spelling: fc.constantFrom<PolicyPlan["spelling"]>("defaults", "default"),
    blocks: weighted<readonly ("defaults" | "bare" | "overrides")[]>(
      [4, ["defaults"]],
      [5, ["bare"]],
      [4, ["overrides"]],
      [3, ["defaults", "overrides"]],
      [1, ["defaults", "bare"]],
      [1, ["bare", "overrides"]],
      [1, ["defaults", "bare", "overrides"]],
      [1, []],
    ),
    defaults: block,
    bare: block,
    overrides: block,
  })
  .map(({ blocks, ...plan }) => ({
    ...plan,
    defaults: blocks.includes("defaults") ? plan.defaults : undefined,
    bare: blocks.includes("bare") ? plan.bare : undefined,
    overrides: blocks.includes("overrides") ? plan.overrides : undefined,
  }));

const pick = <T>(items: readonly T[], at: number): T | undefined =>
  items.length === 0 ? undefined : items[at % items.length];

const textAt = (object: JsonObject, key: string): string => {
  const text = object[key];
  return typeof text === "string" ? text : "";
};
const apiGroup = (object: JsonObject): string => {
  const version = textAt(object, "apiVersion");
  return version.includes("/") ? version.slice(0, version.indexOf("/")) : "";
};
const metadata = (object: JsonObject): JsonObject => (isJsonObject(object["metadata"]) ? object["metadata"] : {});
const nameOf = (object: JsonObject): string => textAt(metadata(object), "name");
const namespaceOf = (object: JsonObject): string => textAt(metadata(object), "namespace");

/** The names of the object's listeners, rules, ports or branches. */
function sectionNames(object: JsonObject): readonly string[] {
  const spec = isJsonObject(object["spec"]) ? object["spec"] : {};
  return ["listeners", "rules", "ports", "branches"].flatMap((list) => {
    const items = spec[list];
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: Json) =>
      isJsonObject(item) && typeof item["name"] === "string" ? [item["name"]] : [],
    );
  });
}

/** A policy that targets objects of this cluster. Its namespace is usually that of its first target. */
export function policyFromPlan(
  plan: PolicyPlan,
  number: number,
  kinds: readonly PolicyKindUnderTest[],
  objects: readonly JsonObject[],
): JsonObject {
  const joined = kinds.flatMap((kind) => kind.definition.policies.map((policyKind) => ({ kind, policyKind })));
  const { kind, policyKind } = joined[plan.kind % joined.length] as {
    kind: PolicyKindUnderTest;
    policyKind: PolicyKind;
  };
  const aims = plan.aims.map((one) => nearer(one, kind));
  const targets = aims.map((one) => findTarget(one, kind, policyKind, objects));
  const home = homeOf(aims[0], targets[0], policyKind);
  const refs = aims.map((one, at) => writeRef(one, targets[at], kind, home));
  const annotations = kind.weighs === true ? weightOf(number) : undefined;
  const metadata = jsonOf({ name: `p${number}`, namespace: home, annotations, creationTimestamp: plan.created });
  const identity = { apiVersion: `${policyKind.group}/v1`, kind: policyKind.kind, name: `p${number}` };
  const isWithout = kind.definition.targeting.absent !== undefined && plan.kind % 3 > 0;
  const written = isWithout ? (pick(WORKLOADS, plan.kind) ?? {}) : writeRefs(refs);
  const settings = { ...written, ...writeBlocks(plan, kind) };
  const isRoot = kind.definition.settings === "Root";
  // Only where the spec is optional this is a valid policy.
  if (isWithout && number % 6 === 5) return { ...kubeObject(identity, {}), metadata };
  return { ...kubeObject(identity, {}), metadata, ...(isRoot ? settings : { spec: settings }) };
}

/** Weights by which a definition may order policies. Some are absent, and some are no numbers. */
function weightOf(number: number): JsonObject | undefined {
  if (number % 4 === 0) return undefined;
  return { [weightAnnotation]: number % 5 === 0 ? "heavy" : String((number * 7) % 3) };
}

/** What a policy without a target selects. */
const WORKLOADS: readonly JsonObject[] = [
  {},
  {},
  { selector: { matchLabels: { app: "x" } } },
  { selector: {} },
  { selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["x"] }] } },
  { selector: { labels: { app: "y" } } },
  { selector: { "example.com/gateway": "g1" } },
  { selector: { matchLabels: { app: "z" } } },
];

/** Kinds that may not target across namespaces do so less often than kinds that may. */
function nearer(aim: Aim, { definition }: PolicyKindUnderTest): Aim {
  const isVain = aim.mode === "other namespace" && definition.targeting.crossNamespace === "Forbidden";
  return isVain && aim.object % 4 !== 0 ? { ...aim, mode: "exact" } : aim;
}

function findTarget(
  { kind: at, object }: Aim,
  kind: PolicyKindUnderTest,
  policyKind: PolicyKind,
  objects: readonly JsonObject[],
): JsonObject | undefined {
  const allowed = kind.definition.targeting.kinds.filter(
    ({ policies }) => policies.length === 0 || policies.includes(policyKind.kind),
  );
  const targetKind = pick(allowed, at);
  const existing = objects.filter((item) => item["kind"] === targetKind?.kind && apiGroup(item) === targetKind?.group);
  if (existing.length > 0) return pick(existing, object);
  if (targetKind?.virtual) return virtualObject(targetKind, object);
  return pick(objects, object);
}

/** Where there is none, policies target one all the same. */
const virtualObject = ({ group, kind }: TargetKind, at: number): JsonObject =>
  kubeObject({ apiVersion: `${group}/v1`, kind, namespace: pick(namespaces, at) ?? "a", name: `v${at % 2}` }, {});

function homeOf(first: Aim | undefined, target: JsonObject | undefined, { scope }: PolicyKind): string | undefined {
  if (scope === "Cluster") return undefined;
  const near =
    target === undefined ? "a" : target["kind"] === "Namespace" ? nameOf(target) : namespaceOf(target) || "a";
  return first?.mode === "other namespace" ? (near === "a" ? namespaces[1] : "a") : near;
}

/** Ports as sections. */
const PORTS: readonly JsonObject[] = [{ port: 80 }, { sectionName: "80" }, { port: 81 }, { sectionName: "443" }, {}];

/** Where a selector selects. */
const SELECTED: readonly JsonObject[] = [
  { from: "All" },
  { from: "Selector", selector: { matchLabels: { team: "red" } } },
  { from: "Same" },
  { from: "Selector", selector: { matchExpressions: [{ key: "team", operator: "NotIn", values: ["red"] }] } },
  { from: "All" },
  { from: "Nowhere" },
];

function writeRef(
  { section, mode, object: chosen }: Aim,
  target: JsonObject | undefined,
  { definition }: PolicyKindUnderTest,
  home: string | undefined,
): JsonObject {
  const kind = target === undefined ? "Gateway" : textAt(target, "kind");
  const group = target === undefined ? gatewayGroup : apiGroup(target);
  const namespace = target === undefined ? "" : namespaceOf(target);
  const base: JsonObject = {
    group: mode === "versioned group" && group !== "" ? `${group}/v1` : group,
    kind: mode === "wrong case" ? kind.toLowerCase() : mode === "wrong kind" ? "Teapot" : kind,
  };
  const { group: _, ...withoutGroup } = definition.targeting.impliedKind === kind ? {} : base;
  const elsewhere = namespace !== "" && namespace !== home ? { namespace } : {};
  const hasNamespaces = definition.targeting.selectorNamespaces !== undefined;
  const isSelector = mode.startsWith("selector") || (hasNamespaces && chosen % 2 === 0);
  if (isSelector && definition.targeting.selectors) {
    const where = hasNamespaces ? { namespaces: pick(SELECTED, chosen >> 1) ?? {} } : elsewhere;
    const matchLabels = { team: "red" };
    return mode === "selector" ? { ...base, ...where, selector: { matchLabels } } : { ...base, ...where, matchLabels };
  }
  const names = target === undefined ? [] : sectionNames(target);
  const sectionName =
    mode === "wrong section"
      ? "nowhere"
      : mode === "positional section"
        ? "rule-1"
        : section === undefined
          ? undefined
          : pick(names, section);
  const isByPort = definition.targeting.kinds.some(({ byPort }) => byPort) && section !== undefined;
  const byPort = isByPort ? pick(PORTS, chosen) : undefined;
  const name = mode === "wrong name" || target === undefined ? "gone" : nameOf(target);
  return jsonOf({ ...(mode === "no group" ? withoutGroup : base), ...elsewhere, name, sectionName, ...byPort });
}

function writeRefs(refs: readonly JsonObject[]): JsonObject {
  const [first, ...others] = refs.filter((ref) => !("matchLabels" in ref));
  const selectors = refs.filter((ref) => "matchLabels" in ref);
  return jsonOf({
    targetRef: others.length === 0 ? first : undefined,
    targetRefs: first !== undefined && others.length > 0 ? [first, ...others] : undefined,
    targetSelectors: selectors.length > 0 ? selectors : undefined,
  });
}

function writeBlocks({ defaults, bare, overrides, spelling }: PolicyPlan, kind: PolicyKindUnderTest): JsonObject {
  // A kind that never merges has no blocks: only values.
  if (kind.definition.merge.none || kind.definition.merge.accumulate !== undefined)
    return writeValues(bare ?? defaults ?? overrides, kind);
  const write = (plan: BlockPlan | undefined): JsonObject | undefined =>
    plan === undefined ? undefined : writeBlock(plan, kind);
  return jsonOf({
    ...write(bare),
    [spelling]: write(defaults),
    [spelling === "defaults" ? "overrides" : "override"]: write(overrides),
  });
}

function writeValues(plan: BlockPlan | undefined, kind: PolicyKindUnderTest): JsonObject {
  const spec: { [key: string]: Json } = {};
  for (const { path, value } of plan?.values ?? []) {
    const keys = pick(kind.paths, path) ?? "note";
    const isWord = kind.words !== undefined && keys === kind.definition.merge.granularity.field;
    const word = isWord ? pick(kind.words ?? [], path + (plan?.strategy ?? 0)) : undefined;
    const reference = kind.definition.references?.some((one) => one.path === keys)
      ? referenceOf(path, value)
      : undefined;
    setAt(spec, keys.split("."), word ?? reference ?? (isList(keys, kind) ? listOf(path, value) : value));
  }
  return spec;
}

/** True for the path of a list that is merged item by item. */
const isList = (path: string, { definition }: PolicyKindUnderTest): boolean =>
  (definition.merge.lists ?? []).some((list) => list.path === path || list.path.replace("*", "joined") === path);

/** A list instead of most values. */
const listOf = (path: number, value: Json): Json => pick(LISTS, path + JSON.stringify(value).length) ?? value;

/** A reference or several, instead of a value. */
const referenceOf = (path: number, value: Json): Json | undefined =>
  pick(REFERENCES, path + JSON.stringify(value).length);

const REFERENCES: readonly Json[] = [
  { name: "ca" },
  [{ name: "ca" }, { name: "gone" }],
  { name: "gone" },
  [{ name: "bare" }, { kind: "Teapot", name: "ca" }],
  [],
  { kind: "ConfigMap", name: "ca", namespace: "a" },
  "ca",
];

const LISTS: readonly (Json | undefined)[] = [
  [{ type: "x", size: 1 }],
  [
    { type: "x", size: 2 },
    { type: "y", size: { deep: 1 } },
  ],
  [{ type: "y", size: { deep: 2, wide: 1 } }, { size: 3 }],
  [{ type: "x", size: 1, color: null }, "plain", { type: "x" }],
  undefined,
  [{ type: 7 }, { type: "" }, { type: "x/y~[0]" }, null],
  [],
  [500, 503],
];

function writeBlock(plan: BlockPlan, kind: PolicyKindUnderTest): JsonObject {
  const removals = plan.removals.map((at) => pick(kind.removals, at) ?? "nothing");
  return jsonOf({
    ...writeValues(plan, kind),
    strategy: plan.strategy === undefined ? undefined : pick(kind.strategies, plan.strategy),
    when: plan.when === undefined ? undefined : pick(kind.conditions, plan.when),
    [plan.removeSpelling]: removals.length === 0 ? undefined : removals,
  });
}

function setAt(spec: { [key: string]: Json }, [head = "", ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    spec[head] = value;
    return;
  }
  const below = spec[head];
  const copy = isJsonObject(below) ? { ...below } : {};
  setAt(copy, rest, value);
  spec[head] = copy;
}

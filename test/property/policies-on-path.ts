/**
 * The policies that are attached to a path and the settings of each, read from the raw objects by the specification's rules.
 * The paths are input. The code shares only types with the engine.
 */
import type { EffectivePolicy } from "../../src/core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../src/core/effective/paths/path-node.ts";
import type { Granularity, PolicyDefinition, PolicyKind, TargetKind } from "../../src/core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/model/json.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import { gatewayGroup } from "./random/define-kind.ts";

export interface RawPolicy {
  readonly id: PolicyId;
  readonly definition: PolicyDefinition;
  readonly kind: PolicyKind;
  readonly namespace: string;
  readonly name: string;
  readonly created: string | undefined;
  readonly spec: JsonObject;
}

/** A policy on a path. `level` is the index of its target; 0 is the root. */
export interface PolicyOnPath {
  readonly policy: RawPolicy;
  readonly level: number;
}

export interface Setting {
  readonly policy: PolicyId;
  readonly block: BlockName;
  readonly pointer: string;
  readonly value: Json;
}

const mapAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isJsonObject(value) ? value : {};
};
const listAt = (object: JsonObject, key: string): readonly JsonObject[] => {
  const value = object[key];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
};
const textAt = (object: JsonObject, key: string): string | undefined => {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
};
export const groupOf = (object: JsonObject): string => {
  const version = textAt(object, "apiVersion") ?? "";
  return version.includes("/") ? version.slice(0, version.indexOf("/")) : "";
};

export function readPolicies(
  objects: readonly JsonObject[],
  definitions: readonly PolicyDefinition[],
): readonly RawPolicy[] {
  return objects.flatMap((object) => {
    for (const definition of definitions) {
      const kind = definition.policies.find((one) => one.kind === object["kind"] && one.group === groupOf(object));
      if (kind === undefined) continue;
      const metadata = mapAt(object, "metadata");
      const name = textAt(metadata, "name") ?? "";
      const namespace = textAt(metadata, "namespace") ?? "";
      const id = `${kind.kind}.${kind.group}/${namespace}/${name}` as PolicyId;
      const created = textAt(metadata, "creationTimestamp");
      return [{ id, definition, kind, namespace, name, created, spec: mapAt(object, "spec") }];
    }
    return [];
  });
}

/** The policies of a path's stack, root first, without those that are not accepted (`isOut`). */
export function policiesOnPath(
  path: Pick<EffectivePolicy, "policyKind" | "path" | "from">,
  policies: readonly RawPolicy[],
  objects: readonly JsonObject[],
  isOut: (policy: PolicyId) => boolean,
): readonly PolicyOnPath[] {
  const ours = policies.filter(
    ({
      id,
      definition: {
        policies: [first],
      },
    }) => first.kind === path.policyKind.kind && first.group === path.policyKind.group && !isOut(id),
  );
  const found = path.path.flatMap((node, level) =>
    ours.filter((policy) => targets(policy, node, path, objects)).map((policy) => ({ policy, level })),
  );
  const [{ definition } = { definition: undefined }] = ours;
  const highest = definition?.merge.none ? onlyHighest(found, path) : found;
  if (definition?.class !== "Direct") return highest;
  // A Direct policy on an object covers the sections that have none of their own. If all have, each of them overrides it.
  const own = sectionNames(path.path[0], objects).map((name) =>
    ours.some((policy) => targets(policy, { ...(path.path[0] as PathNode), sectionName: name }, path, objects)),
  );
  if (own.length > 0 && own.every((has) => has)) return highest;
  return highest.filter(({ level }) => level === highest.at(-1)?.level);
}

/** The names of the ports of a Service. A port without a name of its own gets one that no policy can target. */
function sectionNames(node: PathNode | undefined, objects: readonly JsonObject[]): readonly string[] {
  const object = objects.find((one) => {
    const metadata = mapAt(one, "metadata");
    const namespace = textAt(metadata, "namespace") ?? "";
    return one["kind"] === node?.kind && metadata["name"] === node?.name && namespace === node?.namespace;
  });
  const ports = object === undefined ? [] : listAt(mapAt(object, "spec"), "ports");
  return ports.map((port) => textAt(port, "name") ?? "#");
}

/** Strategy None: one policy per target, the oldest, then the first by `namespace/name` as one string. */
function onlyHighest(
  found: readonly PolicyOnPath[],
  { path, from }: Pick<EffectivePolicy, "path" | "from">,
): readonly PolicyOnPath[] {
  const key = ({ policy }: PolicyOnPath): string => `${policy.created ?? "later"} ${policy.namespace}/${policy.name}`;
  const isHighest = (one: PolicyOnPath, among: readonly PolicyOnPath[]): boolean =>
    among.every((other) => other.level !== one.level || key(one) <= key(other));
  // A policy for all requests that a consumer's replaces on these requests has a part, too.
  const isGeneral = ({ policy, level }: PolicyOnPath): boolean => policy.namespace === (path[level]?.namespace ?? "");
  const general = found.filter(isGeneral);
  return found.filter(
    (one) => isHighest(one, found) || (from !== undefined && isGeneral(one) && isHighest(one, general)),
  );
}

function targets(
  policy: RawPolicy,
  node: PathNode,
  path: Pick<EffectivePolicy, "path" | "from">,
  objects: readonly JsonObject[],
): boolean {
  const { fields } = policy.definition.targeting;
  const single = policy.spec[fields.ref];
  const refs = [...(isJsonObject(single) ? [single] : []), ...listAt(policy.spec, fields.refs)];
  const selectors = listAt(policy.spec, fields.selectors).map((item): JsonObject => ({ ...item, selector: item }));
  return [...refs, ...selectors].some((ref) => refersTo(ref, policy, node, path, objects));
}

function refersTo(
  ref: JsonObject,
  policy: RawPolicy,
  node: PathNode,
  path: Pick<EffectivePolicy, "path" | "from">,
  objects: readonly JsonObject[],
): boolean {
  const kind = findTargetKind(ref, policy);
  if (kind === undefined || kind.kind !== node.kind || kind.group !== node.group) return false;
  if (textAt(ref, "sectionName") !== node.sectionName) return false;
  if (kind.sectionRequired === true && node.sectionName === undefined) return false;
  if (node.sectionName !== undefined && !isNamedOnce(node, objects) && !isNamedByPosition(node, policy, objects))
    return false;
  const selector = ref["selector"];
  const isNamed = isJsonObject(selector) ? isSelected(selector, node, objects) : textAt(ref, "name") === node.name;
  const where = { namespace: textAt(ref, "namespace"), isSelector: isJsonObject(selector) };
  return isNamed && mayReach(policy, where, node, path, objects);
}

/** The target kind that the reference names, if the policy may target it. */
function findTargetKind(ref: JsonObject, { definition, kind }: RawPolicy): TargetKind | undefined {
  const [group] = (textAt(ref, "group") ?? "").split("/");
  return definition.targeting.kinds.find(
    (one) =>
      one.kind.toLowerCase() === textAt(ref, "kind")?.toLowerCase() &&
      (!("group" in ref) || one.group === group) &&
      (one.policies.length === 0 || one.policies.includes(kind.kind)) &&
      (textAt(ref, "sectionName") === undefined || one.sections.length > 0),
  );
}

const findObject = (node: PathNode, objects: readonly JsonObject[]): JsonObject | undefined =>
  objects.find(
    (object) =>
      object["kind"] === node.kind &&
      groupOf(object) === node.group &&
      textAt(mapAt(object, "metadata"), "name") === node.name &&
      (textAt(mapAt(object, "metadata"), "namespace") ?? "") === node.namespace,
  );

/** A policy can name a section only if the name is declared exactly once. */
function isNamedOnce(node: PathNode, objects: readonly JsonObject[]): boolean {
  const spec = mapAt(findObject(node, objects) ?? {}, "spec");
  const names = ["listeners", "rules", "ports", "branches"].flatMap((list) =>
    listAt(spec, list).map((item) => item["name"]),
  );
  return names.filter((name) => name === node.sectionName).length === 1;
}

/** `rule-2` names the second rule if that rule has no name of its own. */
function isNamedByPosition(node: PathNode, { definition }: RawPolicy, objects: readonly JsonObject[]): boolean {
  const rules = listAt(mapAt(findObject(node, objects) ?? {}, "spec"), "rules");
  const isMeant = rules.some((rule, at) => !("name" in rule) && node.sectionName === `rule-${at + 1}`);
  return definition.targeting.positionalRules && isMeant;
}

function isSelected(selector: JsonObject, node: PathNode, objects: readonly JsonObject[]): boolean {
  const labels = mapAt(mapAt(findObject(node, objects) ?? {}, "metadata"), "labels");
  return Object.entries(mapAt(selector, "matchLabels")).every(([key, value]) => labels[key] === value);
}

function mayReach(
  policy: RawPolicy,
  { namespace, isSelector }: { readonly namespace: string | undefined; readonly isSelector: boolean },
  node: PathNode,
  path: Pick<EffectivePolicy, "path" | "from">,
  objects: readonly JsonObject[],
): boolean {
  if (node.namespace === "") {
    if (policy.kind.scope === "Cluster") return true;
    return node.kind === "Namespace" && node.name === policy.namespace;
  }
  if (policy.kind.scope === "Cluster") {
    if (policy.definition.targeting.crossNamespace !== "ReferenceGrant") return false;
    return namespace === node.namespace || (isSelector && namespace === undefined);
  }
  if ((namespace ?? policy.namespace) !== node.namespace) return false;
  if (node.namespace === policy.namespace) return true;
  switch (policy.definition.targeting.crossNamespace) {
    case "Forbidden":
      return false;
    case "ReferenceGrant":
      return isGranted(policy, node, objects);
    case "Consumer":
      return path.from === policy.namespace;
  }
}

function isGranted(policy: RawPolicy, node: PathNode, objects: readonly JsonObject[]): boolean {
  return objects.some((grant) => {
    if (grant["kind"] !== "ReferenceGrant" || groupOf(grant) !== gatewayGroup) return false;
    if (textAt(mapAt(grant, "metadata"), "namespace") !== node.namespace) return false;
    const spec = mapAt(grant, "spec");
    const from = listAt(spec, "from").some(
      (item) =>
        item["group"] === policy.kind.group &&
        item["kind"] === policy.kind.kind &&
        item["namespace"] === policy.namespace,
    );
    const to = listAt(spec, "to").some(
      (item) =>
        item["group"] === node.group && item["kind"] === node.kind && (!("name" in item) || item["name"] === node.name),
    );
    return from && to;
  });
}

export interface BlockOfPolicy {
  readonly name: BlockName;
  readonly spec: JsonObject;
  readonly strategy: string | undefined;
  readonly hasWhen: boolean;
  readonly removals: readonly string[];
}

/** The policy's blocks in the order in which they are merged. */
export function blocksOf({ spec, definition }: RawPolicy): readonly BlockOfPolicy[] {
  const { fields } = definition.targeting;
  const { [fields.ref]: _ref, [fields.refs]: _refs, [fields.selectors]: _selectors, ...rest } = spec;
  const { defaults, default: isDefault, overrides, override, ...bare } = rest;
  const blocks: readonly (readonly [BlockName, Json | undefined])[] = [
    ["defaults", defaults ?? isDefault],
    ["bare", bare],
    ["overrides", overrides ?? override],
  ];
  return blocks.flatMap(([name, value]) => (isJsonObject(value) ? [readBlock(name, value, definition)] : []));
}

function readBlock(name: BlockName, block: JsonObject, { merge }: PolicyDefinition): BlockOfPolicy {
  const { remove, unset, ...withWhen } = block;
  // RFC 9 has `when` in the two blocks only: beside bare rules it is an ordinary rule.
  const { when, ...withoutWhen } = withWhen;
  const rest = name === "bare" ? withWhen : withoutWhen;
  const isStrategy = Object.keys(merge.granularity.values).length > 0;
  const { [merge.granularity.field]: strategy, ...spec } = rest;
  return {
    name,
    spec: isStrategy ? spec : rest,
    strategy: isStrategy && typeof strategy === "string" ? strategy : undefined,
    hasWhen: name !== "bare" && typeof when === "string",
    removals: [remove, unset].flatMap((entries) => (Array.isArray(entries) ? entries.map(String) : [])),
  };
}

/** The settings of a policy, one for each unit of its blocks. */
export function settingsOf(policy: RawPolicy): readonly Setting[] {
  return blocksOf(policy).flatMap(({ name, spec }) =>
    unitsOf(spec, policy.definition).map(([path, value]) => ({
      policy: policy.id,
      block: name,
      pointer: toPointer(path),
      value,
    })),
  );
}

const toPointer = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const supports = ({ merge }: PolicyDefinition, granularity: Granularity): boolean =>
  !merge.none && [merge.granularity.default, ...Object.values(merge.granularity.values)].includes(granularity);
/** A named rule is one unit unless the kind also merges leaves. */
const hasLeaves = (definition: PolicyDefinition): boolean =>
  definition.merge.rules.length === 0 || supports(definition, "Field") || supports(definition, "Patch");

type PathAndValue = readonly [path: readonly string[], value: Json];

/** Units are scalars, lists, empty maps and atomic maps; also named rules where the kind merges by rules. */
function unitsOf(spec: JsonObject, definition: PolicyDefinition): readonly PathAndValue[] {
  const walk = (value: Json, path: readonly string[]): readonly PathAndValue[] => {
    if (value === null && !supports(definition, "Patch")) return [];
    if (isJsonObject(value) && !isOneValue(path, definition)) {
      const keys = Object.keys(value).filter((key) => value[key] !== null || supports(definition, "Patch"));
      if (keys.length > 0) return keys.flatMap((key) => walk(value[key] ?? null, [...path, key]));
      // A rule map without rules sets nothing.
      return path.length === 0 || leadsToRules(path, definition) ? [] : [[path, {}]];
    }
    return [[path, value]];
  };
  return walk(spec, []);
}

const matches = (path: readonly string[], pattern: readonly string[]): boolean =>
  pattern.every((step, at) => step === "*" || step === path[at]);

function isOneValue(path: readonly string[], definition: PolicyDefinition): boolean {
  const { rules, atomicPaths } = definition.merge;
  const isRule = rules.some((rule) => rule.split(".").length === path.length - 1 && matches(path, rule.split(".")));
  return (
    (isRule && !hasLeaves(definition)) ||
    (!supports(definition, "Patch") &&
      atomicPaths.some((dotted) => dotted.split(".").length === path.length && matches(path, dotted.split("."))))
  );
}

const leadsToRules = (path: readonly string[], { merge }: PolicyDefinition): boolean =>
  merge.rules.some(
    (rule) => rule.split(".").length >= path.length && matches(path, rule.split(".").slice(0, path.length)),
  );

/** A Direct policy takes effect only where the path ends: on the last node, or on the object whose section that is. */
export function isAtEnd(level: number, { path }: Pick<EffectivePolicy, "path">): boolean {
  return level >= path.length - (path.at(-1)?.sectionName === undefined ? 1 : 2);
}

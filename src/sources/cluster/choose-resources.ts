/** The resources of a cluster that take part in an evaluation, and so must be read. */
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { evaluate } from "../../core/evaluate.ts";
import { worldOf } from "../../core/evaluation.ts";
import type { PolicyDefinition } from "../../core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject, objectsIn, ownValue } from "../../core/model/json.ts";
import { valueAtKeys } from "../../core/model/json-pointer.ts";
import { kinds as builtInKinds } from "../../core/model/kinds.ts";
import { attachableLevels } from "../../core/model/levels.ts";
import { type GroupKind, type KindId, kindId } from "../../core/model/refs.ts";
import { TARGET_FIELDS } from "../../core/model/schema/crd-schemas.ts";
import { buildSnapshot } from "../../core/model/snapshot.ts";
import { type KnownDefinitions, knownDefinitions } from "../../definitions/known-definitions.ts";

/** The kinds that say which other kinds there are. They are read first. */
export const RULE_KINDS: readonly GroupKind[] = [
  { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" },
  { group: "prevail.dev", kind: "PolicyDefinition" },
];

/** Kinds that are never read to answer a question: they have secrets, or are many, and no policy setting depends on them. */
const LEFT_OUT: ReadonlySet<KindId> = new Set(
  [
    { group: "", kind: "Secret" },
    { group: "", kind: "ConfigMap" },
    { group: "discovery.k8s.io", kind: "EndpointSlice" },
    { group: "prevail.dev", kind: "GatewayParameters" },
    ...RULE_KINDS,
  ].map(kindId),
);

export interface ChosenResources {
  readonly chosen: readonly ApiResource[];
  /** Kinds that would be read, but the server does not have them. */
  readonly absent: readonly GroupKind[];
}

export interface ChoiceOptions {
  /** Kinds that look like policies, where CRDs may not be listed. */
  readonly policyKinds?: readonly GroupKind[];
  /** The definitions beside those of the cluster. The default is everything that comes with the program. */
  readonly known?: KnownDefinitions | undefined;
  /** Kinds that are read although no policy setting depends on them. */
  readonly also?: readonly GroupKind[] | undefined;
}

/**
 * The resources to read: the built-in kinds, the kinds of policies, and the kinds that definitions name; of those, what the server has.
 * `rules` are the CRDs and PolicyDefinitions of the cluster;
 */
export function chooseResources(
  resources: readonly ApiResource[],
  rules: readonly JsonObject[],
  { policyKinds = [], known = knownDefinitions(), also = [] }: ChoiceOptions = {},
): ChosenResources {
  const wanted = new Map<KindId, GroupKind>();
  const want = (kind: GroupKind): void => void wanted.set(kindId(kind), kind);
  for (const kind of builtInKinds) want(kind);
  const wantAll = ({ policies, hierarchy, targeting }: PolicyDefinition): void => {
    for (const kind of [...policies, ...hierarchy.kinds, ...attachableLevels(targeting)]) want(kind);
  };
  const { rulebook } = worldOf(evaluate(buildSnapshot(rules, { validated: true }), known));
  for (const { definition } of rulebook.kinds) wantAll(definition);
  // Without the right to list CRDs the kinds of implementations are known by what the server has.
  for (const resource of resources) {
    const definition = known.library?.find(resource);
    if (definition !== undefined) wantAll(definition);
  }
  // A kind that looks like a policy and has no definition is read too: the answer says that it is not known.
  for (const rule of rules) if (namesTargets(rule)) want(kindOf(rule));
  for (const kind of policyKinds) want(kind);
  for (const kind of LEFT_OUT) wanted.delete(kind);
  for (const kind of also) want(kind);
  const chosen = resources.filter((resource) => wanted.has(kindId(resource)) && resource.verbs.includes("list"));
  const served = new Set(resources.map(kindId));
  return { chosen, absent: [...wanted.values()].filter((kind) => !served.has(kindId(kind))) };
}

/** The CRDs that are kept: those of kinds that are read. Others are often megabytes. */
export function keepRules(rules: readonly JsonObject[], chosen: readonly ApiResource[]): readonly JsonObject[] {
  const kept = new Set(chosen.map(kindId));
  return rules.filter((rule) => rule["kind"] !== "CustomResourceDefinition" || kept.has(kindId(kindOf(rule))));
}

/**
 * Kinds with a CRD in use that discovery does not have, or only in versions that the CRD does not serve any more. The API server publishes a kind some
 * time after its CRD was created or changed, and after each start of its own: such a kind has not gone.
 */
export const kindsBehind = (resources: readonly ApiResource[], rules: readonly JsonObject[]): readonly GroupKind[] =>
  rules
    .filter((rule) => {
      const versions = servedVersions(rule);
      if (versions.length === 0) return false;
      const kind = kindId(kindOf(rule));
      return !resources.some((resource) => kindId(resource) === kind && versions.includes(resource.version));
    })
    .map(kindOf);

/** The versions of a CRD that is in use. */
function servedVersions(rule: JsonObject): readonly string[] {
  const conditions = objectsIn(valueAtKeys(rule, ["status", "conditions"]));
  const isEstablished = conditions.some(({ type, status }) => type === "Established" && status === "True");
  if (rule["kind"] !== "CustomResourceDefinition" || !isEstablished) return [];
  const versions = objectsIn(valueAtKeys(rule, ["spec", "versions"])).filter(({ served }) => served === true);
  return versions.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
}

function kindOf(crd: JsonObject): GroupKind {
  const spec = ownValue(crd, "spec");
  const names = isJsonObject(spec) ? ownValue(spec, "names") : undefined;
  const group = isJsonObject(spec) ? ownValue(spec, "group") : undefined;
  const kind = isJsonObject(names) ? ownValue(names, "kind") : undefined;
  return { group: typeof group === "string" ? group : "", kind: typeof kind === "string" ? kind : "" };
}

/** True for a CRD whose spec has a field that GEP-713 uses for targets. */
function namesTargets(crd: JsonObject): boolean {
  if (crd["kind"] !== "CustomResourceDefinition") return false;
  const spec = ownValue(crd, "spec");
  const versions = isJsonObject(spec) ? objectsIn(ownValue(spec, "versions")) : [];
  return versions.some((version) => {
    return hasTargetField(valueAtKeys(version, ["schema", "openAPIV3Schema", "properties", "spec", "properties"]));
  });
}

/** True for the properties of a spec that has such a field. */
export const hasTargetField = (fields: Json | undefined): boolean =>
  isJsonObject(fields) && TARGET_FIELDS.some((name) => Object.hasOwn(fields, name));

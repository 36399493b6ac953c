import { BLOCK_NAMES, BLOCK_SPELLINGS } from "../../block-names.ts";
import type {
  Granularity,
  LevelKind,
  MergeRules,
  PolicyClass,
  PolicyDefinition,
  Targeting,
  TargetKind,
} from "../../definition.ts";
import type { Finding, Severity } from "../../finding.ts";
import type { FindingCode } from "../../finding-code.ts";
import { isJsonObject, type Json, type JsonObject, objectAt, ownValue, textsIn } from "../../json.ts";
import { kinds as builtInKinds, GATEWAY_API } from "../../kinds.ts";
import type { KubeObject } from "../../kube-object.ts";
import { targetLevels } from "../../levels.ts";
import { POLICY_LABEL, TARGET_FIELDS } from "../../schema/crd-schemas.ts";
import { type CrdFacts, parseCrd } from "./parse-crd.ts";

/**
 * A policy kind is known by the label of its CRD
 *
 * A CRD with the label `gateway.networking.k8s.io/policy` describes a policy kind. Without a PolicyDefinition its class comes
 * from the label and its targets and merge strategies from the schema. Such a kind may target every kind of the Gateway API
 * hierarchy; the effective targets are the targets themselves (Direct) or, for Inherited kinds, the rules of routes, and Services and
 * their ports where these may be targeted. A kind whose schema has no field for a target is not a policy kind.
 * GEP-713 experimental, "Kubectl Plugin"
 */
export function inferDefinition(crd: KubeObject): { definition?: PolicyDefinition; findings: Finding[] } {
  const label = ownValue(objectAt(objectAt(crd.raw, "metadata"), "labels"), POLICY_LABEL);
  if (label === undefined) return { findings: [] };
  const facts = parseCrd(crd);
  const field = `metadata.labels["${POLICY_LABEL}"]`;
  if (facts === undefined) {
    return {
      findings: [
        finding(
          crd,
          "warning",
          "DefinitionNotInferred",
          "spec",
          "The CRD is labelled as a policy kind, but spec.group or spec.names.kind is missing or not a valid name.",
        ),
      ],
    };
  }
  const policyClass = classOf(label, facts);
  if (policyClass === undefined) {
    const message = `${field} is ${JSON.stringify(label)}; allowed: Direct, Inherited, true. Policies of the kind ${facts.kind} are not evaluated.`;
    return { findings: [finding(crd, "warning", "DefinitionNotInferred", field, message)] };
  }
  if (!mayHaveTargets(facts.specSchema)) {
    const message = `The CRD is labelled as a policy kind, but its schema has none of ${TARGET_FIELDS.join(", ")}. Objects of the kind ${facts.kind} are not evaluated as policies; remove the label, or add a PolicyDefinition that names its target fields.`;
    return { findings: [finding(crd, "warning", "DefinitionNotInferred", "spec.versions", message)] };
  }
  const definition = buildDefinition(crd.ref.name, policyClass, facts);
  const message = `${facts.kind} has no PolicyDefinition: it is treated as ${policyClass === "Direct" ? "a Direct policy kind that never merges" : `an Inherited policy kind with ${formatMerge(definition.merge)}`}, by the label of its CRD.`;
  return { definition, findings: [finding(crd, "info", "DefinitionInferred", field, message)] };
}

/** False if the schema lists the fields of the spec, and none of them names a target. */
function mayHaveTargets(schema: JsonObject): boolean {
  const properties = objectAt(schema, "properties");
  const isOpen =
    Object.keys(properties).length === 0 || ownValue(schema, "x-kubernetes-preserve-unknown-fields") === true;
  return isOpen || TARGET_FIELDS.some((field) => Object.hasOwn(properties, field));
}

function finding(crd: KubeObject, severity: Severity, code: FindingCode, field: string, message: string): Finding {
  return {
    code,
    severity,
    object: crd.id,
    field,
    message,
    ...(crd.source === undefined ? {} : { source: crd.source }),
  };
}

/**
 * The value of the policy label is the class
 *
 * The value `inherited` or `direct` is the class of the policy kind; case does not count. With `true` the kind is Inherited if its
 * schema has a `defaults` or `overrides` block, else Direct.
 * RFC 9, "Identifying inherited policy kinds"
 */
export function classOf(label: Json, { specSchema }: Pick<CrdFacts, "specSchema">): PolicyClass | undefined {
  switch (typeof label === "string" ? label.toLowerCase() : JSON.stringify(label)) {
    case "direct":
      return "Direct";
    case "inherited":
      return "Inherited";
    case "true":
      return blockSchemas(specSchema).length > 0 ? "Inherited" : "Direct";
    default:
      return undefined;
  }
}

/** Builds a definition of the class from what a CRD says about the kind. The rest is as in most kinds. */
export function buildDefinition(name: string, policyClass: PolicyClass, facts: CrdFacts): PolicyDefinition {
  const targeting = inferTargeting(facts.specSchema);
  const routes = builtInKinds.filter(({ route }) => route !== undefined).map(({ group, kind }) => ({ group, kind }));
  const rules: readonly LevelKind[] = routes.map((route) => ({ ...route, section: "Rule" }));
  return {
    name,
    policies: [{ group: facts.group, kind: facts.kind, scope: facts.scope }],
    class: policyClass,
    targeting,
    hierarchy: {
      effectiveTargets:
        policyClass === "Direct"
          ? targetLevels(targeting.kinds)
          : [...rules, ...targetLevels(targeting.kinds.filter(isService))],
      namespacesAbove: policyClass === "Direct" ? [] : [{ group: GATEWAY_API, kind: "Gateway" }, ...routes],
      roots: [],
      through: [],
      mesh: false,
      links: [],
      kinds: [],
    },
    merge: policyClass === "Direct" ? { ...atomicDefaults, none: true } : inferMerge(facts),
    mapsTo: [],
    status: { vocabulary: "Enforced" },
    controllers: [],
    inferred: true,
  };
}

const isService = ({ group, kind }: TargetKind): boolean => group === "" && kind === "Service";

function inferTargeting(schema: JsonObject): Targeting {
  const properties = objectAt(schema, "properties");
  const refs = objectAt(objectAt(objectAt(properties, "targetRefs"), "items"), "properties");
  const ref = objectAt(objectAt(properties, "targetRef"), "properties");
  const fields = Object.keys(refs).length > 0 ? refs : ref;
  const known = Object.keys(fields).length > 0;
  const kinds = enumOf(objectAt(fields, "kind"));
  return {
    fields: { ref: "targetRef", refs: "targetRefs", selectors: "targetSelectors" },
    refs: Object.hasOwn(properties, "targetRef") && !Object.hasOwn(properties, "targetRefs") ? "One" : "Many",
    selectors: Object.hasOwn(properties, "targetSelectors") || Object.hasOwn(fields, "selector"),
    crossNamespace: Object.hasOwn(fields, "namespace") ? "ReferenceGrant" : "Forbidden",
    positionalRules: false,
    kinds: targetable
      .filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
      .map(({ group, kind, sections }): TargetKind => {
        const hasSections = !known || Object.hasOwn(fields, "sectionName");
        const names = hasSections ? sections.map(({ section }) => section) : [];
        return { group, kind, sections: names, virtual: false, policies: [] };
      }),
  };
}

/** The kinds of the Gateway API hierarchy. */
const targetable = builtInKinds.filter(
  ({ kind, route }) =>
    route !== undefined || ["Namespace", "GatewayClass", "Gateway", "ListenerSet", "Service"].includes(kind),
);

const atomicDefaults: MergeRules = {
  none: false,
  granularity: { default: "Atomic", field: "strategy", values: {} },
  rules: [],
  atomicPaths: [],
  blocks: "Combined",
  bare: "AtomicDefaults",
  decidedBy: "Higher",
  sameTarget: "Established",
  empty: "GivesWay",
};

const GRANULARITY_BY_WORD: ReadonlyMap<string, Granularity> = new Map([
  ["atomic", "Atomic"],
  ["merge", "Merge"],
  ["patch", "Patch"],
]);

/**
 * Blocks named `default` and `override` merge field by field
 *
 * A kind whose schema has the blocks of the policy attachment reference, `default` or `override`, follows that document: fields
 * are merged one by one, a policy without a block is a Direct one, and on one target the oldest policy takes effect. A schema
 * that names no block leaves it to the policies: their blocks named `default` and `override` are merged field by field.
 * Policy attachment reference, "Hierarchy"
 */
function inferMerge(facts: CrdFacts): MergeRules {
  const properties = objectAt(facts.specSchema, "properties");
  const [plural, singular] = [0, 1].map((spelling) =>
    Object.values(BLOCK_SPELLINGS).some((names) => isBlockSchema(ownValue(properties, names[spelling] as string))),
  );
  const merge = inferStrategies(facts);
  if (plural) return merge;
  if (singular)
    return {
      ...merge,
      granularity: { ...merge.granularity, default: "Field" },
      bare: "Direct",
      sameTarget: "OldestWins",
    };
  return { ...merge, granularity: { ...merge.granularity, ofReferenceBlocks: "Field" } };
}

/** Atomic, and the strategies that the field `strategy` of the schema allows. The outermost maps count as maps of named rules. */
function inferStrategies({ specSchema, mapPaths }: CrdFacts): MergeRules {
  const schemas = [specSchema, ...blockSchemas(specSchema)];
  const words = schemas.flatMap((schema) => enumOf(objectAt(objectAt(schema, "properties"), "strategy")));
  const rules = mapPaths.filter((path) => !mapPaths.some((outer) => path.startsWith(`${outer}.`)));
  const values = new Map<string, Granularity>();
  for (const word of words) {
    const granularity = GRANULARITY_BY_WORD.get(word.toLowerCase());
    if (granularity !== undefined && (granularity !== "Merge" || rules.length > 0)) values.set(word, granularity);
  }
  const merges = [...values.values()].includes("Merge");
  return {
    ...atomicDefaults,
    granularity: { ...atomicDefaults.granularity, values: Object.fromEntries(values) },
    rules: merges ? rules : [],
  };
}

function formatMerge({ granularity }: MergeRules): string {
  const words = Object.keys(granularity.values);
  if (words.length > 0) return `the strategies ${words.join(", ")}`;
  return granularity.default === "Field" ? "defaults and overrides of single fields" : "atomic defaults and overrides";
}

/** The schemas of the blocks of defaults and overrides. */
export const blockSchemas = (schema: JsonObject): readonly JsonObject[] =>
  BLOCK_NAMES.map((name) => ownValue(objectAt(schema, "properties"), name)).filter(isBlockSchema);

/** A scalar field may be named `default` too. */
const isBlockSchema = (schema: Json | undefined): schema is JsonObject =>
  isJsonObject(schema) && (ownValue(schema, "type") ?? "object") === "object";

const enumOf = (schema: JsonObject): readonly string[] => textsIn(ownValue(schema, "enum"));

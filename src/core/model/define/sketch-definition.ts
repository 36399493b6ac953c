import type { PolicyClass, PolicyDefinition, TargetKind } from "../definition.ts";
import { type Json, type JsonObject, objectAt, ownValue } from "../json.ts";
import { type KubeObject, labelsOf } from "../kube-object.ts";
import { blockSchemas, buildDefinition, classOf } from "../parse/definition/infer-definition.ts";
import { type CrdFacts, parseCrd } from "../parse/definition/parse-crd.ts";
import { isNamespace } from "../refs.ts";
import { POLICY_LABEL } from "../schema/crd-schemas.ts";
import { objects } from "../schema/read-fields.ts";
import { findStrategyField, type StrategyField } from "./find-strategy.ts";
import { findTargetFields, type TargetFields } from "./find-targets.ts";
import { type DefinitionSketch, guess, type Remark, readFrom, type SketchField } from "./sketch.ts";
import type { SketchInput } from "./sketch-input.ts";
import { sketchMerge } from "./sketch-merge.ts";

export type SketchResult =
  | { readonly ok: true; readonly sketch: DefinitionSketch }
  | { readonly ok: false; readonly reason: string };

/** A PolicyDefinition for the kind of a CRD. What the CRD does not say is guessed, and marked. */
export function sketchDefinition(crd: KubeObject): SketchResult {
  const facts = parseCrd(crd);
  if (facts === undefined) return { ok: false, reason: "spec.group or spec.names.kind is missing or not a valid name" };
  const targets = findTargetFields(facts.specSchema, facts.kind);
  if (targets === undefined)
    return {
      ok: false,
      reason:
        "no field of spec names a target, such as targetRef or targetRefs. A kind that objects refer to themselves, by an extensionRef, a parametersRef or an annotation, cannot be defined",
    };
  const strategy = findStrategyField(facts.specSchema, { hasRules: facts.mapPaths.length > 0 });
  const label = ownValue(labelsOf(crd), POLICY_LABEL);
  const named = targets.kinds.names;
  const { policyClass, remark } = classFor(label, facts, named, strategy);
  const inferred = buildDefinition(crd.ref.name, policyClass, facts);
  const kinds = targetKinds(targets, inferred);
  const input: SketchInput = { facts, targets, strategy, kinds, inferred };
  const { group, kind, scope } = facts;
  const spec: readonly SketchField[] = [
    { key: "policies", value: [{ group, kind, ...(scope === "Cluster" ? { scope } : {}) }], remarks: [] },
    { key: "class", value: policyClass, remarks: [remark] },
    { key: "targeting", value: targetingFields(input), remarks: [] },
    ...hierarchyField(input),
    ...sketchMerge(input),
    ...statusField(input, crd),
    {
      key: "controllers",
      value: ["example.com/gateway-controller"],
      isOff: true,
      remarks: [
        guess(
          "The CRD does not say which controllers carry the kind out. Without this field, policies count behind every Gateway, also one of another vendor.",
        ),
      ],
    },
  ];
  const unlabelled = readFrom(
    `The CRD has no label ${POLICY_LABEL}, so without a definition its policies are ignored.`,
  );
  return {
    ok: true,
    sketch: { name: crd.ref.name, kind, remarks: label === undefined ? [unlabelled] : [], spec },
  };
}

interface ChosenClass {
  readonly policyClass: PolicyClass;
  readonly remark: Remark;
}

const ABOVE: ReadonlySet<string> = new Set(["GatewayClass", "Gateway", "ListenerSet", "Namespace"]);

function classFor(
  label: Json | undefined,
  facts: CrdFacts,
  named: readonly string[],
  strategy: StrategyField | undefined,
): ChosenClass {
  const labelled = label === undefined ? undefined : classOf(label, facts);
  const isPlain = typeof label === "string" && label.toLowerCase() !== "true";
  const merges = blockSchemas(facts.specSchema).length > 0 || strategy !== undefined;
  if (labelled !== undefined && isPlain) {
    const doubt =
      labelled === "Direct" && strategy !== undefined
        ? ` But the schema has '${strategy.name}', as kinds have that are merged: check it.`
        : "";
    return { policyClass: labelled, remark: readFrom(`The label of the CRD is ${JSON.stringify(label)}.${doubt}`) };
  }
  const isAcross =
    named.some((kind) => ABOVE.has(kind)) && named.some((kind) => kind.endsWith("Route") || kind === "Service");
  if (merges || isAcross) {
    const why = merges
      ? "the schema has defaults, overrides or a merge strategy"
      : "a policy may target a Gateway or a Namespace and also what is below it";
    return { policyClass: "Inherited", remark: guess(`Inherited, because ${why}.`) };
  }
  return {
    policyClass: labelled ?? "Direct",
    remark: guess("Direct, because nothing in the schema says that a policy takes effect below its target."),
  };
}

/** The built-in kinds that the schema allows; if it does not say which, all that policies can target. */
function targetKinds(
  { kinds: { names, by }, of }: TargetFields,
  { targeting }: PolicyDefinition,
): readonly TargetKind[] {
  const known = targeting.kinds.filter(({ kind }) => by === "Nothing" || names.includes(kind));
  // Inference reads sections from the usual fields only.
  const hasSections = of.length === 0 || of.includes("sectionName");
  return (known.length === 0 ? targeting.kinds : known).map((kind) => (hasSections ? kind : { ...kind, sections: [] }));
}

const KINDS_BY: Readonly<Record<TargetFields["kinds"]["by"], (names: string) => Remark>> = {
  Enumeration: (names) => readFrom(`The schema allows ${names}.`),
  Rules: (names) => readFrom(`Validation rules of the schema allow ${names}.`),
  Default: (names) => guess(`The default of the field is ${names}; others may be allowed.`),
  Description: (names) => guess(`Descriptions in the schema name ${names}; the schema allows every kind.`),
  Name: (names) => guess(`The name of the policy kind hints at ${names}; the schema allows every kind.`),
  Nothing: () => guess("The schema does not say which kinds may be targeted. Delete those that may not."),
};

function targetingFields({ targets, kinds, inferred }: SketchInput): readonly SketchField[] {
  const { ref, refs, selectors, isSingle, of } = targets;
  const renamed: Readonly<Record<string, string>> = {
    ...(ref === undefined || ref === "targetRef" ? {} : { ref }),
    ...(refs === undefined || refs === "targetRefs" ? {} : { refs }),
    ...(selectors === undefined || selectors === "targetSelectors" ? {} : { selectors }),
  };
  const { names, by } = targets.kinds;
  const unknown = names.filter((name) => !inferred.targeting.kinds.some(({ kind }) => kind === name));
  const hasNamespace = of.includes("namespace");
  const isOpen = of.length === 0;
  return [
    ...(Object.keys(renamed).length === 0
      ? []
      : [{ key: "fields", value: renamed, remarks: [readFrom("The fields of the schema that name targets.")] }]),
    { key: "refs", value: isSingle ? "One" : "Many", remarks: isOpen ? [guess("The schema lists no fields.")] : [] },
    ...(selectors !== undefined || of.includes("selector")
      ? [{ key: "selectors", value: true, remarks: [readFrom("Targets may be selected by labels.")] }]
      : []),
    {
      key: "crossNamespace",
      value: hasNamespace ? "ReferenceGrant" : "Forbidden",
      remarks: [
        hasNamespace
          ? guess("References have a namespace; whether a ReferenceGrant is needed is not in the schema.")
          : isOpen
            ? guess("The schema lists no fields.")
            : readFrom("References have no namespace."),
      ],
    },
    {
      key: "kinds",
      value: kinds.map(({ kind, sections }): JsonObject => ({ kind, ...(sections.length === 0 ? {} : { sections }) })),
      remarks: [
        KINDS_BY[by](names.join(", ")),
        ...(unknown.length === 0
          ? []
          : [
              guess(
                `${unknown.join(", ")}: not a built-in kind. To have it as a target, declare it in hierarchy.kinds and list it here.`,
              ),
            ]),
      ],
    },
  ];
}

/** For Inherited kinds: where policies take effect, and what a Namespace is above. */
function hierarchyField({ kinds, inferred }: SketchInput): readonly SketchField[] {
  if (inferred.class === "Direct") return [];
  const routes = kinds.filter(({ kind }) => kind.endsWith("Route")).map(({ kind }) => kind);
  const shown = routes.length === 0 ? ["HTTPRoute", "GRPCRoute"] : routes;
  const services = kinds
    .filter(({ kind }) => kind === "Service")
    .flatMap(({ sections }) => [...sections.map((section) => `Service${section}`), "Service"]);
  const hasNamespaces = kinds.some(isNamespace);
  return [
    {
      key: "hierarchy",
      remarks: [],
      value: [
        {
          key: "effectiveTargets",
          value: [...services, ...shown.map((kind) => `${kind}Rule`)],
          remarks: [guess("Where settings take effect, such as the rules of routes; the schema does not say it.")],
        },
        ...(hasNamespaces
          ? [
              {
                key: "namespaces",
                value: { above: ["Gateway", ...shown] },
                remarks: [guess("A policy on a Namespace takes effect on its Gateways and routes.")],
              },
            ]
          : []),
      ],
    },
  ];
}

function statusField({ inferred }: SketchInput, { raw }: KubeObject): readonly SketchField[] {
  const names = statusFieldsOf(raw);
  if (!names.includes("ancestors")) return [];
  return [
    {
      key: "status",
      remarks: [],
      value: [
        {
          key: "ancestors",
          value: inferred.class === "Direct" ? "Target" : "Gateway",
          remarks: [guess("The status has ancestors: Gateways, or the targets. The schema does not say which.")],
        },
      ],
    },
  ];
}

/** The fields of the status, in any version of the CRD. */
function statusFieldsOf(raw: JsonObject): readonly string[] {
  const versions = objects(objectAt(raw, "spec"), "versions");
  return versions.flatMap((version) => {
    const properties = objectAt(objectAt(objectAt(version, "schema"), "openAPIV3Schema"), "properties");
    return Object.keys(objectAt(objectAt(properties, "status"), "properties"));
  });
}

import type { Granularity } from "../definition.ts";
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "../json.ts";
import { blockSchemas } from "../parse/definition/infer-definition.ts";
import type { StrategyField } from "./find-strategy.ts";
import { guess, readFrom, type SketchField } from "./sketch.ts";
import type { SketchInput } from "./sketch-input.ts";

/** `merge` of an Inherited kind: how much is compared at once, which maps have named rules, and whether blocks exclude each other. */
export function sketchMerge(input: SketchInput): readonly SketchField[] {
  const { inferred, facts, strategy } = input;
  if (inferred.class === "Direct") return [];
  const hasBlocks = blockSchemas(facts.specSchema).length > 0;
  const { bare, sameTarget } = inferred.merge;
  const merges = Object.values(strategy?.values ?? {}).includes("Merge");
  const rules = facts.mapPaths.filter((path) => !facts.mapPaths.some((outer) => path.startsWith(`${outer}.`)));
  const isReference = bare === "Direct";
  return [
    {
      key: "merge",
      remarks: [],
      value: [
        granularityField(input, hasBlocks),
        ...(merges
          ? [
              {
                key: "rules",
                value: rules,
                remarks: [guess("The outermost maps of the schema. Each entry of such a map is a named rule.")],
              },
            ]
          : []),
        ...(hasBlocks ? [blocksField(facts.specSchema)] : []),
        ...(isReference
          ? [
              {
                key: "bare",
                value: bare,
                remarks: [
                  guess("As in the policy attachment reference, because the blocks are named default and override."),
                ],
              },
              { key: "sameTarget", value: sameTarget, remarks: [] },
            ]
          : []),
        ...(strategy?.at === "Spec" && !hasBlocks
          ? [
              {
                key: "decidedBy",
                value: "Lower",
                remarks: [
                  guess(
                    `'${strategy.name}' is beside the settings, so the more specific policy says how it is merged into the one above.`,
                  ),
                ],
              },
            ]
          : []),
      ],
    },
  ];
}

function granularityField({ strategy, inferred }: SketchInput, hasBlocks: boolean): SketchField {
  const byDefault = inferred.merge.granularity.default;
  const first: SketchField = {
    key: "default",
    value: typeof byDefault === "string" ? byDefault : `Custom/${byDefault.custom}`,
    remarks: [
      guess(
        hasBlocks || strategy !== undefined
          ? "Of a policy that selects none."
          : "The schema has no defaults and overrides. Atomic: of two policies one takes effect as a whole. Field: each setting on its own. Merge: each named rule of merge.rules.",
      ),
    ],
  };
  return {
    key: "granularity",
    remarks: [],
    value: strategy === undefined ? [first] : [first, ...strategyFields(strategy)],
  };
}

function strategyFields({ name, values, unknown, isListed }: StrategyField): readonly SketchField[] {
  const known = Object.entries(values).map(([word, meaning]) => [word, formatGranularity(meaning)] as const);
  return [
    { key: "field", value: name, remarks: [readFrom("The field that selects how the policy is merged.")] },
    {
      key: "values",
      value: Object.fromEntries(known),
      ...(known.length === 0 ? { isOff: true } : {}),
      remarks: [
        isListed
          ? guess("The values are those of the schema, their meaning is guessed.")
          : guess(
              "The schema does not list the values; these are usual ones. With Patch, lists are replaced as a whole.",
            ),
        ...(unknown.length === 0
          ? []
          : [guess(`The meaning of ${unknown.join(", ")} is not known: Atomic, Merge, Patch or Field.`)]),
      ],
    },
  ];
}

const formatGranularity = (granularity: Granularity): string =>
  typeof granularity === "string" ? granularity : `Custom/${granularity.custom}`;

/** A validation rule such as `!(has(self.defaults) && has(self.overrides))` makes the blocks exclusive. */
function blocksField(spec: JsonObject): SketchField {
  const validations = ownValue(spec, "x-kubernetes-validations");
  const rules = (isJsonList(validations) ? validations : []).flatMap((item) =>
    isJsonObject(item) && typeof item["rule"] === "string" ? [item["rule"].replaceAll(/\s+/g, "")] : [],
  );
  const isExclusive = rules.some((rule) =>
    /^!\(has\(self\.(?:default|override)s?\)&&has\(self\.(?:default|override)s?\)\)$/.test(rule),
  );
  return isExclusive
    ? {
        key: "blocks",
        value: "Exclusive",
        remarks: [readFrom("A validation rule allows defaults or overrides, not both.")],
      }
    : { key: "blocks", value: "Combined", remarks: [guess("No validation rule forbids defaults beside overrides.")] };
}

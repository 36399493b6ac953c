/** Findings about settings that the built-in policy kinds do not have. */
import type { PolicyRecord } from "../../effective/world/world.ts";
import { BLOCK_SPELLINGS, isBlockName } from "../../model/block-names.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../../model/json.ts";
import { policySchemaOf } from "../../model/schema/built-in-schema.ts";
import type { CompiledSchema } from "../../model/schema/schema.ts";
import { nearMiss } from "../../model/words/near-miss.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

/** Fields beside the settings of a kind that merges, and in its blocks. A condition belongs to a block. */
const BESIDE = ["remove", "unset"];
const BESIDE_IN_BLOCK = ["when", ...BESIDE];
const OURS = "prevail.dev";

export function checkSettings({ object, kind }: PolicyRecord): readonly CheckFinding[] {
  const { group, kind: name } = object.ref;
  const spec = ownValue(object.raw, "spec");
  const schema = policySchemaOf(object.family);
  if (schema === undefined || !isJsonObject(spec)) return [];
  const findings: CheckFinding[] = [];
  const { ref, refs, selectors } = kind.definition.targeting.fields;
  const report: ReportSettings = (field, key, settings) => {
    const near = nearMiss(key, settings);
    // Kinds of Gateway API gain fields with each release, so only probable typing errors are reported there.
    if (near === undefined && group !== OURS) return;
    const known = near === undefined ? `known settings: ${settings.join(", ")}` : `did you mean '${near}'?`;
    const hint = field === "spec.when" ? "a condition is a field of 'defaults' or 'overrides'" : known;
    const message = `${field} is not a setting of ${name} and has no effect; ${hint}`;
    findings.push(
      findingAt(object, {
        code: "UnknownSetting",
        severity: "warning",
        field,
        message,
        fix: "Correct the name, or delete the setting.",
      }),
    );
  };
  visit(spec, schema.first.compiled, "spec", [ref, refs, selectors, ...BESIDE], report);
  return findings;
}

type ReportSettings = (field: string, key: string, settings: readonly string[]) => void;

function visit(
  value: Json,
  schema: CompiledSchema,
  field: string,
  beside: readonly string[],
  report: ReportSettings,
): void {
  if (schema.type === "object" && isJsonObject(value)) {
    for (const [key, own] of Object.entries(value)) {
      const property = schema.properties.find((one) => one.key === key);
      const inner = isBlockName(key) && field === "spec" ? BESIDE_IN_BLOCK : [];
      if (property !== undefined) visit(own, property.schema, `${field}.${key}`, inner, report);
      else if (!beside.includes(key)) report(`${field}.${key}`, key, namesOf(schema));
    }
  } else if (schema.type === "array" && isJsonList(value) && schema.items !== undefined) {
    for (const [index, item] of value.entries()) visit(item, schema.items, `${field}[${index}]`, [], report);
  }
}

/** The settings of a schema, each block by its first spelling only. */
const namesOf = ({ properties }: CompiledSchema): readonly string[] =>
  properties.map(({ key }) => key).filter((key) => !SECOND_SPELLINGS.includes(key));

const SECOND_SPELLINGS: readonly string[] = [BLOCK_SPELLINGS.defaults[1], BLOCK_SPELLINGS.overrides[1]];

/** Settings of the built-in policy kinds that nobody reads. */
import type { PolicyRecord } from "../effective/world/world.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../model/json.ts";
import { builtInPolicyShapes } from "../model/schema/built-in-policy-shapes.ts";
import type { KubeShape } from "../model/schema/kube-shape.ts";
import { nearMiss } from "../model/words/near-miss.ts";
import { type CheckFinding, findingAt } from "./check-finding.ts";

const BLOCKS = ["defaults", "default", "overrides", "override"];
/** Beside the settings of a kind that merges, in its blocks too. */
const BESIDE = ["when", "remove", "unset"];
const OURS = "prevail.dev";

export function checkSettings({ object, kind }: PolicyRecord): readonly CheckFinding[] {
  const { group, kind: name } = object.ref;
  const known = builtInPolicyShapes.get(name);
  const spec = ownValue(object.raw, "spec");
  if (known?.group !== group || !isJsonObject(spec)) return [];
  const findings: CheckFinding[] = [];
  const { ref, refs, selectors } = kind.definition.targeting.fields;
  const report: Report = (field, key, settings) => {
    const near = nearMiss(key, settings);
    // Other people's kinds gain fields from version to version; only what looks like a slip is told.
    if (near === undefined && group !== OURS) return;
    const hint = near === undefined ? `there are ${settings.join(", ")}` : `did you mean '${near}'?`;
    const message = `${field} is no setting of a ${name} and does nothing; ${hint}`;
    findings.push(
      findingAt(object, {
        code: "UnknownSetting",
        severity: "warning",
        field,
        message,
        fix: "Correct the name, or take it out.",
      }),
    );
  };
  visit(spec, known.spec, "spec", [ref, refs, selectors, ...BESIDE], report);
  return findings;
}

type Report = (field: string, key: string, settings: readonly string[]) => void;

function visit(value: Json, shape: KubeShape, field: string, beside: readonly string[], report: Report): void {
  switch (shape.type) {
    case "Struct": {
      if (!isJsonObject(value)) return;
      for (const [key, own] of Object.entries(value)) {
        const known = shape.fields.find((one) => one.key === key);
        const inner = BLOCKS.includes(key) && field === "spec" ? BESIDE : [];
        if (known !== undefined) visit(own, known.shape, `${field}.${key}`, inner, report);
        else if (!beside.includes(key)) report(`${field}.${key}`, key, namesOf(shape));
      }
      return;
    }
    case "List":
      if (!isJsonList(value) || shape.items === undefined) return;
      for (const [index, item] of value.entries()) visit(item, shape.items, `${field}[${index}]`, [], report);
      return;
    case "Text":
    case "Integer":
    case "Choice":
    case "Flag":
    case "Map":
    case "Duration":
    case "TextOrInteger":
    case "Unread":
  }
}

/** Both spellings of a block are read; one is enough to name. */
const namesOf = ({ fields }: KubeShape): readonly string[] =>
  fields.map(({ key }) => key).filter((key) => key !== "default" && key !== "override");

import { ruleProblem } from "../cel/compile-rule.ts";
import { isJsonObject, type Json, type JsonObject, objectAt, objectsIn, ownValue } from "../json.ts";
import { objects } from "./read-fields.ts";
import { pathTo } from "./schema-problems.ts";

/** A rule of a CRD that cannot be compiled. */
export interface CrdRuleProblem {
  readonly field: string;
  readonly expression: string;
  readonly reason: string;
}

/** The bound of `compileSchema`. */
const MAX_DEPTH = 48;
const MAX_NODES = 50_000;

/** The expressions of a CRD that cannot be compiled: whether values fit them is not known. */
export function crdRuleProblems(crd: JsonObject): readonly CrdRuleProblem[] {
  const problems: CrdRuleProblem[] = [];
  let nodes = MAX_NODES;
  const visit = (value: Json | undefined, field: string, depth: number): void => {
    if (!isJsonObject(value) || depth > MAX_DEPTH || nodes-- <= 0) return;
    objectsIn(ownValue(value, "x-kubernetes-validations")).forEach((entry, index) => {
      for (const key of ["rule", "messageExpression"]) {
        const expression = ownValue(entry, key);
        if (typeof expression !== "string" || expression === "") continue;
        const reason = ruleProblem(expression, value);
        const at = `${field}.x-kubernetes-validations[${index}].${key}`;
        if (reason !== undefined) problems.push({ field: at, expression, reason });
      }
    });
    for (const name of Object.keys(objectAt(value, "properties")))
      visit(objectAt(value, "properties")[name], pathTo(`${field}.properties`, name), depth + 1);
    for (const key of ["items", "additionalProperties"]) visit(ownValue(value, key), `${field}.${key}`, depth + 1);
  };
  objects(objectAt(crd, "spec"), "versions").forEach((version, index) => {
    const root = ownValue(objectAt(version, "schema"), "openAPIV3Schema");
    visit(root, `spec.versions[${index}].schema.openAPIV3Schema`, 0);
  });
  return problems;
}

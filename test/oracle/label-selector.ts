/** Kubernetes label selectors. */
import type { Json } from "../../src/core/model/json.ts";
import { field, isList, isMap, mapsIn, textField, textsIn } from "./json-value.ts";

/** True if the selector is well-formed. */
export function isSelector(selector: Json | undefined): boolean {
  if (!isMap(selector)) return false;
  const labels = field(selector, "matchLabels") ?? {};
  const expressions = field(selector, "matchExpressions") ?? [];
  return (
    isMap(labels) &&
    Object.values(labels).every((value) => typeof value === "string") &&
    isList(expressions) &&
    expressions.every(isExpression)
  );
}

function isExpression(expression: Json): boolean {
  const operator = textField(expression, "operator") ?? "";
  const values = field(expression, "values") ?? [];
  if (!textField(expression, "key") || !isList(values) || values.some((value) => typeof value !== "string"))
    return false;
  if (operator === "In" || operator === "NotIn") return values.length > 0;
  return (operator === "Exists" || operator === "DoesNotExist") && values.length === 0;
}

/** An empty selector selects everything; a malformed one selects nothing. */
export function selects(selector: Json | undefined, labels: ReadonlyMap<string, string>): boolean {
  if (!isSelector(selector)) return false;
  const wanted = Object.entries(field(selector, "matchLabels") ?? {});
  const expressions = mapsIn(field(selector, "matchExpressions"));
  return (
    wanted.every(([key, value]) => labels.get(key) === value) &&
    expressions.every((expression) => {
      const found = labels.get(textField(expression, "key") ?? "");
      const values = textsIn(field(expression, "values"));
      const operator = textField(expression, "operator");
      if (operator === "In") return found !== undefined && values.includes(found);
      if (operator === "NotIn") return found === undefined || !values.includes(found);
      return operator === "Exists" ? found !== undefined : found === undefined;
    })
  );
}

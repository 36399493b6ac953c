import { compileRule, type EvaluateRule, type RuleOutcome } from "../../cel/compile-rule.ts";
import { CelOptional } from "../../cel/values.ts";
import { once } from "../../collections/once.ts";
import { isJsonObject, type Json, type JsonObject, objectsIn, ownValue } from "../../json.ts";
import { formatValue } from "../../words/format-value.ts";
import { type Check, type CheckContext, formatPath } from "./check-node.ts";

/** The CEL rules of one part of a schema. Each is compiled when it is first evaluated. */
export function ruleChecks(schema: JsonObject): readonly Check[] {
  return objectsIn(ownValue(schema, "x-kubernetes-validations")).flatMap((entry) => {
    const rule = ownValue(entry, "rule");
    return typeof rule === "string" ? [ruleCheck(rule, entry, schema)] : [];
  });
}

/**
 * Validation rules
 *
 * A value is valid if each rule of its schema is true. A rule that reads `oldSelf` is a transition rule: it is evaluated where a
 * value changes, and with `optionalOldSelf` also where it is new. A rule that ends in an error is broken.
 * Kubernetes, "Validation rules"
 */
function ruleCheck(rule: string, entry: JsonObject, schema: JsonObject): Check {
  const evaluate = once(() => compileRule(rule, schema));
  const readsOld = /\boldSelf\b/.test(rule);
  const isOptional = ownValue(entry, "optionalOldSelf") === true;
  const report = ruleReporter(rule, entry, schema);
  return (value, context, old) => {
    if (readsOld && old === undefined && !isOptional) return;
    const outcome = run(evaluate(), value, old, isOptional, context);
    if (outcome.state === "value" && outcome.value === true) return;
    if (outcome.state === "unknown") {
      context.unevaluated.push({ field: formatPath(context.path), rule, reason: outcome.message });
      return;
    }
    report(value, old, outcome, context);
  };
}

const run = (
  evaluate: EvaluateRule,
  value: Json,
  old: Json | undefined,
  isOptional: boolean,
  { frame }: CheckContext,
): RuleOutcome => evaluate(frame, value, isOptional ? new CelOptional(old) : old);

type ReportRule = (value: Json, old: Json | undefined, outcome: RuleOutcome, context: CheckContext) => void;

/** Reports a broken rule with the message of the CRD. */
function ruleReporter(rule: string, entry: JsonObject, schema: JsonObject): ReportRule {
  const text = (key: string): string => {
    const value = ownValue(entry, key);
    return typeof value === "string" ? value.trim() : "";
  };
  const messageExpression = once(() => compileRule(text("messageExpression"), schema));
  return (value, old, outcome, context) => {
    const given =
      text("messageExpression") === ""
        ? undefined
        : run(messageExpression(), value, old, text("optionalOldSelf") === "true", context);
    const dynamic = given?.state === "value" && typeof given.value === "string" ? given.value.trim() : "";
    const wanted = [dynamic, text("message"), `the rule ${rule}`].find((one) => one !== "") ?? rule;
    const why = outcome.state === "error" ? ` (the rule ends in an error: ${outcome.message})` : "";
    const [field, found] = fieldOf(text("fieldPath"), value, context);
    const message = `${field === "" ? "the object" : field} is ${formatValue(found)}; the CRD has a rule for it: ${wanted}${why}`;
    context.problems.push({ problem: "rule", field, message });
  };
}

/** `fieldPath` names a field below the value that the rule is about: `.spec.mode`, `['a.b']`. */
function fieldOf(
  fieldPath: string,
  value: Json,
  { path }: CheckContext,
): readonly [field: string, found: Json | undefined] {
  const steps = [...fieldPath.matchAll(/\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\]/g)].map(
    ([, name, quoted]) => name ?? (quoted ?? "").replace(/\\(.)/g, "$1"),
  );
  let found: Json | undefined = value;
  for (const step of steps) found = isJsonObject(found) ? ownValue(found, step) : undefined;
  return [formatPath([...path, ...steps]), found];
}

import type { KindFacts } from "../model/definition.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { formatValue } from "../model/words/format-value.ts";

interface SectionProblem {
  readonly field: string;
  readonly message: string;
}
type ReportValue = (field: string, value: Json, wanted: string) => void;

const MOST = 20;

/**
 * Fields that are not sections although the kind says so: an item that is not an object is not a node, and no policy can
 * target it. Objects of the built-in kinds have passed their schema before.
 */
export function sectionProblems({ raw }: Pick<KubeObject, "raw">, facts: KindFacts): readonly SectionProblem[] {
  const problems: SectionProblem[] = [];
  const report: ReportValue = (field, value, wanted) => {
    if (problems.length < MOST)
      problems.push({ field, message: `${field} is ${formatValue(value)}; allowed: ${wanted}` });
  };
  const spec = ownValue(raw, "spec") ?? null;
  if (spec !== null && !isJsonObject(spec)) report("spec", spec, "an object");
  else for (const { path } of facts.sections) checkList(raw, path.split("."), [], report);
  return problems;
}

function checkList(
  value: Json,
  [step, ...rest]: readonly string[],
  above: readonly string[],
  report: ReportValue,
): void {
  if (value === null) return;
  const field = above.join(".");
  if (step === undefined) {
    if (isJsonList(value)) value.forEach((item, at) => checkItem(item, `${field}[${at}]`, report));
    else report(field, value, "a list");
  } else if (isJsonObject(value)) {
    checkList(ownValue(value, step) ?? null, rest, [...above, step], report);
  } else {
    report(field, value, "an object");
  }
}

function checkItem(item: Json, field: string, report: ReportValue): void {
  if (!isJsonObject(item)) return report(field, item, "an object");
  const name = ownValue(item, "name") ?? null;
  if (name !== null && typeof name !== "string") report(`${field}.name`, name, "a string");
}

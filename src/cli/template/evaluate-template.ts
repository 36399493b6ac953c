import { isJsonList, isJsonObject, type Json, ownValue } from "../../core/model/json.ts";
import { printable } from "../../core/model/words/printable.ts";
import type { ComparisonOperator, Filter, JsonPathStep, Template, TemplatePart } from "./json-path.ts";

/** The values that a path leads to. The first mistake, such as an index beyond the end of a list, is the reason why there are no values. */
export type Found =
  | { readonly ok: true; readonly values: readonly Json[] }
  | { readonly ok: false; readonly message: string };

export type Filled = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** How the values of one expression are printed. */
export type FormatResults = (values: readonly Json[]) => string;

/** Values separated by spaces, lists and objects as JSON, as kubectl prints them. */
export const formatResults: FormatResults = (values) => values.map(formatResult).join(" ");

export function formatResult(value: Json): string {
  if (value === null) return "<nil>";
  return typeof value === "object" ? JSON.stringify(value) : harmless(String(value));
}

/** Lines and tabs of a value are kept; other control characters could command a terminal. */
const harmless = (text: string): string => text.replaceAll(/[^\n\t]+/g, printable);

/** Fills a template from a value. A key that is missing gives nothing; it is no mistake. */
export function fillTemplate(template: Template, value: Json, format: FormatResults = formatResults): Filled {
  const problems: string[] = [];
  const text = fill(template, value, { problems, format });
  const [message] = problems;
  return message === undefined ? { ok: true, text } : { ok: false, message };
}

/** Follows one path. */
export function followPath(steps: readonly JsonPathStep[], value: Json): Found {
  const problems: string[] = [];
  const values = follow(steps, [value], problems);
  const [message] = problems;
  return message === undefined ? { ok: true, values } : { ok: false, message };
}

interface Filling {
  readonly problems: string[];
  readonly format: FormatResults;
}

const fill = (template: Template, value: Json, filling: Filling): string =>
  template.map((part) => fillPart(part, value, filling)).join("");

function fillPart(part: TemplatePart, value: Json, filling: Filling): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "expression":
      return filling.format(follow(part.steps, [value], filling.problems));
    case "range":
      return follow(part.steps, [value], filling.problems)
        .map((each) => fill(part.body, each, filling))
        .join("");
  }
}

const follow = (steps: readonly JsonPathStep[], values: readonly Json[], problems: string[]): readonly Json[] =>
  steps.reduce((from, step) => take(step, from, problems), values);

function take(step: JsonPathStep, values: readonly Json[], problems: string[]): readonly Json[] {
  switch (step.type) {
    case "field":
      return values.flatMap((value) => {
        const own = isJsonObject(value) ? ownValue(value, step.name) : undefined;
        return own === undefined ? [] : [own];
      });
    case "wildcard":
      return values.flatMap(childrenOf);
    case "recursive":
      return values.flatMap(containersIn);
    case "index":
      return inLists(values, problems, (list) => atIndex(list, step.at, problems));
    case "slice":
      return inLists(values, problems, (list) => sliceOf(list, step, problems));
    case "union":
      return step.parts.flatMap((part) => follow(part, values, problems));
    case "filter":
      return inLists(values, problems, (list) => list.filter((item) => passes(step, item, problems)));
    case "literal":
      return values.length === 0 ? [] : [step.value];
  }
}

function childrenOf(value: Json): readonly Json[] {
  if (isJsonList(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

/** The value and everything below it that has children. */
function containersIn(value: Json): readonly Json[] {
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(containersIn)];
}

function inLists(
  values: readonly Json[],
  problems: string[],
  select: (list: readonly Json[]) => readonly Json[],
): readonly Json[] {
  return values.flatMap((value) => {
    if (isJsonList(value)) return select(value);
    if (value !== null) problems.push(`${nameOf(value)} is not a list`);
    return [];
  });
}

function atIndex(list: readonly Json[], index: number, problems: string[]): readonly Json[] {
  const value = list.at(index);
  if (value !== undefined) return [value];
  problems.push(`there is no [${index}] in a list of ${list.length}`);
  return [];
}

function sliceOf(
  list: readonly Json[],
  { start = 0, end = list.length, step }: Extract<JsonPathStep, { readonly type: "slice" }>,
  problems: string[],
): readonly Json[] {
  const [from, to] = [start < 0 ? start + list.length : start, end < 0 ? end + list.length : end];
  if (from === to) return [];
  if (from < 0 || from > to || to > list.length) {
    problems.push(`there is no [${start}:${end}] in a list of ${list.length}`);
    return [];
  }
  return list.slice(from, to).filter((_, index) => index % step === 0);
}

function passes({ left, operator, right }: Filter, item: Json, problems: string[]): boolean {
  // Values that do not have a path may be asked whether it exists.
  const ignored: string[] = [];
  const lefts = follow(left, [item], operator === "exists" ? ignored : problems);
  if (operator === "exists") return lefts.length > 0;
  const rights = follow(right, [item], problems);
  const [a, b] = [lefts[0], rights[0]];
  if (a === undefined || b === undefined) return false;
  if (lefts.length > 1 || rights.length > 1) {
    problems.push(`a filter compares one value with another, but there are ${Math.max(lefts.length, rights.length)}`);
    return false;
  }
  return compare(a, operator, b, problems);
}

function compare(a: Json, operator: ComparisonOperator, b: Json, problems: string[]): boolean {
  const isOrdered = (typeof a === "number" || typeof a === "string") && typeof a === typeof b;
  const isEqual = operator === "==" || operator === "!=";
  if (!isOrdered && !(isEqual && typeof a === "boolean" && typeof b === "boolean")) {
    problems.push(`${nameOf(a)} and ${nameOf(b)} cannot be compared with ${operator}`);
    return false;
  }
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return isOrdered && less(a, b);
    case "<=":
      return isOrdered && !less(b, a);
    case ">":
      return isOrdered && less(b, a);
    case ">=":
      return isOrdered && !less(a, b);
  }
}

const less = (a: Json, b: Json): boolean =>
  (typeof a === "number" && typeof b === "number" && a < b) ||
  (typeof a === "string" && typeof b === "string" && a < b);

function nameOf(value: Json): string {
  if (value === null) return "null";
  if (isJsonList(value)) return "a list";
  return typeof value === "object" ? "an object" : `the ${typeof value} ${JSON.stringify(value)}`;
}

import type { RuleFrame } from "../../cel/compile-rule.ts";
import { canonicalJson, isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../json.ts";
import type { MatchRegex } from "../../regex.ts";
import { MAX_PROBLEMS, pathTo, type SchemaProblem } from "../schema-problems.ts";

/** The checks of one part of a schema, and of the parts below it that have any. */
export interface CheckNode {
  /** Made on the first call. */
  readonly checks: () => readonly Check[];
  readonly fields: readonly { readonly key: string; readonly node: CheckNode }[];
  /** For the items of a list or the values of a map. */
  readonly items: CheckNode | undefined;
  /** Keys of a list of type `map`. */
  readonly mapKeys: readonly string[] | undefined;
}

/** A check of one value. `old`: the value before a change, if there was one. */
export type Check = (value: Json, context: CheckContext, old: Json | undefined) => void;

/** A rule, or a pattern, that could not be evaluated. */
export interface UnevaluatedRule {
  readonly field: string;
  /** The expression or pattern. */
  readonly rule: string;
  /** Why it could not be evaluated. */
  readonly reason: string;
}

export interface CheckContext {
  /** Where the walk is: keys and indexes. */
  readonly path: (string | number)[];
  readonly frame: RuleFrame;
  readonly matchRegex: MatchRegex;
  /** True for a change of an object: rules about `oldSelf` are evaluated. */
  readonly isUpdate: boolean;
  readonly problems: SchemaProblem[];
  readonly unevaluated: UnevaluatedRule[];
}

export function formatPath(path: readonly (string | number)[]): string {
  let field = "";
  for (const step of path) field = typeof step === "number" ? `${field}[${step}]` : pathTo(field, step);
  return field;
}

/** Runs the checks of a schema on a value with its defaults filled in. */
export function runChecks(node: CheckNode, value: Json, context: CheckContext, old?: Json): void {
  if (context.problems.length >= MAX_PROBLEMS) return;
  for (const check of node.checks()) check(value, context, old);
  if (isJsonList(value)) runOnItems(node, value, context, old);
  else if (isJsonObject(value)) runOnFields(node, value, context, isJsonObject(old) ? old : undefined);
}

function runOnFields(node: CheckNode, value: JsonObject, context: CheckContext, old: JsonObject | undefined): void {
  const { fields, items } = node;
  for (let i = 0; i < fields.length; i++) {
    const { key, node: own } = fields[i] as (typeof fields)[number];
    const inner = ownValue(value, key);
    if (inner !== undefined && inner !== null) runOnField(own, key, inner, context, old);
  }
  if (items === undefined) return;
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (inner !== undefined && inner !== null) runOnField(items, key, inner, context, old);
  }
}

function runOnField(node: CheckNode, key: string, value: Json, context: CheckContext, old?: JsonObject): void {
  context.path.push(key);
  runChecks(node, value, context, old === undefined ? undefined : ownValue(old, key));
  context.path.pop();
}

function runOnItems(
  { items, mapKeys }: CheckNode,
  value: readonly Json[],
  context: CheckContext,
  old: Json | undefined,
): void {
  if (items === undefined) return;
  const before =
    mapKeys === undefined || !isJsonList(old) ? undefined : new Map(old.map((item) => [keyOf(item, mapKeys), item]));
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as Json;
    context.path.push(i);
    runChecks(items, item, context, mapKeys === undefined ? undefined : before?.get(keyOf(item, mapKeys)));
    context.path.pop();
  }
}

/** The keys of an item of a list of type `map`, as one text. */
export const keyOf = (item: Json, keys: readonly string[]): string =>
  canonicalJson(keys.map((key) => (isJsonObject(item) ? (ownValue(item, key) ?? null) : null)));

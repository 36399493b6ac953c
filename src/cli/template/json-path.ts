import type { Json } from "../../core/model/json.ts";

/** A template of kubectl: text, and expressions in braces. */
export type Template = readonly TemplatePart[];

export type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  /** `{.metadata.name}`: the values that the steps lead to, separated by spaces. */
  | { readonly type: "expression"; readonly steps: readonly JsonPathStep[] }
  /** `{range .items[*]}…{end}`: the body once for each value. */
  | { readonly type: "range"; readonly steps: readonly JsonPathStep[]; readonly body: Template };

/** One step from values to values. `@` and `$` are no steps: an expression begins at the current value. */
export type JsonPathStep =
  /** `.name` */
  | { readonly type: "field"; readonly name: string }
  /** `.*` */
  | { readonly type: "wildcard" }
  /** `..` */
  | { readonly type: "recursive" }
  /** `[2]`, `[-1]` */
  | { readonly type: "index"; readonly at: number }
  /** `[start:end:step]`, `[*]` */
  | {
      readonly type: "slice";
      readonly start: number | undefined;
      readonly end: number | undefined;
      readonly step: number;
    }
  /** `[0,2]`, `['a','b']` */
  | { readonly type: "union"; readonly parts: readonly (readonly JsonPathStep[])[] }
  | Filter
  /** `"text"`, `5`, `true` */
  | { readonly type: "literal"; readonly value: Json };

/** `[?(@.a)]` without an operator: the path exists. `[?(@.a=="x")]` with one. */
export interface Filter {
  readonly type: "filter";
  readonly left: readonly JsonPathStep[];
  readonly operator: ComparisonOperator | "exists";
  readonly right: readonly JsonPathStep[];
}

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";
export const comparisonOperators: readonly ComparisonOperator[] = ["==", "!=", "<", "<=", ">", ">="];

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** A result without a value. */
export const refuse = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });

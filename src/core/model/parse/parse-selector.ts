import { isJsonObject } from "../json.ts";
import type { LabelRequirement, LabelSelector } from "../policy.ts";

export type ParsedSelector =
  | { readonly ok: true; readonly selector: LabelSelector }
  /** `field` is relative to the selector: `matchExpressions[0].operator`; empty: the selector itself. */
  | { readonly ok: false; readonly field: string; readonly message: string };

const OPERATORS: readonly LabelRequirement["operator"][] = ["In", "NotIn", "Exists", "DoesNotExist"];

/** Parses a Kubernetes LabelSelector. Parts that are absent or `null` have no requirements. */
export function parseSelector(value: unknown): ParsedSelector {
  if (!isJsonObject(value)) return wrong("", "must be an object with matchLabels or matchExpressions");
  const matchLabels: (readonly [string, string])[] = [];
  const labels = value["matchLabels"] ?? {};
  if (!isJsonObject(labels)) return wrong("matchLabels", "must be a map of label keys to strings");
  for (const key of Object.keys(labels).sort()) {
    const wanted = labels[key];
    if (typeof wanted !== "string") return wrong(`matchLabels[${key}]`, "must be a string");
    matchLabels.push([key, wanted]);
  }
  const matchExpressions: LabelRequirement[] = [];
  const expressions: unknown = value["matchExpressions"] ?? [];
  if (!Array.isArray(expressions)) return wrong("matchExpressions", "must be a list");
  for (const [index, expression] of expressions.entries()) {
    const parsed = parseRequirement(expression, `matchExpressions[${index}]`);
    if ("message" in parsed) return parsed;
    matchExpressions.push(parsed);
  }
  return { ok: true, selector: { matchLabels, matchExpressions } };
}

function parseRequirement(value: unknown, field: string): LabelRequirement | Wrong {
  if (!isJsonObject(value)) return wrong(field, "must be an object with key and operator");
  const { key, operator: word, values: list } = value;
  if (typeof key !== "string" || key === "") return wrong(`${field}.key`, "must be a label key");
  const operator = OPERATORS.find((known) => known === word);
  if (operator === undefined) return wrong(`${field}.operator`, `must be one of ${OPERATORS.join(", ")}`);
  const values = stringsOf(list ?? []);
  if (values === undefined) return wrong(`${field}.values`, "must be a list of strings");
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues && values.length === 0) return wrong(`${field}.values`, `must not be empty for operator ${operator}`);
  if (!takesValues && values.length > 0) return wrong(`${field}.values`, `must be empty for operator ${operator}`);
  return { key, operator, values };
}

function stringsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: readonly unknown[] = value;
  const strings = items.filter((item) => typeof item === "string");
  return strings.length === items.length ? strings : undefined;
}

type Wrong = ParsedSelector & { readonly ok: false };

const wrong = (field: string, message: string): Wrong => ({ ok: false, field, message });

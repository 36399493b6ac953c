import { formatValue } from "../words/format-value.ts";
import { NO_LIMIT } from "./compile-schema.ts";
import type { CompiledSchema } from "./schema.ts";

/** The values that a schema allows, as the end of "allowed: …": `a whole number from 1 to 65535`, `Exact, RegularExpression`. */
export function formatExpected(schema: CompiledSchema): string {
  if (schema.words.length > 0) return schema.words.join(", ");
  if (schema.enum !== undefined) return schema.enum.map((value) => formatValue(value)).join(", ");
  switch (schema.type) {
    case "string":
      return formatText(schema);
    case "integer":
      return `a whole number${formatRange(schema)}`;
    case "number":
      return `a number${formatRange(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list${formatCount(schema, "item")}`;
    case "object":
      return `an object${formatCount(schema, "field")}`;
    case "map":
      return `${schema.items?.type === "string" ? "a map of strings" : "an object"}${formatCount(schema, "field")}`;
    case "integer or string":
      return "a string or a whole number";
    case "shorthand":
      return `${schema.format ?? "a string"}, or an object`;
    case "any":
      return "any value";
  }
}

function formatText(schema: CompiledSchema): string {
  const { pattern, format } = schema;
  const known = format ?? (pattern === undefined ? undefined : FORMATS.get(pattern.source));
  const length = formatCount(schema, "character");
  if (known !== undefined) return `${known}${schema.max === NO_LIMIT ? "" : length}`;
  return `a string${length}${pattern === undefined ? "" : ` that matches ${pattern.source}`}`;
}

const DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS_NAME = `${DNS_LABEL}(\\.${DNS_LABEL})*`;

/** Plain words for patterns that many fields of Gateway API have. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["^([0-9]{1,5}(h|m|s|ms)){1,4}$", "a duration like 500ms, 10s or 1m30s"],
  [`^${DNS_LABEL}$`, "a name in lower case (letters, digits, '-')"],
  [`^${DNS_NAME}$`, "a DNS name in lower case"],
  [`^$|^${DNS_NAME}$`, "a DNS name in lower case, or an empty string"],
  [`^(\\*\\.)?${DNS_NAME}$`, "a DNS name in lower case, with or without a leading *."],
  ["^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$", "the name of a kind (letters, digits, '-')"],
  ["^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$", "an HTTP token (letters, digits, !#$%&'*+-.^_`|~)"],
]);

function formatRange({ min, max }: CompiledSchema): string {
  const [hasMin, hasMax] = [min !== -NO_LIMIT, max !== NO_LIMIT];
  if (hasMin && hasMax) return ` from ${min} to ${max}`;
  if (hasMin) return ` of at least ${min}`;
  return hasMax ? ` of at most ${max}` : "";
}

function formatCount({ min, max }: CompiledSchema, noun: string): string {
  const plural = (count: number): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
  if (max === NO_LIMIT) return min > 0 ? ` of at least ${plural(min)}` : "";
  if (min === max) return ` of ${plural(max)}`;
  return min > 0 ? ` of ${min} to ${plural(max)}` : ` of at most ${plural(max)}`;
}

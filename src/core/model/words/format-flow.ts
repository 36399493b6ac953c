import { isJsonList, isJsonObject, type Json } from "../json.ts";

/** A value as YAML on one line: `[502, 503]`, `{requests: 100, window: 1m}`. */
export function formatFlow(value: Json): string {
  if (isJsonList(value)) return `[${value.map(formatFlow).join(", ")}]`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([key, own]) => `${word(key)}: ${formatFlow(own)}`)
      .join(", ")}}`;
  return typeof value === "string" ? word(value) : JSON.stringify(value);
}

/** Quotes a string only if YAML would read it as another type. */
const word = (text: string): string =>
  /^[^\s,[\]{}"'#&*!|>%@`:-](?:[^,[\]{}"\n#:]|:(?=[^\s]))*$/.test(text) && !LITERAL.test(text) && text.trim() === text
    ? text
    : JSON.stringify(text);

const LITERAL = /^(?:true|false|null|~|[-+.]?\d[\d.]*(?:e[-+]?\d+)?)$/i;

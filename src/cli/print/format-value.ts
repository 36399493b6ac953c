import { isJsonList, isJsonObject, type Json } from "../../core/model/json.ts";
import { shorten } from "./styled-text.ts";

/** Formats a value as YAML on one line: `[502, 503]`, `{requests: 100, window: 1m}`. */
export function formatValue(value: Json, width?: number): string {
  const text = flow(value);
  return width === undefined ? text : shorten(text, width);
}

function flow(value: Json): string {
  if (isJsonList(value)) return `[${value.map(flow).join(", ")}]`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([key, own]) => `${word(key)}: ${flow(own)}`)
      .join(", ")}}`;
  return typeof value === "string" ? word(value) : JSON.stringify(value);
}

/** Quotes a string only if YAML would read it as another type. */
const word = (text: string): string =>
  /^[^\s,[\]{}"'#&*!|>%@`:-](?:[^,[\]{}"\n#:]|:(?=[^\s]))*$/.test(text) && !LITERAL.test(text) && text.trim() === text
    ? text
    : JSON.stringify(text);

const LITERAL = /^(?:true|false|null|~|[-+.]?\d[\d.]*(?:e[-+]?\d+)?)$/i;

/** Formats the pointer `/retry/attempts` as `retry.attempts`. Keys with dots are written in brackets. */
export const formatPointer = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((key, index) => (/^[^.[\]\s]+$/.test(key) ? `${index === 0 ? "" : "."}${key}` : `[${JSON.stringify(key)}]`))
    .join("");

/** Header and trailer fields in the order in which they are sent: name, value, name, value. Names in lower case. */
import type { HeaderChanges } from "../core/dataplane/gateway-config.ts";

export type Fields = readonly string[];

/** As HTTP/1.1 writes one. What is in it has been checked: by whoever read it, or when a filter put it there. */
export const fieldText = (name: string, value: string): string => `${name}: ${value}\r\n`;

export function valuesOf(fields: Fields, name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) values.push(fields[i + 1] ?? "");
  return values;
}

/** The first of that name. */
export function findValue(fields: Fields, name: string): string | undefined {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1] ?? "";
  return undefined;
}

export function withoutNames(fields: Fields, names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? "";
    if (!names.has(name)) kept.push(name, fields[i + 1] ?? "");
  }
  return kept;
}

/** What a filter says is text that somebody wrote: what no header can hold is left out. */
export const headerText = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "");

/** All of them. */
export function fieldLines(fields: Fields): string {
  let text = "";
  for (let i = 0; i < fields.length; i += 2) text += fieldText(fields[i] ?? "", fields[i + 1] ?? "");
  return text;
}

const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name);

/** In this order: remove, set, add. */
export function changeFields(fields: Fields, { remove, set, add }: HeaderChanges): Fields {
  const gone = new Set([...remove, ...set.map(({ name }) => name)]);
  const changed = withoutNames(fields, gone);
  for (const { name, value } of [...set, ...add]) if (isHeaderName(name)) changed.push(name, headerText(value));
  return changed;
}

/** One entry for each name: values of the same name are one list (RFC 9110, 5.3), cookies are joined as cookies are. */
export function joinFields(fields: Fields): readonly (readonly [name: string, value: string])[] {
  const joined = new Map<string, string>();
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? "";
    const value = fields[i + 1] ?? "";
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}${name === "cookie" ? "; " : ", "}${value}`);
  }
  return [...joined];
}

import type { Schema } from "./schema.ts";

/** The pattern of header names. */
const TOKEN = /^\^\[A-Za-z0-9!#/;
const ONE_LINE = "^[^\\r\\n\\u0000]*$";

/**
 * Header values have one line
 *
 * A header value with a line break or a NUL character is invalid in HTTP. The experimental channel refuses it by a pattern; the
 * standard channel has none, but no API server should be asked to store it.
 * RFC 9110, "Field Values"
 */
export function closeHeaderValues(schema: Schema): Schema {
  const closed = new Map<Schema, Schema>();
  const close = (part: Schema): Schema => {
    const known = closed.get(part);
    if (known !== undefined) return known;
    const { properties, items } = part;
    if (properties === undefined && items === undefined) return part;
    const inner = Object.entries(properties ?? {}).map(([name, property]): [string, Schema] => [
      name,
      name === "value" && isHeader(properties) ? { pattern: ONE_LINE, ...property } : close(property),
    ]);
    const result = {
      ...part,
      ...(properties === undefined ? {} : { properties: Object.fromEntries(inner) }),
      ...(items === undefined ? {} : { items: close(items) }),
    };
    closed.set(part, result);
    return result;
  };
  return close(schema);
}

const isHeader = (properties: Schema["properties"]): boolean => TOKEN.test(properties?.["name"]?.pattern ?? "");

import { isJsonObject } from "../json.ts";
import type { Schema } from "./schema.ts";

/**
 * Filter types are an open set
 *
 * A route may have a filter of a type that the CRDs do not list: the reference merges policies into a filter of its own
 * (`type: RetryFilter`), and Gateway API adds types from version to version.
 * Policy attachment reference, "Handling non-scalar values"
 */
export function openFilterTypes(schema: Schema): Schema {
  const opened = new Map<Schema, Schema>();
  const open = (part: Schema, isFilter: boolean): Schema => {
    const known = opened.get(part);
    if (known !== undefined) return known;
    // The schema may be that of a CRD of the input, where anything can be written in place of a schema.
    if (!isJsonObject(part)) return part;
    const { properties, items } = part;
    if (properties === undefined && items === undefined) return part;
    let result = part;
    for (const name of Object.keys(properties ?? {})) {
      const property = properties?.[name] as Schema;
      const inner = isFilter && name === "type" ? withoutEnum(property) : open(property, name === "filters");
      if (inner !== property) result = { ...result, properties: { ...result.properties, [name]: inner } };
    }
    // `filters` is a list, so its items are the filters.
    const item = items === undefined ? undefined : open(items, isFilter);
    if (item !== undefined && item !== items) result = { ...result, items: item };
    opened.set(part, result);
    return result;
  };
  return open(schema, false);
}

function withoutEnum({ enum: _, ...rest }: Schema): Schema {
  return { ...rest, minLength: 1, maxLength: 256 };
}

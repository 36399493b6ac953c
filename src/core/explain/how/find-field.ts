import type { CompiledSchema } from "../../model/schema/schema.ts";

/** A field in a schema. `Open`: the schema does not say what may be there. `Unknown`: `names` are the fields beside it. */
export type FoundField =
  | { readonly state: "Known"; readonly schema: CompiledSchema }
  | { readonly state: "Open" }
  | { readonly state: "Unknown"; readonly depth: number; readonly names: readonly string[] };

const OPEN: FoundField = { state: "Open" };

/** Follows keys into a schema. Without a schema every field may be there. */
export function findField(schema: CompiledSchema | undefined, keys: readonly string[]): FoundField {
  let part = schema;
  for (const [depth, key] of keys.entries()) {
    if (part === undefined || part.type === "any") return OPEN;
    const own: CompiledSchema | undefined = part.properties.find((property) => property.key === key)?.schema;
    if (own !== undefined) part = own;
    else if (part.type === "map") part = part.items;
    else if (part.keepsUnknown) return OPEN;
    else return { state: "Unknown", depth, names: part.properties.map((property) => property.key) };
  }
  return part === undefined ? OPEN : { state: "Known", schema: part };
}

const MAX_DEPTH = 6;
const MAX_FIELDS = 500;

/** Dotted paths of all scalars, lists and open parts of a schema, in the order of the schema; `*` stands for a key of a map. */
export function leavesOf(schema: CompiledSchema, above: readonly string[] = []): readonly (readonly string[])[] {
  if (above.length >= MAX_DEPTH) return [above];
  if (schema.type === "map" && schema.items !== undefined) return leavesOf(schema.items, [...above, "*"]);
  if (schema.properties.length === 0) return above.length === 0 ? [] : [above];
  const leaves: (readonly string[])[] = [];
  for (const { key, schema: own } of schema.properties) {
    leaves.push(...leavesOf(own, [...above, key]));
    if (leaves.length > MAX_FIELDS) break;
  }
  return leaves.slice(0, MAX_FIELDS);
}

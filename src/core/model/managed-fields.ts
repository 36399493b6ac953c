import { isJsonList, isJsonObject, type Json, type JsonObject, jsonEqual, objectsIn, ownValue } from "./json.ts";
import { unescapePointer } from "./json-pointer.ts";

/** The last write of a field, as far as an object records it. */
export interface LastWrite {
  /** The tool that wrote it, such as `kubectl-edit`. It is not a person. */
  readonly manager: string;
  /** `Apply`: server-side apply. */
  readonly operation: string;
  /** The last write of this manager to any field: the field was written then or before. */
  readonly time?: string;
}

/** The metadata that the API server keeps of its writes. It changes without a change of what the object means. */
export const BOOKKEEPING: ReadonlySet<string> = new Set(["resourceVersion", "managedFields", "generation"]);

/**
 * Managed fields
 *
 * The API server records in `metadata.managedFields` which manager wrote which fields, with one entry and one time per manager. Of several managers of a
 * field the latest is returned.
 * Kubernetes, "Field management"
 *
 * Undefined if no entry has the field. `pointer` is a JSON pointer into the object.
 */
export function lastWriteOf(object: JsonObject, pointer: string): LastWrite | undefined {
  const metadata = ownValue(object, "metadata");
  const entries = objectsIn(isJsonObject(metadata) ? ownValue(metadata, "managedFields") : undefined);
  const keys = pointer.split("/").slice(1).map(unescapePointer);
  let latest: LastWrite | undefined;
  for (const entry of entries) {
    const [fields, manager, operation, time] = ["fieldsV1", "manager", "operation", "time"].map((key) =>
      ownValue(entry, key),
    );
    if (typeof manager !== "string" || ownValue(entry, "subresource") === "status") continue;
    if (!isJsonObject(fields) || !hasField(fields, keys, object)) continue;
    const write = {
      manager,
      operation: typeof operation === "string" ? operation : "",
      ...(typeof time === "string" ? { time } : {}),
    };
    if (latest === undefined || (write.time ?? "") > (latest.time ?? "")) latest = write;
  }
  return latest;
}

/** The last write of a value, as far as it is recorded, and when its object was created. */
export interface WrittenValue extends Partial<LastWrite> {
  readonly created?: string;
}

/** The record of an object about a value of its own. `pointer` is a JSON pointer into the object. */
export function writtenValueOf(object: JsonObject, pointer: string): WrittenValue {
  const metadata = ownValue(object, "metadata");
  const created = isJsonObject(metadata) ? ownValue(metadata, "creationTimestamp") : undefined;
  return { ...lastWriteOf(object, pointer), ...(typeof created === "string" ? { created } : {}) };
}

/** The keys of a set of fields are `f:NAME`, `k:{KEYS OF A LIST ITEM}`, `v:ITEM` and `i:INDEX`. A set without keys is a whole value. */
function hasField(fields: JsonObject, [key, ...rest]: readonly string[], value: Json | undefined): boolean {
  const names = Object.keys(fields).filter((name) => name !== ".");
  if (key === undefined || names.length === 0) return true;
  if (isJsonList(value)) {
    const item = value[Number(key)];
    const name = names.find((one) => isItem(one, item, key));
    return name !== undefined && hasField(childOf(fields, name), rest, item);
  }
  const name = `f:${key}`;
  if (!Object.hasOwn(fields, name)) return false;
  return hasField(childOf(fields, name), rest, isJsonObject(value) ? ownValue(value, key) : undefined);
}

const childOf = (fields: JsonObject, name: string): JsonObject => {
  const child = ownValue(fields, name);
  return isJsonObject(child) ? child : {};
};

function isItem(name: string, item: Json | undefined, index: string): boolean {
  if (name === `i:${index}`) return true;
  const wanted = parseKey(name.slice(2));
  if (wanted === undefined) return false;
  if (name.startsWith("v:")) return jsonEqual(wanted, item);
  if (!name.startsWith("k:") || !isJsonObject(wanted) || !isJsonObject(item)) return false;
  return Object.entries(wanted).every(([key, value]) => jsonEqual(ownValue(item, key), value));
}

function parseKey(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

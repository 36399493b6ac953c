/** Encoded resources. The version is a hash of the bytes, so it stays the same after a restart. */
import { hash } from "node:crypto";
import { type Any, type DescMessage, type MessageShape, packed, toBinary } from "../../protobuf.ts";
import { type ResourceType, typeUrlOf } from "./resource-type.ts";

export interface EncodedResource {
  readonly name: string;
  readonly version: string;
  readonly any: Any;
  /** For a cluster: the name of its endpoints. */
  readonly endpoints: string | undefined;
}

/** Resources by name. A table that was replaced may have the contents of its successor. */
export interface ResourceTable extends Pick<ReadonlyMap<string, EncodedResource>, "get" | "keys"> {
  /** Undefined: the differences from other tables are unknown. */
  readonly edition?: TableEdition;
}

/** A sequence of tables with the same names. */
export interface TableEdition {
  readonly of: object;
  readonly number: number;
  /** The names of the resources that differ from the previous edition. */
  readonly changed: readonly string[];
}

/** The names of the resources that differ between two tables. Undefined: they are unknown. */
export function changesBetween(before: ResourceTable | undefined, now: ResourceTable): readonly string[] | undefined {
  if (before === now) return [];
  const [old, edition] = [before?.edition, now.edition];
  const isNext =
    old !== undefined && edition !== undefined && old.of === edition.of && old.number + 1 === edition.number;
  return isNext ? edition.changed : undefined;
}

const VERSION_LENGTH = 16;

/** Wraps an encoded message. */
export function encodedResource(
  type: ResourceType,
  name: string,
  bytes: Uint8Array,
  endpoints?: string,
): EncodedResource {
  const version = hash("sha256", bytes, "base64url").slice(0, VERSION_LENGTH);
  return { name, version, any: packed(typeUrlOf(type), bytes), endpoints };
}

export function encodeResource<Schema extends DescMessage>(
  type: ResourceType,
  name: string,
  schema: Schema,
  message: MessageShape<Schema>,
  endpoints?: string,
): EncodedResource {
  return encodedResource(type, name, toBinary(schema, message), endpoints);
}

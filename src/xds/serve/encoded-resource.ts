/** Resources as bytes. The version is a hash of them: the same after a restart. */
import { hash } from "node:crypto";
import { type Any, type DescMessage, type MessageShape, packed, toBinary } from "../protobuf.ts";
import { type ResourceType, typeUrlOf } from "./resource-type.ts";

export interface EncodedResource {
  readonly name: string;
  readonly version: string;
  readonly any: Any;
  /** Of a cluster: the name of its endpoints, without which it is of no use. */
  readonly endpoints: string | undefined;
}

/** By name; a Map is one. A table that has been replaced by a later one may show the later one's contents. */
export interface ResourceTable extends Pick<ReadonlyMap<string, EncodedResource>, "get" | "keys"> {
  /** Undefined: nothing is known of how it differs from others. */
  readonly edition?: TableEdition;
}

/** Tables that follow each other, with the same names in them. */
export interface TableEdition {
  readonly of: object;
  readonly number: number;
  /** The names of what is not as in the edition before. */
  readonly changed: readonly string[];
}

const VERSION_LENGTH = 16;

/** Of bytes that are a message already. */
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

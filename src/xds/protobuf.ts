/** The only file, besides `gen/`, that imports the Protocol Buffers library. */
import {
  create,
  createRegistry,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack, type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";

export type { Any, DescMessage, JsonObject, JsonValue, Message, MessageShape };
export { create, createRegistry, fromBinary, toBinary, toJson };

/** The fields of a message as plain data. Missing fields have their defaults. */
export type Init<Schema extends DescMessage> = Exclude<MessageInitShape<Schema>, MessageShape<Schema>>;

/** Packs a message as `Any`. */
export const pack = <Schema extends DescMessage>(schema: Schema, init: Init<Schema>): Any =>
  anyPack(schema, create(schema, init));

/** Packs an encoded message. */
export const packed = (typeUrl: string, value: Uint8Array): Any => create(AnySchema, { typeUrl, value });

/** A field with a text or an encoded message. */
export type EncodedField = readonly [field: number, value: string | Uint8Array];

/** Appends fields to an encoded message. Their order does not matter. */
export function withFields(encoded: Uint8Array, fields: readonly EncodedField[]): Uint8Array {
  let length = encoded.length;
  for (const [field, value] of fields) {
    const size = typeof value === "string" ? Buffer.byteLength(value) : value.length;
    length += varintSize(tagOf(field)) + varintSize(size) + size;
  }
  const bytes = Buffer.allocUnsafe(length);
  bytes.set(encoded);
  let at = encoded.length;
  for (const [field, value] of fields) {
    at = writeVarint(bytes, at, tagOf(field));
    at = writeVarint(bytes, at, typeof value === "string" ? Buffer.byteLength(value) : value.length);
    if (typeof value === "string") at += bytes.write(value, at);
    else {
      bytes.set(value, at);
      at += value.length;
    }
  }
  return bytes;
}

const LENGTH_DELIMITED = 2;
const tagOf = (field: number): number => (field << 3) | LENGTH_DELIMITED;

/** A varint: seven bits at a time, the lowest first. */
function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let [rest, end] = [value, at];
  while (rest >= 0x80) {
    bytes[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

const varintSize = (value: number): number => (value < 0x80 ? 1 : 1 + varintSize(value >>> 7));

/** Ten years. Longer durations have the same effect and do not fit everywhere. */
const LONGEST_MS = 315_360_000_000;

export function duration(ms: number): Duration {
  const bounded = Math.min(Math.max(ms, 0), LONGEST_MS);
  const seconds = Math.floor(bounded / 1000);
  return create(DurationSchema, { seconds: BigInt(seconds), nanos: Math.round((bounded - seconds * 1000) * 1e6) });
}

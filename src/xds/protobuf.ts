/** Protocol buffers, behind one file: `gen/` aside, nobody else knows which library writes the bytes. */
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

/** What a message is made of, as plain data: fields that are left out have their defaults. */
export type Init<Schema extends DescMessage> = Exclude<MessageInitShape<Schema>, MessageShape<Schema>>;

/** A message within another that could hold any. */
export const pack = <Schema extends DescMessage>(schema: Schema, init: Init<Schema>): Any =>
  anyPack(schema, create(schema, init));

/** What has been encoded before. */
export const packed = (typeUrl: string, value: Uint8Array): Any => create(AnySchema, { typeUrl, value });

/** A field of a message that holds a text, or a message that has been encoded before. */
export type EncodedField = readonly [field: number, value: string | Uint8Array];

/** Adds fields to an encoded message. They may stand in any order. */
export function withFields(encoded: Uint8Array, fields: readonly EncodedField[]): Uint8Array {
  const parts: Uint8Array[] = [encoded];
  for (const [field, value] of fields) {
    const bytes = typeof value === "string" ? Buffer.from(value) : value;
    parts.push(Uint8Array.from([...varint((field << 3) | LENGTH_DELIMITED), ...varint(bytes.length)]), bytes);
  }
  return Buffer.concat(parts);
}

const LENGTH_DELIMITED = 2;

/** Seven bits at a time, the lowest first. */
function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** Ten years: longer ones mean the same, and do not fit everywhere. */
const LONGEST_MS = 315_360_000_000;

export function duration(ms: number): Duration {
  const bounded = Math.min(Math.max(ms, 0), LONGEST_MS);
  const seconds = Math.floor(bounded / 1000);
  return create(DurationSchema, { seconds: BigInt(seconds), nanos: Math.round((bounded - seconds * 1000) * 1e6) });
}

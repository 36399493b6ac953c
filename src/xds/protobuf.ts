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

/** Ten years: longer ones mean the same, and do not fit everywhere. */
const LONGEST_MS = 315_360_000_000;

export function duration(ms: number): Duration {
  const bounded = Math.min(Math.max(ms, 0), LONGEST_MS);
  const seconds = Math.floor(bounded / 1000);
  return create(DurationSchema, { seconds: BigInt(seconds), nanos: Math.round((bounded - seconds * 1000) * 1e6) });
}

import { once } from "../collections/once.ts";
import type { JsonObject } from "../json.ts";
import type { MatchRegex } from "../regex.ts";
import { compileSchema, type SchemaOptions } from "./compile-schema.ts";
import type { CheckNode } from "./judge/check-node.ts";
import { compileChecks } from "./judge/compile-checks.ts";
import { createTrustedRegex } from "./judge/trusted-regex.ts";
import type { CompiledSchema } from "./schema.ts";

/** A schema made ready for judging values: the quick check, and the checks that need the defaults filled in. */
export interface ObjectSchema {
  readonly compiled: CompiledSchema;
  /** Compiled on the first call. Undefined if the schema has no such checks. */
  readonly checks: () => CheckNode | undefined;
  /** Matches the patterns of a built-in schema. Those of the input need a matcher that hostile patterns cannot stall. */
  readonly matchRegex: MatchRegex | undefined;
}

export function compileObjectSchema(schema: JsonObject, options: SchemaOptions = {}): ObjectSchema {
  const origin = options.origin ?? "Input";
  return {
    compiled: compileSchema(schema, options),
    checks: once(() => compileChecks(schema, origin)),
    matchRegex: origin === "BuiltIn" ? createTrustedRegex() : undefined,
  };
}

/**
 * The schemas that objects of one kind and version may have: one for each release channel of Gateway API. The channel of a
 * cluster is not known, so a value is accepted if one of them accepts it.
 */
export interface KindSchema {
  /** The schema that messages are about: that of the experimental channel, which has more fields. */
  readonly first: ObjectSchema;
  /**
   * The schema of the standard channel, if it differs. It refuses unknown fields: a value that uses a field of the experimental
   * channel is judged by that channel. Compiled when the first one refuses a value.
   */
  readonly others: () => readonly ObjectSchema[];
  /** The constraints that the engine relies on, where the first schema comes from the input. */
  readonly guard?: () => CompiledSchema;
}

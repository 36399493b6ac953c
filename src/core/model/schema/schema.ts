/**
 * The schema language: structural OpenAPI v3 schemas, as the CustomResourceDefinitions of Kubernetes have them.
 * `CompiledSchema` is what values are checked against.
 */
import type { Json } from "../json.ts";

export type Schema = {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message?: string }[];
  readonly format?: string;
  /** A string may be given in place of the object. The text describes the string; CRDs accept any value there. */
  readonly "x-prevail-shorthand"?: string;
  /** Describes the strings that are allowed, for messages and reference pages: `a dotted path`. */
  readonly "x-prevail-format"?: string;
  /** Lists the words that `pattern` allows, for messages and reference pages: `Custom/<name>`. */
  readonly "x-prevail-words"?: readonly string[];
  /** Describes the default, for reference pages. Prevail's own kinds declare no `default`: parsing fills it in. */
  readonly "x-prevail-default"?: string;
};

/** `integer or string`: `x-kubernetes-int-or-string`. `shorthand`: an object or a string. `any`: not checked, not walked. */
export type CompiledType =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "array"
  | "object"
  | "map"
  | "integer or string"
  | "shorthand"
  | "any";

/** A schema made ready for checking. All records have the same layout, because 100,000 objects are checked with them. */
export interface CompiledSchema {
  readonly type: CompiledType;
  /** Bounds of the length of a string, the value of a number, the count of items, or the count of properties. */
  readonly min: number;
  readonly max: number;
  readonly enum: readonly Json[] | undefined;
  readonly pattern: RegExp | undefined;
  readonly properties: readonly Property[];
  /** The properties that have a default. */
  readonly defaulted: readonly Property[];
  readonly requiredCount: number;
  /** The schema of the items of a list, or of the values of a map. */
  readonly items: CompiledSchema | undefined;
  /** Unknown fields are refused. Otherwise they may contain anything, within limits. */
  readonly isClosed: boolean;
  /** Unknown fields are stored. Otherwise the API server drops them. */
  readonly keepsUnknown: boolean;
  readonly nullable: boolean;
  readonly default: Json | undefined;
  /** Describes the strings that are allowed, where `pattern` alone would have to. */
  readonly format: string | undefined;
  /** Words that are allowed, for messages. */
  readonly words: readonly string[];
}

export interface Property {
  readonly key: string;
  readonly schema: CompiledSchema;
  /** A field with a default is never missing: the API server fills it in before it validates. */
  readonly isRequired: boolean;
}

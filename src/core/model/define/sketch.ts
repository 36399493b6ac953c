/** A PolicyDefinition as a text to edit: its fields in order, each with remarks. */
import type { Json } from "../json.ts";

/** `Crd`: the CRD says so. `Guess`: the CRD does not say it, and the value may be wrong. */
export interface Remark {
  readonly by: "Crd" | "Guess";
  readonly text: string;
}

export interface SketchField {
  readonly key: string;
  readonly value: Json | readonly SketchField[];
  readonly remarks: readonly Remark[];
  /** The field is written as a comment, to be filled in. */
  readonly isOff?: true;
}

export interface DefinitionSketch {
  readonly name: string;
  readonly kind: string;
  /** About the definition as a whole. */
  readonly remarks: readonly Remark[];
  /** The fields of `spec`. */
  readonly spec: readonly SketchField[];
}

export const readFrom = (text: string): Remark => ({ by: "Crd", text });
export const guess = (text: string): Remark => ({ by: "Guess", text });

/** True for fields inside a field, false for a value. */
export const isNested = (value: SketchField["value"]): value is readonly SketchField[] =>
  Array.isArray(value) && value.length > 0 && value.every(isField);

const isField = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "key" in item && "remarks" in item && "value" in item;

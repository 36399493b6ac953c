import type { Source } from "../../merge/provenance.ts";
import type { JsonObject } from "../../model/json.ts";
import type { EffectivePolicy, MappedField } from "./effective-policy.ts";

export interface Fold {
  readonly spec: JsonObject;
  readonly sources: readonly Source[];
  /** The item of the object's own field that it is folded into. */
  readonly field?: MappedField;
}

/** The spec, and each item of objects' fields that a policy sets. */
export const foldsOf = ({
  spec,
  sources,
  fields = [],
}: Pick<EffectivePolicy, "spec" | "sources" | "fields">): readonly Fold[] => [
  { spec, sources },
  ...fields.map((field) => ({ spec: field.spec, sources: field.sources, field })),
];

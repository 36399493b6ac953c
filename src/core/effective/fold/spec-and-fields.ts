import type { Source } from "../../merge/provenance.ts";
import type { JsonObject } from "../../model/json.ts";
import type { EffectivePolicy, MappedField } from "./effective-policy.ts";

/** One spec that policies set, with its provenance. */
export interface SpecOrField {
  readonly spec: JsonObject;
  readonly sources: readonly Source[];
  /** Set if the spec is merged into one item of an object's own field. */
  readonly field?: MappedField;
}

/** The effective spec, then each item of an object's own fields that policies set. */
export const specAndFields = ({
  spec,
  sources,
  fields = [],
}: Pick<EffectivePolicy, "spec" | "sources" | "fields">): readonly SpecOrField[] => [
  { spec, sources },
  ...fields.map((field) => ({ spec: field.spec, sources: field.sources, field })),
];

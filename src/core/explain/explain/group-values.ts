import type { MappedField } from "../../effective/fold/effective-policy.ts";
import { specAndFields } from "../../effective/fold/spec-and-fields.ts";
import type { Source as ValueSource } from "../../merge/provenance.ts";
import type { Json } from "../../model/json.ts";
import { valueAtPointer } from "../../model/json-pointer.ts";
import { compareText } from "../../model/refs.ts";
import type { ExplainedPath, PathOutcome } from "./result.ts";

/** One pointer of the spec (or of an item of an object's own field), and the effective value on each path. */
export interface ValueGroup {
  readonly pointer: string;
  readonly field: MappedField | undefined;
  /** Variants with most paths first. */
  readonly variants: readonly ValueVariant[];
  /** Paths where the value is not set. */
  readonly silent: number;
}

export interface ValueVariant {
  /** Undefined: nothing is set. */
  readonly value: Json | undefined;
  readonly source: ValueSource;
  readonly paths: readonly ExplainedPath[];
}

interface Draft {
  readonly pointer: string;
  readonly field: MappedField | undefined;
  readonly variants: Map<string, { value: Json | undefined; source: ValueSource; paths: ExplainedPath[] }>;
  paths: number;
}

/** Groups outcomes by value instead of by path, so that each value is printed once. */
export function groupValues(outcomes: readonly PathOutcome[]): readonly ValueGroup[] {
  const drafts = new Map<string, Draft>();
  let total = 0;
  for (const outcome of outcomes) {
    const { paths } = outcome;
    total += paths.length;
    for (const fold of specAndFields(outcome)) {
      for (const source of fold.sources)
        addVariant(drafts, fold.field, valueAtPointer(fold.spec, source.pointer), source, paths);
    }
  }
  return [...drafts.values()]
    .sort((a, b) => compareText(keyOf(a.field, a.pointer), keyOf(b.field, b.pointer)))
    .map(({ pointer, field, variants, paths }) => ({
      pointer,
      field,
      variants: [...variants.values()].sort((a, b) => b.paths.length - a.paths.length),
      silent: total - paths,
    }));
}

function addVariant(
  drafts: Map<string, Draft>,
  field: MappedField | undefined,
  value: Json | undefined,
  source: ValueSource,
  paths: readonly ExplainedPath[],
): void {
  const key = keyOf(field, source.pointer);
  const draft: Draft = drafts.get(key) ?? { pointer: source.pointer, field, variants: new Map(), paths: 0 };
  drafts.set(key, draft);
  const variantKey = JSON.stringify([value, source]);
  const variant = draft.variants.get(variantKey) ?? { value, source, paths: [] };
  draft.variants.set(variantKey, variant);
  variant.paths.push(...paths);
  draft.paths += paths.length;
}

const keyOf = (field: MappedField | undefined, pointer: string): string =>
  field === undefined ? pointer : `${field.object}\n${field.pointer}\n${pointer}`;

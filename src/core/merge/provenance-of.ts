import type { JsonObject } from "../model/json.ts";
import type { PolicyId } from "../model/refs.ts";
import { compareText } from "../model/refs.ts";
import { type Loss, type PointerState, specOf } from "./fold-result.ts";
import type { Lost, Source, Step } from "./provenance.ts";

export interface SpecProvenance {
  readonly spec: JsonObject;
  /** One source for each pointer, sorted by pointer. */
  readonly sources: readonly Source[];
  /** The indexes of sources that are an object's own values. Paths to several objects may share the spec, so the object is not named here. */
  readonly ownSources: readonly number[];
}

const NO_OWN_SOURCES: readonly number[] = [];

/** The spec that a fold results in, and the source of each of its values. `states`: in any order. */
export function provenanceOf(states: readonly PointerState[]): SpecProvenance {
  const sorted = byPointer(states);
  return {
    spec: specOf(states),
    sources: sorted.map(sourceOf),
    ownSources: sorted.some(isOwn) ? sorted.flatMap((state, at) => (isOwn(state) ? [at] : [])) : NO_OWN_SOURCES,
  };
}

export function byPointer(states: readonly PointerState[]): readonly PointerState[] {
  const isSorted = states.every(({ pointer }, i) => i === 0 || compareText(states[i - 1]?.pointer ?? "", pointer) <= 0);
  return isSorted ? states : states.toSorted((a, b) => compareText(a.pointer, b.pointer));
}

const isOwn = ({ current }: PointerState): boolean => current !== undefined && current.policy === undefined;

/** The step that takes a value of the object itself. */
export const OWN: Step = { policy: null, block: null, strategy: "Own" };
const NOTHING_LOST: readonly Lost[] = [];

function sourceOf({ pointer, current, decidedBy = OWN, losses }: PointerState): Source {
  const policy = current?.policy?.id ?? null;
  const block = current?.block?.name ?? null;
  const lost = losses.length === 0 ? NOTHING_LOST : losses.map(lostOf);
  return current?.computed === true
    ? { pointer, policy, block, computed: true, decidedBy, lost }
    : { pointer, policy, block, decidedBy, lost };
}

function lostOf({ setting, reason, by }: Loss): Lost {
  const { policy, block, unit } = setting;
  const winners = by.map(({ id }): PolicyId => id);
  if (policy === undefined || block === undefined) return { value: unit.value, reason, by: winners };
  return { policy: policy.id, block: block.name, value: unit.value, reason, by: winners };
}

/** What the fold has so far: who holds what, who lost and why, and which step decided each pointer. */
import type { LossReason, Step } from "../../src/core/effective/fold/effective-policy.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import type { ObjectId, PolicyId } from "../../src/core/model/refs.ts";
import { isEqual, mapOf, unique } from "./json-value.ts";
import type { OraclePolicy } from "./read-policy.ts";
import type { OracleUnit } from "./split-units.ts";

/** One unit that wants its place: of a policy's block at one level of the stack, or of the object itself. */
export interface Candidate {
  readonly unit: OracleUnit;
  readonly policy: OraclePolicy | null;
  readonly block: BlockName | null;
  readonly object?: ObjectId;
  /** A custom strategy made it up: it is no candidate of the stack. */
  readonly computed?: true;
}

export interface Loss {
  readonly reason: LossReason;
  /** Whom it lost to, in the order in which they came into the result. */
  readonly to: readonly Candidate[];
  /** Where nobody of the result is to blame: whoever removed it, or won as a Direct spec. */
  readonly by?: PolicyId;
}

export class FoldState {
  held: readonly Candidate[] = [];
  /** A policy has set something, and be it that it was overridden: more than empty maps. */
  hasSpoken = false;
  readonly candidates: Candidate[] = [];
  readonly losses: Map<Candidate, Loss> = new Map();
  readonly #decisions: Map<string, Step> = new Map();
  readonly #fallbacks: Map<string, Step> = new Map();

  enter(candidates: readonly Candidate[]): void {
    this.candidates.push(...candidates);
  }

  /** "A unit contests its own pointer, whether it wins or loses, and an override also the pointers of what it replaces." */
  contest(pointer: string, step: Step): void {
    this.#decisions.set(pointer, step);
  }

  /** "Only where a pointer has no other decision it is When or Remove": the first of several. */
  setAside(candidate: Candidate, loss: Loss, step: Step): void {
    this.losses.set(candidate, loss);
    const { pointer } = candidate.unit;
    this.#fallbacks.set(pointer, this.#fallbacks.get(pointer) ?? step);
  }

  stepAt(pointer: string): Step {
    const step = this.#decisions.get(pointer) ?? this.#fallbacks.get(pointer);
    if (step === undefined) throw new Error(`no step decided ${pointer}`);
    return step;
  }

  hold(candidate: Candidate): void {
    this.held = [...this.held, candidate];
  }

  drop(candidate: Candidate, loss: Loss): void {
    this.held = this.held.filter((one) => one !== candidate);
    this.losses.set(candidate, loss);
  }

  /** Without tombstones; "a map in which nothing else stands is then not there either". */
  get spec(): JsonObject {
    return this.specOf(() => true);
  }

  /** Of the places that count. */
  specOf(counts: (unit: OracleUnit) => boolean): JsonObject {
    const shown = this.held.filter((one) => !isTombstone(one) && counts(one.unit));
    return mapOf(shown.map(({ unit }) => [unit.path, unit.value]));
  }
}

export const isTombstone = ({ unit }: Candidate): boolean => unit.value === null;

export type Relation = "same" | "above" | "below" | "apart";

/** Where `a` stands as seen from `b`. */
export function relation(a: OracleUnit, b: OracleUnit): Relation {
  const startsWith = (long: readonly string[], short: readonly string[]) =>
    long.length > short.length && short.every((key, i) => key === long[i]);
  if (a.pointer === b.pointer) return "same";
  if (startsWith(b.path, a.path)) return "above";
  return startsWith(a.path, b.path) ? "below" : "apart";
}

/** "A leaf is held also when one above it (a scalar, a tombstone) or below it is"; an empty map blocks nothing below it. */
export function holdersAt(unit: OracleUnit, held: readonly Candidate[]): readonly Candidate[] {
  return held.filter((one) => {
    const where = relation(one.unit, unit);
    return where === "same" || where === "below" || (where === "above" && !one.unit.isEmptyMap);
  });
}

/** Whether the candidate says nothing that the others do not say: the same value, or a map in which they stand. */
export function equalsAmong(candidate: Candidate, others: readonly Candidate[]): readonly Candidate[] {
  const { unit } = candidate;
  return others.filter((other) => {
    const where = relation(other.unit, unit);
    return (where === "same" && isEqual(other.unit.value, unit.value)) || (unit.isEmptyMap && where === "below");
  });
}

export function policiesOf(candidates: readonly Candidate[]): readonly PolicyId[] {
  return unique(candidates.flatMap(({ policy }) => (policy === null ? [] : [policy.id])));
}

/**
 * The result of a fold while it is being made: for each JSON pointer the candidate that holds it, the step that decided, and
 * the candidates that lost. A unit at `/a` and one at `/a/b` cannot both be held.
 */
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../model/json.ts";
import { liesBelow, pointersAbove } from "../model/json-pointer.ts";
import type { Block, Policy, Unit } from "../model/policy.ts";
import { compareText } from "../model/refs.ts";
import { buildSpec } from "../model/units.ts";
import type { LossReason, Step } from "./provenance.ts";

/** A unit of a block of a policy at one level of the stack, or of the object's own fields (no policy). */
export interface Candidate {
  readonly policy: Policy | undefined;
  readonly block: Block | undefined;
  readonly unit: Unit;
  /** Computed by a custom strategy: no policy contains it. */
  readonly computed?: true;
}

export interface Loss {
  readonly candidate: Candidate;
  readonly reason: LossReason;
  readonly by: readonly Policy[];
  /** For `equal`: the candidate with the same value. Decided again at the end of the fold. */
  readonly equalTo?: Candidate;
}

/** What the fold has decided about one pointer. */
export interface PointerState {
  readonly pointer: string;
  holder: Candidate | undefined;
  decidedBy: Step | undefined;
  losses: Loss[];
}

const NOBODY: readonly Candidate[] = [];
/** Shared by all states without a loss: never added to. */
const NO_LOSSES: Loss[] = [];

/** How a candidate lost. */
export type LossKind = Pick<Loss, "reason" | "equalTo">;

/** Up to so many states are searched one by one rather than indexed. */
const FEW = 32;

export class FoldResult {
  /** In the order in which pointers came up. */
  readonly states: PointerState[] = [];
  /** By pointer; built when there are many. */
  #index: Map<string, PointerState> | undefined;
  /** The held states strictly below a pointer; built when there are many states. */
  #below: Map<string, Set<PointerState>> | undefined;
  #held = 0;
  #hasMerged = false;
  #occupant: Policy | undefined;

  /** True if nothing is held, not even a tombstone: RFC 9's `p.empty?`. */
  get isEmpty(): boolean {
    return this.#held === 0;
  }

  /** True if no policy has set anything so far. Objects' own values may be held. */
  get isOpen(): boolean {
    return this.#held === 0 || !this.#hasMerged;
  }

  /** The empty policy that keeps out atomic defaults, while no policy has set anything. */
  get occupant(): Policy | undefined {
    return this.isOpen ? this.#occupant : undefined;
  }

  occupy(policy: Policy | undefined): void {
    this.#occupant = policy;
  }

  /** Records that a block with units was merged, whether it holds anything or not. An empty map is a unit as well. */
  noteMerged(candidates: readonly Candidate[]): void {
    if (candidates.length > 0) this.#hasMerged = true;
  }

  holder(pointer: string): Candidate | undefined {
    return this.#find(pointer)?.holder;
  }

  /** True if a candidate holds its pointer, or has the same value as the candidate that does. */
  isHeldOrEqual(candidate: Candidate): boolean {
    const state = this.#find(candidate.unit.pointer);
    if (state === undefined) return false;
    return (
      state.holder === candidate || state.losses.some((loss) => loss.candidate === candidate && loss.reason === "equal")
    );
  }

  /** The held units above, at or below a pointer, which conflict with a value there. An empty map conflicts with nothing below it. */
  conflicting(pointer: string): readonly Candidate[] {
    const at = this.holder(pointer);
    if (at !== undefined) return [at];
    const above = this.above(pointer);
    const found = above.length === 0 ? above : above.filter(({ unit }) => !isEmptyMap(unit.value));
    const below = this.below(pointer);
    if (below.length === 0) return found;
    return found.length === 0 ? below : [...found, ...below];
  }

  /** The nearest first. */
  above(pointer: string): readonly Candidate[] {
    if (this.states.length <= FEW) return this.#aboveAmongFew(pointer);
    const found: Candidate[] = [];
    for (const above of pointersAbove(pointer)) {
      const holder = this.holder(above);
      if (holder !== undefined) found.push(holder);
    }
    return found;
  }

  below(pointer: string): readonly Candidate[] {
    if (this.states.length > FEW) {
      const below = this.#statesBelow().get(pointer);
      return below === undefined ? NOBODY : [...below].map(({ holder }) => holder as Candidate);
    }
    let found: Candidate[] | undefined;
    for (const { pointer: other, holder } of this.states) {
      if (holder === undefined || !liesBelow(other, pointer)) continue;
      found ??= [];
      found.push(holder);
    }
    return found ?? NOBODY;
  }

  #aboveAmongFew(pointer: string): readonly Candidate[] {
    let found: Candidate[] | undefined;
    for (const { pointer: other, holder } of this.states) {
      if (holder === undefined || !liesBelow(pointer, other)) continue;
      found ??= [];
      found.push(holder);
    }
    if (found === undefined) return NOBODY;
    return found.length < 2 ? found : found.toSorted((a, b) => b.unit.pointer.length - a.unit.pointer.length);
  }

  /** The held candidates, in the order in which their pointers came up. */
  holders(): Candidate[] {
    const held: Candidate[] = [];
    for (const { holder } of this.states) if (holder !== undefined) held.push(holder);
    return held;
  }

  hold(candidate: Candidate): void {
    const state = this.#stateAt(candidate.unit.pointer);
    if (state.holder === undefined) {
      this.#held++;
      if (this.#below !== undefined) addAbove(this.#below, state);
    }
    state.holder = candidate;
  }

  /** A held candidate loses its pointer. */
  evict(candidate: Candidate, how: LossKind, by: readonly Policy[]): void {
    const state = this.#stateAt(candidate.unit.pointer);
    if (state.holder === candidate) {
      state.holder = undefined;
      this.#held--;
      if (this.#below !== undefined) removeAbove(this.#below, state);
    }
    this.lose(candidate, how, by);
  }

  lose(candidate: Candidate, { reason, equalTo }: LossKind, by: readonly Policy[]): void {
    const loss = equalTo === undefined ? { candidate, reason, by } : { candidate, reason, by, equalTo };
    const state = this.#stateAt(candidate.unit.pointer);
    if (state.losses === NO_LOSSES) state.losses = [loss];
    else state.losses.push(loss);
  }

  /**
   * Whether a value equals the winner's is known at the end only. A value that was equal to one that lost later lost to the same
   * winner; a value that lost, and whose pointer then got the same value again, is not overridden.
   */
  settleLosses(): void {
    let areComputed = false;
    for (const state of this.states) {
      if (state.losses.length === 0) continue;
      areComputed ||= state.losses.some(isComputed);
      state.losses = state.losses.map((loss) => this.#settled(loss));
    }
    if (!areComputed) return;
    // Computed values are dropped last: another value may have been equal to one.
    for (const state of this.states) state.losses = state.losses.filter((loss) => !isComputed(loss));
  }

  #settled(loss: Loss): Loss {
    const { candidate, reason } = loss;
    if (reason === "removed" || reason === "gated") return loss;
    const { pointer, value } = candidate.unit;
    const holder = this.holder(pointer);
    if (holder !== undefined && jsonEqual(holder.unit.value, value))
      return { candidate, reason: "equal", by: policiesOf([holder]) };
    const below = isEmptyMap(value) ? this.below(pointer) : [];
    if (below.length > 0) return { candidate, reason: "equal", by: policiesOf(below) };
    if (loss.equalTo === undefined) return loss;
    const { equalTo } = loss;
    const fate = this.#find(equalTo.unit.pointer)?.losses.find((other) => other.candidate === equalTo);
    if (fate === undefined) throw new Error(`${equalTo.unit.pointer} neither holds its state nor lost it`);
    return { ...this.#settled(fate), candidate };
  }

  decide(pointer: string, decision: Step): void {
    this.#stateAt(pointer).decidedBy = decision;
  }

  /** Records the step only if no other step has decided about the pointer. */
  decideIfOpen(pointer: string, decision: Step): void {
    this.#stateAt(pointer).decidedBy ??= decision;
  }

  /** The spec so far. */
  toSpec(): JsonObject {
    return specOf(this.states);
  }

  #stateAt(pointer: string): PointerState {
    const known = this.#find(pointer);
    if (known !== undefined) return known;
    const state = { pointer, holder: undefined, decidedBy: undefined, losses: NO_LOSSES };
    this.states.push(state);
    this.#index?.set(pointer, state);
    return state;
  }

  #find(pointer: string): PointerState | undefined {
    if (this.states.length > FEW) {
      this.#index ??= new Map(this.states.map((state) => [state.pointer, state]));
      return this.#index.get(pointer);
    }
    for (const state of this.states) if (state.pointer === pointer) return state;
    return undefined;
  }

  #statesBelow(): ReadonlyMap<string, ReadonlySet<PointerState>> {
    if (this.#below === undefined) {
      this.#below = new Map();
      for (const state of this.states) if (state.holder !== undefined) addAbove(this.#below, state);
    }
    return this.#below;
  }
}

/**
 * Patch keeps maps that it empties
 *
 * In the spec that the held candidates make up there are no tombstones, but a map with a tombstone is there, even if it is empty now
 * (RFC 7386, Appendix A).
 * GEP-713, "Combined merge strategies"
 */
export function specOf(states: readonly PointerState[]): JsonObject {
  const units: Pick<Unit, "path" | "value">[] = [];
  for (const { holder } of states) {
    if (holder === undefined) continue;
    const { unit } = holder;
    if (unit.value !== null) units.push(unit);
    else if (unit.path.length > 1) units.push({ path: unit.path.slice(0, -1), value: EMPTY_MAP });
  }
  return buildSpec(units);
}

const EMPTY_MAP: JsonObject = {};

const isComputed = ({ candidate }: Loss): boolean => candidate.computed === true;

function addAbove(below: Map<string, Set<PointerState>>, state: PointerState): void {
  for (const above of pointersAbove(state.pointer)) {
    const states = below.get(above);
    if (states === undefined) below.set(above, new Set([state]));
    else states.add(state);
  }
}

function removeAbove(below: Map<string, Set<PointerState>>, state: PointerState): void {
  for (const above of pointersAbove(state.pointer)) {
    const states = below.get(above);
    states?.delete(state);
    if (states?.size === 0) below.delete(above);
  }
}

export const isEmptyMap = (value: Json): boolean => isJsonObject(value) && Object.keys(value).length === 0;

/** The reason of a candidate's loss to winners that overlap with it. */
export function lossAgainst(
  { unit }: Candidate,
  winners: readonly Candidate[],
  otherwise: "overridden" | "replaced",
): LossKind {
  if (winners.length === 0) return LOST[otherwise];
  const equalTo = winners.find((winner) =>
    winner.unit.pointer === unit.pointer
      ? jsonEqual(winner.unit.value, unit.value)
      : isEmptyMap(unit.value) && liesBelow(winner.unit.pointer, unit.pointer),
  );
  if (equalTo !== undefined) return { reason: "equal", equalTo };
  return LOST[winners.every((winner) => winner.unit.value === null) ? "deleted" : otherwise];
}

const LOST: Readonly<Record<"overridden" | "replaced" | "deleted", LossKind>> = {
  overridden: { reason: "overridden" },
  replaced: { reason: "replaced" },
  deleted: { reason: "deleted" },
};

/** The policies of candidates, each once, sorted by name, so that the order of keys in a spec does not matter. Own values have none. */
export function policiesOf(candidates: readonly Candidate[]): readonly Policy[] {
  const [first] = candidates;
  if (first?.policy !== undefined && candidates.every(({ policy }) => policy === first.policy)) return [first.policy];
  const policies: Policy[] = [];
  for (const { policy } of candidates) if (policy !== undefined && !policies.includes(policy)) policies.push(policy);
  return policies.sort((a, b) => compareText(a.id, b.id));
}

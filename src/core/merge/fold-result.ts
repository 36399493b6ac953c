/**
 * The result of a fold so far: for each JSON pointer its current setting, the step that decided, and the settings that are
 * not in effect. A unit at `/a` and one at `/a/b` are never both in the result.
 */
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../model/json.ts";
import { liesBelow, pointersAbove } from "../model/json-pointer.ts";
import type { Block, Policy, Unit } from "../model/policy.ts";
import { compareText } from "../model/refs.ts";
import { buildSpec } from "../model/units.ts";
import type { LossReason, Step } from "./provenance.ts";

/** A unit of a block of a policy at one level of the stack, or of the object's own fields (no policy). */
export interface Setting {
  readonly policy: Policy | undefined;
  readonly block: Block | undefined;
  readonly unit: Unit;
  /** True if a custom strategy computed the value: no policy contains it. */
  readonly computed?: true;
}

export interface Loss {
  readonly setting: Setting;
  readonly reason: LossReason;
  readonly by: readonly Policy[];
  /** For `equal`: the setting with the same value. It is compared again at the end of the fold. */
  readonly equalTo?: Setting;
}

/** The state of the fold at one pointer. */
export interface PointerState {
  readonly pointer: string;
  current: Setting | undefined;
  decidedBy: Step | undefined;
  losses: Loss[];
}

const NO_SETTINGS: readonly Setting[] = [];
/** All states without a loss share this list. It is never changed. */
const NO_LOSSES: Loss[] = [];

/** The reason why a setting is not in effect. */
export type LossKind = Pick<Loss, "reason" | "equalTo">;

/** Up to this number, states are searched one by one instead of indexed. */
const FEW = 32;

export class FoldResult {
  /** The states, in the order in which their pointers were first used. */
  readonly states: PointerState[] = [];
  /** The states by pointer. Built when there are many. */
  #index: Map<string, PointerState> | undefined;
  /** The states with a current setting strictly below a pointer. Built when there are many states. */
  #below: Map<string, Set<PointerState>> | undefined;
  #size = 0;
  #hasMerged = false;
  #occupant: Policy | undefined;

  /** True if the result has no setting, not even a tombstone: RFC 9's `p.empty?`. */
  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** True if no policy has set anything so far. The result may have own values of objects. */
  get isOpen(): boolean {
    return this.#size === 0 || !this.#hasMerged;
  }

  /** The empty policy that keeps out atomic defaults, while no policy has set anything. */
  get occupant(): Policy | undefined {
    return this.isOpen ? this.#occupant : undefined;
  }

  occupy(policy: Policy | undefined): void {
    this.#occupant = policy;
  }

  /** Records that a block with units was merged, whether or not its settings are in the result. An empty map is a unit as well. */
  noteMerged(settings: readonly Setting[]): void {
    if (settings.length > 0) this.#hasMerged = true;
  }

  settingAt(pointer: string): Setting | undefined {
    return this.#find(pointer)?.current;
  }

  /** True if a setting is in the result, or has the same value as the setting at its pointer. */
  isInResultOrEqual(setting: Setting): boolean {
    const state = this.#find(setting.unit.pointer);
    if (state === undefined) return false;
    return (
      state.current === setting || state.losses.some((loss) => loss.setting === setting && loss.reason === "equal")
    );
  }

  /** The settings of the result above, at or below a pointer, which conflict with a value there. An empty map conflicts with nothing below it. */
  conflicting(pointer: string): readonly Setting[] {
    const at = this.settingAt(pointer);
    if (at !== undefined) return [at];
    const above = this.above(pointer);
    const found = above.length === 0 ? above : above.filter(({ unit }) => !isEmptyMap(unit.value));
    const below = this.below(pointer);
    if (below.length === 0) return found;
    return found.length === 0 ? below : [...found, ...below];
  }

  /** The settings of the result above a pointer, the nearest first. */
  above(pointer: string): readonly Setting[] {
    if (this.states.length <= FEW) return this.#aboveAmongFew(pointer);
    const found: Setting[] = [];
    for (const above of pointersAbove(pointer)) {
      const current = this.settingAt(above);
      if (current !== undefined) found.push(current);
    }
    return found;
  }

  below(pointer: string): readonly Setting[] {
    if (this.states.length > FEW) {
      const below = this.#statesBelow().get(pointer);
      return below === undefined ? NO_SETTINGS : [...below].map(({ current }) => current as Setting);
    }
    let found: Setting[] | undefined;
    for (const { pointer: other, current } of this.states) {
      if (current === undefined || !liesBelow(other, pointer)) continue;
      found ??= [];
      found.push(current);
    }
    return found ?? NO_SETTINGS;
  }

  #aboveAmongFew(pointer: string): readonly Setting[] {
    let found: Setting[] | undefined;
    for (const { pointer: other, current } of this.states) {
      if (current === undefined || !liesBelow(pointer, other)) continue;
      found ??= [];
      found.push(current);
    }
    if (found === undefined) return NO_SETTINGS;
    return found.length < 2 ? found : found.toSorted((a, b) => b.unit.pointer.length - a.unit.pointer.length);
  }

  /** The settings of the result, in the order in which their pointers were first used. */
  settings(): Setting[] {
    const found: Setting[] = [];
    for (const { current } of this.states) if (current !== undefined) found.push(current);
    return found;
  }

  put(setting: Setting): void {
    const state = this.#stateAt(setting.unit.pointer);
    if (state.current === undefined) {
      this.#size++;
      if (this.#below !== undefined) addAbove(this.#below, state);
    }
    state.current = setting;
  }

  /** Takes a setting out of the result. */
  evict(setting: Setting, how: LossKind, by: readonly Policy[]): void {
    const state = this.#stateAt(setting.unit.pointer);
    if (state.current === setting) {
      state.current = undefined;
      this.#size--;
      if (this.#below !== undefined) removeAbove(this.#below, state);
    }
    this.lose(setting, how, by);
  }

  lose(setting: Setting, { reason, equalTo }: LossKind, by: readonly Policy[]): void {
    const loss = equalTo === undefined ? { setting, reason, by } : { setting, reason, by, equalTo };
    const state = this.#stateAt(setting.unit.pointer);
    if (state.losses === NO_LOSSES) state.losses = [loss];
    else state.losses.push(loss);
  }

  /**
   * Compares values with the final result. A value that was equal to one that was overridden later is overridden by the same
   * setting; a value that was overridden, and whose pointer then got the same value again, is not overridden.
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
    const { setting, reason } = loss;
    if (reason === "removed" || reason === "gated") return loss;
    const { pointer, value } = setting.unit;
    const current = this.settingAt(pointer);
    if (current !== undefined && jsonEqual(current.unit.value, value))
      return { setting, reason: "equal", by: policiesOf([current]) };
    const below = isEmptyMap(value) ? this.below(pointer) : [];
    if (below.length > 0) return { setting, reason: "equal", by: policiesOf(below) };
    if (loss.equalTo === undefined) return loss;
    const { equalTo } = loss;
    const earlier = this.#find(equalTo.unit.pointer)?.losses.find((other) => other.setting === equalTo);
    if (earlier === undefined) throw new Error(`${equalTo.unit.pointer} is neither in the result nor overridden`);
    return { ...this.#settled(earlier), setting };
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
    const state = { pointer, current: undefined, decidedBy: undefined, losses: NO_LOSSES };
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
      for (const state of this.states) if (state.current !== undefined) addAbove(this.#below, state);
    }
    return this.#below;
  }
}

/**
 * Patch keeps maps that it empties
 *
 * The spec of the result has no tombstones, but it has a map that contained a tombstone, even if that map is empty now
 * (RFC 7386, Appendix A).
 * GEP-713, "Combined merge strategies"
 */
export function specOf(states: readonly PointerState[]): JsonObject {
  const units: Pick<Unit, "path" | "value">[] = [];
  for (const { current } of states) {
    if (current === undefined) continue;
    const { unit } = current;
    if (unit.value !== null) units.push(unit);
    else if (unit.path.length > 1) units.push({ path: unit.path.slice(0, -1), value: EMPTY_MAP });
  }
  return buildSpec(units);
}

const EMPTY_MAP: JsonObject = {};

const isComputed = ({ setting }: Loss): boolean => setting.computed === true;

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

/** The reason why a setting is not in effect beside winners that overlap with it. */
export function lossAgainst(
  { unit }: Setting,
  winners: readonly Setting[],
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

/** The policies of settings, each once, sorted by name, so that the order of keys in a spec does not matter. Own values have none. */
export function policiesOf(settings: readonly Setting[]): readonly Policy[] {
  const [first] = settings;
  if (first?.policy !== undefined && settings.every(({ policy }) => policy === first.policy)) return [first.policy];
  const policies: Policy[] = [];
  for (const { policy } of settings) if (policy !== undefined && !policies.includes(policy)) policies.push(policy);
  return policies.sort((a, b) => compareText(a.id, b.id));
}

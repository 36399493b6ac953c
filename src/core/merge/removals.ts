import type { Block, Policy, Unit } from "../model/policy.ts";
import { Contenders } from "./contenders.ts";
import { isEmptyMap, type Setting } from "./fold-result.ts";
import type { RemovalState } from "./provenance.ts";

/** An entry of `remove`: the name of a rule in any rule map, or the dotted path of a unit or of something above it. */
export interface Removal {
  readonly entry: string;
  readonly policy: Policy;
  readonly block: Block;
}

/** A removal, and what has become of it so far. */
interface TrackedRemoval extends Removal {
  readonly index: number;
  /** `gated`: the condition of its block is not met. */
  phase: "pending" | "collected" | "gated";
  /** The pointers of defaults that it keeps out, and that would be in the result without it. */
  readonly keepsOut: Set<string>;
  /** The overrides that set what it names, with the pointer, or that discard it (no pointer). */
  readonly overrides: { readonly policy: Policy; readonly pointer?: string }[];
}

/** The outcome of one removal in a fold. */
export interface RemovalResult extends Removal {
  readonly state: RemovalState;
  /** The pointers of the defaults that it keeps out. */
  readonly removes: readonly string[];
  /** The other policies that override it. */
  readonly by: readonly Policy[];
}

const NONE: readonly never[] = [];

/**
 * `remove` acts on higher defaults
 *
 * Entries are collected from below and keep out the defaults of strictly higher policies. An override cannot be removed.
 * RFC 9, "Examples F - Policy rule that deactivates default from higher level"
 */
export class Removals {
  readonly #all: TrackedRemoval[] = [];
  /** Pending and collected ones, by entry. */
  readonly #byEntry: Map<string, TrackedRemoval[]> = new Map();
  /** The removals of the current policy, or with OldestWins of the current target. */
  #pending: TrackedRemoval[] = [];
  #keptOut: { readonly setting: Setting; readonly removals: readonly TrackedRemoval[] }[] = [];
  #collected = 0;

  /** True if no removal is in effect. */
  get isEmpty(): boolean {
    return this.#collected === 0;
  }

  add(removal: Removal): void {
    const tracked = this.#track(removal, "pending");
    this.#pending.push(tracked);
    const same = this.#byEntry.get(removal.entry);
    if (same === undefined) this.#byEntry.set(removal.entry, [tracked]);
    else same.push(tracked);
  }

  /** Records an entry of a block whose condition is not met. */
  addGated(removal: Removal): void {
    this.#track(removal, "gated");
  }

  #track(removal: Removal, phase: TrackedRemoval["phase"]): TrackedRemoval {
    const tracked = { ...removal, index: this.#all.length, phase, keepsOut: new Set<string>(), overrides: [] };
    this.#all.push(tracked);
    return tracked;
  }

  /** The removals that were added take effect from now on. */
  collect(): void {
    for (const removal of this.#pending) removal.phase = "collected";
    this.#collected += this.#pending.length;
    if (this.#pending.length > 0) this.#pending = [];
  }

  /** Discards all removals but those that this policy added: an atomic override replaces everything. */
  discard(policy: Policy): void {
    const kept = this.#pending.filter((removal) => removal.policy === policy);
    for (const removal of [...this.#byEntry.values()].flat()) {
      if (!kept.includes(removal) && removal.policy !== policy) removal.overrides.push({ policy });
    }
    this.#byEntry.clear();
    for (const removal of kept)
      this.#byEntry.set(removal.entry, [...(this.#byEntry.get(removal.entry) ?? NONE), removal]);
    this.#pending = kept;
    this.#collected = 0;
    this.#keptOut = [];
  }

  /** The collected removals that name the unit, the first collected first. */
  find(unit: Unit): readonly Removal[] {
    return this.#naming(unit).filter(({ phase }) => phase === "collected");
  }

  #naming({ path, ruleName }: Unit): readonly TrackedRemoval[] {
    const byName = ruleName === undefined ? undefined : this.#byEntry.get(ruleName);
    let found: readonly TrackedRemoval[] = byName ?? NONE;
    let dotted: string | undefined;
    for (const key of path) {
      dotted = dotted === undefined ? key : `${dotted}.${key}`;
      const byPath = this.#byEntry.get(dotted);
      if (byPath !== undefined && byPath !== byName) found = found.length === 0 ? byPath : [...found, ...byPath];
    }
    return found.length < 2 ? found : found.toSorted((a, b) => a.index - b.index);
  }

  /** Records that removals keep a default out of the result, which it would be part of without them. */
  keepOut(setting: Setting, removals: readonly Removal[]): void {
    this.#keptOut.push({ setting, removals: removals as readonly TrackedRemoval[] });
  }

  /** Records that an override sets what removals name. `isRule`: the setting replaces the whole rule that it is part of. */
  overrideBy(policy: Policy, all: readonly Setting[], isRule: (setting: Setting) => boolean): void {
    const settings = all.filter((setting) => isRule(setting) || !isEmptyMap(setting.unit.value));
    for (const { unit } of settings)
      for (const { policy: own, overrides } of this.#naming(unit))
        if (own !== policy) overrides.push({ policy, pointer: unit.pointer });
    if (this.#keptOut.length === 0) return;
    const contenders = new Contenders(settings);
    const rules = new Set(settings.filter(isRule).map(({ unit }) => unit.rule));
    this.#keptOut = this.#keptOut.filter(({ setting, removals }) => {
      const { pointer, rule } = setting.unit;
      if (!rules.has(rule) && contenders.overlapping(setting).length === 0) return true;
      for (const { policy: own, overrides } of removals) if (own !== policy) overrides.push({ policy, pointer });
      return false;
    });
  }

  /**
   * An entry of `remove` is a setting
   *
   * It takes effect where a default would be in the result without it. It is overridden where an override sets what it names, or an
   * atomic override discards it. Else there is nothing to remove, and it is neutral. `counts` selects pointers.
   * RFC 9, "Examples F - Policy rule that deactivates default from higher level"
   */
  results(counts: (pointer: string) => boolean): readonly RemovalResult[] {
    for (const { setting, removals } of this.#keptOut) {
      const { pointer } = setting.unit;
      if (counts(pointer)) for (const { keepsOut } of removals) keepsOut.add(pointer);
    }
    return this.#all.map(({ entry, policy, block, phase, keepsOut, overrides }): RemovalResult => {
      const removal = { entry, policy, block };
      if (phase === "gated") return { ...removal, state: "gated", removes: NONE, by: NONE };
      if (keepsOut.size > 0) return { ...removal, state: "inEffect", removes: [...keepsOut].sort(), by: NONE };
      const by = overrides.filter(({ pointer }) => pointer === undefined || counts(pointer)).map((one) => one.policy);
      return { ...removal, state: by.length > 0 ? "overridden" : "neutral", removes: NONE, by: [...new Set(by)] };
    });
  }
}

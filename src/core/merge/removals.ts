import type { Block, Policy, Unit } from "../model/policy.ts";

/** An entry of `remove`: the name of a rule in any rule map, or the dotted path of a unit or of something above it. */
export interface Removal {
  readonly entry: string;
  readonly policy: Policy;
  readonly block: Block;
}

/**
 * `remove` acts on higher defaults
 *
 * Entries are collected from below and keep out the defaults of strictly higher policies. An override cannot be removed.
 * RFC 9, "Examples F - Policy rule that deactivates default from higher level"
 */
export class Removals {
  readonly #collected: Removal[] = [];
  /** The index in `#collected` of the first removal with an entry. */
  readonly #first: Map<string, number> = new Map();
  /** The removals of the current policy, or with OldestWins of the current target. */
  #pending: Removal[] = [];

  /** True if no removal is in effect. */
  get isEmpty(): boolean {
    return this.#collected.length === 0;
  }

  add(removal: Removal): void {
    this.#pending.push(removal);
  }

  /** The removals that were added take effect from now on. */
  collect(): void {
    for (const removal of this.#pending) {
      if (!this.#first.has(removal.entry)) this.#first.set(removal.entry, this.#collected.length);
      this.#collected.push(removal);
    }
    if (this.#pending.length > 0) this.#pending = [];
  }

  /** Discards all removals but those that this policy added. */
  discard(policy: Policy): void {
    this.#collected.length = 0;
    this.#first.clear();
    this.#pending = this.#pending.filter((removal) => removal.policy === policy);
  }

  /** The first removal that names the unit. */
  find({ path, ruleName }: Unit): Removal | undefined {
    let first = ruleName === undefined ? undefined : this.#first.get(ruleName);
    let dotted: string | undefined;
    for (const key of path) {
      dotted = dotted === undefined ? key : `${dotted}.${key}`;
      const at = this.#first.get(dotted);
      if (at !== undefined && (first === undefined || at < first)) first = at;
    }
    return first === undefined ? undefined : this.#collected[first];
  }
}

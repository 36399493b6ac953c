import type { Block, Policy, Unit } from "../model/policy.ts";

/** RFC 9, "remove": the name of a rule, in every map of rules, or the dotted path of a unit or of something above it. */
export interface Removal {
  readonly entry: string;
  readonly policy: Policy;
  readonly block: Block;
}

/** What a fold has collected from below: it acts on the defaults of what comes next, strictly higher. */
export class Removals {
  readonly #collected: Removal[] = [];
  /** By entry, where the first one stands among all. */
  readonly #first: Map<string, number> = new Map();
  /** Of the policy (or, under OldestWins, the target) at hand. */
  #pending: Removal[] = [];

  /** Of those that act. */
  get isEmpty(): boolean {
    return this.#collected.length === 0;
  }

  add(removal: Removal): void {
    this.#pending.push(removal);
  }

  /** From now on those act that were added. */
  collect(): void {
    for (const removal of this.#pending) {
      if (!this.#first.has(removal.entry)) this.#first.set(removal.entry, this.#collected.length);
      this.#collected.push(removal);
    }
    if (this.#pending.length > 0) this.#pending = [];
  }

  /** All but those that this policy added. */
  discard(policy: Policy): void {
    this.#collected.length = 0;
    this.#first.clear();
    this.#pending = this.#pending.filter((removal) => removal.policy === policy);
  }

  /** The first that names the unit. */
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

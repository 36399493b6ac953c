/** The entries of `remove`, each with what becomes of it (docs/semantics.md §4). */
import type { RemovalOutcome } from "../../src/core/merge/provenance.ts";
import type { MergeStrategy } from "../../src/core/model/definition.ts";
import type { BlockName } from "../../src/core/model/policy.ts";
import { relation, type Setting } from "./fold-state.ts";
import { compareText, unique } from "./json-value.ts";
import type { OraclePolicy } from "./read-policy.ts";
import type { OracleUnit } from "./spec-units.ts";

export interface Removal {
  readonly name: string;
  readonly policy: OraclePolicy;
  readonly block: BlockName;
  readonly isGated: boolean;
  /** The defaults that it keeps out, and that would be in the result otherwise. */
  keepsOut: Setting[];
  /** The policies whose overrides set what it names (the unit), or discard it. */
  readonly overriddenBy: { readonly policy: OraclePolicy; readonly unit?: OracleUnit }[];
}

/** An entry of `remove` is a rule's name (in every rule map), or the dotted path of a unit or of a map that contains units. */
export function isNamedBy({ path, ruleName }: OracleUnit, name: string): boolean {
  return ruleName === name || path.some((_, i) => path.slice(0, i + 1).join(".") === name);
}

/** Settings of an override that set what the entry names, or what it keeps out. An empty map sets nothing, unless it is a rule. */
export function overrideRemoval(removal: Removal, settings: readonly Setting[], { granularity }: MergeStrategy): void {
  const isRule = ({ unit }: Setting) => granularity === "Merge" && unit.ruleName !== undefined;
  const setting = settings.filter((one) => isRule(one) || !one.unit.isEmptyMap);
  const override = (by: Setting, unit: OracleUnit) => {
    if (by.policy !== null) removal.overriddenBy.push({ policy: by.policy, unit });
  };
  for (const one of setting) if (isNamedBy(one.unit, removal.name)) override(one, one.unit);
  for (const kept of removal.keepsOut) {
    const by = setting.find(
      (one) => relation(one.unit, kept.unit) !== "apart" || (isRule(one) && one.unit.rule === kept.unit.rule),
    );
    if (by === undefined) continue;
    removal.keepsOut = removal.keepsOut.filter((one) => one !== kept);
    override(by, kept.unit);
  }
}

/** What became of each entry. A policy at several levels, and several folds of a path, have an entry once. */
export function removalOutcomes(
  folds: readonly { readonly removals: readonly Removal[]; readonly counts: (unit: OracleUnit) => boolean }[],
): readonly RemovalOutcome[] {
  const outcomes = folds.flatMap(({ removals, counts }) => removals.map((removal) => outcomeOf(removal, counts)));
  const isSame = (a: RemovalOutcome, b: RemovalOutcome) =>
    a.policy === b.policy && a.block === b.block && a.entry === b.entry;
  return outcomes
    .filter((one, i) => outcomes.findIndex((other) => isSame(one, other)) === i)
    .map((one) => {
      const same = outcomes.filter((other) => isSame(one, other));
      const state = (["inEffect", "overridden", "neutral"] as const).find((word) =>
        same.some((other) => other.state === word),
      );
      const best = same.filter((other) => other.state === (state ?? "gated"));
      return {
        ...one,
        state: state ?? "gated",
        removes: unique(best.flatMap(({ removes }) => removes)).sort(compareText),
        by: unique(best.flatMap(({ by }) => by)),
      };
    });
}

function outcomeOf(
  { name: entry, policy, block, isGated, keepsOut, overriddenBy }: Removal,
  counts: (unit: OracleUnit) => boolean,
): RemovalOutcome {
  const kept = keepsOut.filter(({ unit }) => counts(unit)).map(({ unit }) => unit.pointer);
  const by = overriddenBy
    .filter(({ unit, policy: winner }) => winner !== policy && (unit === undefined || counts(unit)))
    .map((one) => one.policy.id);
  const common = { policy: policy.id, block, entry };
  if (isGated) return { ...common, state: "gated", removes: [], by: [] };
  if (kept.length > 0) return { ...common, state: "inEffect", removes: kept, by: [] };
  return { ...common, state: by.length > 0 ? "overridden" : "neutral", removes: [], by };
}

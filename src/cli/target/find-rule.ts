import type { Policy, Unit } from "../../core/model/policy.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";

export type RuleSearch =
  | { readonly ok: true; readonly wants: (unit: Unit) => boolean }
  | { readonly ok: false; readonly message: string; readonly hints: readonly string[] };

const SHOWN = 20;

/** Finds what `--rule` names: a rule by name (`per-client`), a value by path (`retry.attempts`, `/retry/attempts`), or all values below a path (`retry`). */
export function findRule(policy: Policy | undefined, word: string | undefined): RuleSearch {
  if (word === undefined || policy === undefined) return { ok: true, wants: () => true };
  const wants = (unit: Unit): boolean => isNamed(unit, word);
  const units = policy.blocks.flatMap((block) => block.units);
  if (units.some(wants)) return { ok: true, wants };
  const names = ruleWords(policy);
  const near = didYouMean(
    word,
    units.flatMap(({ ruleName, path }) => [...(ruleName === undefined ? [] : [ruleName]), path.join(".")]),
  );
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  const hints = names.length === 0 ? ["It sets no values."] : [`It has: ${names.slice(0, SHOWN).join(", ")}${more}`];
  return { ok: false, message: `the policy has no rule '${word}'${near}`, hints };
}

/** The names of all rules. For kinds without named rules: the paths of all values. */
export function ruleWords({ blocks }: Policy): readonly string[] {
  const words = blocks.flatMap(({ units }) => units.map(({ ruleName, path }) => ruleName ?? path.join(".")));
  return [...new Set(words)];
}

function isNamed({ ruleName, pointer, path }: Unit, word: string): boolean {
  const dotted = path.join(".");
  return (
    ruleName === word ||
    dotted === word ||
    dotted.startsWith(`${word}.`) ||
    pointer === word ||
    pointer.startsWith(`${word}/`)
  );
}

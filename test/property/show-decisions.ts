/** What engine and oracle decided, in one form that does not depend on the order in which losers are listed. */

import type { EffectivePolicy, Lost, Source } from "../../src/core/effective/fold/effective-policy.ts";
import type { Affected } from "../../src/core/effective/verdicts/affected.ts";
import type { Tally, Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import { canonicalJson, type Json } from "../../src/core/model/json.ts";

const showPath = ({ policyKind, path, from, incomplete }: EffectivePolicy): string => {
  const nodes = path.map(
    ({ kind, namespace, name, sectionName }) =>
      `${kind}/${namespace}/${name}${sectionName === undefined ? "" : `#${sectionName}`}`,
  );
  return `${policyKind.kind}: ${nodes.join(" > ")}${from === undefined ? "" : ` from ${from}`}${incomplete ? " incomplete" : ""}`;
};

const showLost = ({ policy, block, value, reason, by }: Lost): string =>
  `${policy ?? "object"} ${block ?? ""} ${canonicalJson(value)} ${reason}${reason === "equal" ? "" : ` by ${[...by].sort().join(" ")}`}`;

const showSource = ({ policy, block, object, computed, decidedBy, lost }: Source): Json => ({
  holder: `${policy ?? object ?? "nobody"} ${block ?? ""}${computed ? " computed" : ""}`,
  decidedBy: `${decidedBy.policy} ${decidedBy.block} ${decidedBy.strategy}`,
  lost: lost.map(showLost).sort(),
});

const showSources = (sources: readonly Source[]): Json =>
  Object.fromEntries(sources.map((source) => [source.pointer, showSource(source)]));

/** By path. Two equal paths would hide each other, so the second one is named as such. */
export function showEffective(policies: Iterable<EffectivePolicy>): Readonly<Record<string, Json>> {
  const shown: { [path: string]: Json } = {};
  for (const one of policies) {
    const path = showPath(one);
    shown[Object.hasOwn(shown, path) ? `${path} again` : path] = {
      target: one.target,
      spec: one.spec,
      sources: showSources(one.sources),
      fields: (one.fields ?? [])
        .map(({ object, pointer, spec, sources }) => ({
          place: `${object}${pointer}`,
          spec,
          sources: showSources(sources),
        }))
        .sort((a, b) => (a.place < b.place ? -1 : 1)),
    };
  }
  return shown;
}

export function showVerdict(verdict: Verdict): Json {
  if (verdict.state === "NotAccepted") return { state: verdict.reason, by: [...verdict.by].sort() };
  return {
    state: verdict.enforcement,
    total: showTally(verdict.total),
    ancestors: Object.fromEntries(
      verdict.ancestors.map(({ ancestor, enforcement, tally }) => [ancestor, { enforcement, ...showTally(tally) }]),
    ),
  };
}

const showTally = ({ overriddenBy, overriddenAt, ...counters }: Tally): { readonly [key: string]: Json } => ({
  ...counters,
  overriddenBy: overriddenBy.map(({ policy, paths }) => `${policy} on ${paths}`),
  overriddenAt: overriddenAt.map(({ target, paths }) => `${target} on ${paths}`),
});

export type AffectedPolicies = Readonly<Record<string, readonly string[]>>;

export function showAffected(affected: readonly Affected[]): AffectedPolicies {
  const byTarget: { [target: string]: string[] } = {};
  for (const { target, policies } of affected) byTarget[target] = [...(byTarget[target] ?? []), ...policies].sort();
  return byTarget;
}

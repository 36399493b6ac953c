/** Results of engine and oracle in a form that does not depend on the order of lost settings. */

import type { EffectivePolicy } from "../../src/core/effective/fold/effective-policy.ts";
import type { Affected } from "../../src/core/effective/verdicts/affected-targets.ts";
import type { Tally, Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import type { Lost, RemovalOutcome, Source } from "../../src/core/merge/provenance.ts";
import { canonicalJson, type Json } from "../../src/core/model/json.ts";
import type { Condition, PolicyStatus } from "../../src/core/status/status-report.ts";

const formatPath = ({ policyKind, path, from, incomplete }: EffectivePolicy): string => {
  const nodes = path.map(
    ({ kind, namespace, name, sectionName }) =>
      `${kind}/${namespace}/${name}${sectionName === undefined ? "" : `#${sectionName}`}`,
  );
  return `${policyKind.kind}: ${nodes.join(" > ")}${from === undefined ? "" : ` from ${from}`}${incomplete ? " incomplete" : ""}`;
};

const formatLost = ({ policy, block, value, reason, by }: Lost): string =>
  `${policy ?? "object"} ${block ?? ""} ${canonicalJson(value)} ${reason}${reason === "equal" ? "" : ` by ${[...by].sort().join(" ")}`}`;

const formatRemoval = ({ policy, block, entry, state, removes, by }: RemovalOutcome): string =>
  `${policy} ${block} ${entry} ${state}: ${removes.join(" ")} by ${[...by].sort().join(" ")}`;

const normalizeSource = ({ policy, block, object, computed, decidedBy, lost }: Source): Json => ({
  source: `${policy ?? object ?? "nobody"} ${block ?? ""}${computed ? " computed" : ""}`,
  decidedBy: `${decidedBy.policy} ${decidedBy.block} ${decidedBy.strategy}`,
  lost: lost.map(formatLost).sort(),
});

const normalizeSources = (sources: readonly Source[]): Json =>
  Object.fromEntries(sources.map((source) => [source.pointer, normalizeSource(source)]));

/** Effective policies by path. A second policy of the same path gets a key of its own, so that it is not hidden. */
export function normalizeEffective(policies: Iterable<EffectivePolicy>): Readonly<Record<string, Json>> {
  const shown: { [path: string]: Json } = {};
  for (const one of policies) {
    const path = formatPath(one);
    shown[Object.hasOwn(shown, path) ? `${path} again` : path] = {
      target: one.target,
      spec: one.spec,
      sources: normalizeSources(one.sources),
      order: (one.order ?? []).map(({ policy, group }) => `${policy} ${group ?? ""}`),
      removals: (one.removals ?? []).map(formatRemoval).sort(),
      fields: (one.fields ?? [])
        .map(({ object, pointer, spec, sources }) => ({
          location: `${object}${pointer}`,
          spec,
          sources: normalizeSources(sources),
        }))
        .sort((a, b) => (a.location < b.location ? -1 : 1)),
    };
  }
  return shown;
}

/** The oracle knows the input only: a target or a path that may be elsewhere counts as absent. */
export function normalizeVerdict(verdict: Verdict): Json {
  if (verdict.state === "Unknown" && verdict.reason === "Undefined")
    return { state: "Conflicted", by: [...verdict.by].sort() };
  if (verdict.state === "Unknown") return { state: "TargetNotFound", by: [] };
  if (verdict.state === "NotAccepted") return { state: verdict.reason, by: [...verdict.by].sort() };
  return {
    state: verdict.total.paths === 0 ? "NoPath" : verdict.enforcement,
    total: normalizeTally(verdict.total),
    ancestors: Object.fromEntries(
      verdict.ancestors.map(({ ancestor, enforcement, tally }) => [
        ancestor,
        { enforcement, ...normalizeTally(tally) },
      ]),
    ),
  };
}

const normalizeTally = ({ overriddenBy, overriddenAt, ...counters }: Tally): { readonly [key: string]: Json } => ({
  ...counters,
  overriddenBy: overriddenBy.map(({ policy, paths }) => `${policy} on ${paths}`),
  overriddenAt: overriddenAt.map(({ target, paths }) => `${target} on ${paths}`),
});

/** The conditions of a policy by ancestor, in the oracle's words. No ancestor: conditions of the policy as a whole. */
export function normalizeStatus({ ancestors, conditions }: PolicyStatus): Readonly<Record<string, readonly string[]>> {
  if (conditions !== undefined) return conditions.length === 0 ? {} : { "": conditions.map(formatCondition) };
  return Object.fromEntries(
    ancestors.map(({ ancestorRef: { group, kind, namespace = "", name, sectionName }, conditions: own }) => [
      `${group}/${kind}/${namespace}/${name}${sectionName === undefined ? "" : `#${sectionName}`}`,
      own.map(formatCondition),
    ]),
  );
}

/** The oracle knows the input only: a target or a path that may be elsewhere counts as absent. */
function formatCondition({ type, status, reason, message }: Condition): string {
  if (type === "Accepted" && reason === "Incomplete") return "Accepted=False/TargetNotFound";
  if (status === "Unknown" && message.startsWith("no path below")) return `${type}=False/NoPath`;
  return type === "ResolvedRefs" ? `${type}=${status}` : `${type}=${status}/${reason}`;
}

export type AffectedPolicies = Readonly<Record<string, readonly string[]>>;

export function normalizeAffected(affected: readonly Affected[]): AffectedPolicies {
  const byTarget: { [target: string]: string[] } = {};
  const add = (key: string, policies: readonly string[]): void => {
    if (policies.length > 0) byTarget[key] = [...(byTarget[key] ?? []), ...policies].sort();
  };
  for (const { target, policies, possibly } of affected) {
    add(target, policies);
    add(`${target} possibly`, possibly);
  }
  return byTarget;
}

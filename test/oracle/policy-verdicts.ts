/** The verdict of each policy, from the outcomes of its units on all its paths (docs/semantics.md §7). */
import type { Enforcement, Tally, Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { ObjectId, PolicyId, TargetId } from "../../src/core/model/refs.ts";
import type { Attached } from "./attached.ts";
import type { ClusterObject } from "./cluster-objects.ts";
import type { Outcome } from "./fold-outcomes.ts";
import { compareText, unique } from "./json-value.ts";
import { judgeReferences } from "./policy-references.ts";
import type { OraclePolicy } from "./read-policy.ts";
import { selectsWorkloads } from "./resolve-targets.ts";
import { conflictsAmong } from "./same-target.ts";
import type { StackedPath } from "./stack-paths.ts";
import type { TargetNode } from "./target-node.ts";

/** A path with the outcome of each unit of its policies. */
export interface FoldedPath extends StackedPath {
  readonly outcomes: readonly Outcome[];
}

export function verdictOf(
  policy: OraclePolicy,
  attached: readonly Attached[],
  paths: readonly FoldedPath[],
  definition: PolicyDefinition,
  objects: readonly ClusterObject[],
): Verdict {
  const own = attached.filter((one) => one.policy === policy);
  const { absent } = definition.targeting;
  if (own.length === 0 && (policy.targets.length > 0 || (absent !== undefined && selectsWorkloads(policy, absent))))
    return { state: "NotAccepted", reason: "TargetNotFound", message: "", by: [] };
  const winners = own.map((one) => winnerAgainst(one, attached, definition));
  if (own.length > 0 && winners.every((winner) => winner !== undefined))
    return { state: "NotAccepted", reason: "Conflicted", message: "", by: unique(winners).sort(compareText) };
  const { reason, isUndecided } = judgeReferences(policy, objects, definition);
  if (reason !== undefined) return { state: "NotAccepted", reason, message: "", by: [] };
  const involved = paths.filter(({ levels }) => levels.flat().some((entry) => entry.policy === policy));
  const ancestors = unique(involved.map((path) => ancestorOf(path, policy))).sort(compareText);
  const enforcement = (some: readonly FoldedPath[]): Enforcement => enforcementOn(some, policy, isUndecided);
  return {
    state: "Accepted",
    enforcement: involved.length === 0 ? "NoPath" : enforcement(involved),
    total: tallyOf(involved, policy),
    ancestors: ancestors.map((ancestor) => {
      const through = involved.filter((path) => ancestorOf(path, policy) === ancestor);
      return { ancestor, enforcement: enforcement(through), tally: tallyOf(through, policy) };
    }),
  };
}

/** The policy that this one conflicts with on a target, if it is not accepted there. */
export function winnerAgainst(
  { policy, target, consumer, isNamed, isMeshWide }: Attached,
  attached: readonly Attached[],
  definition: PolicyDefinition,
): PolicyId | undefined {
  const rivals = attached.filter(
    (other) =>
      other.target.id === target.id &&
      other.isNamed === isNamed &&
      other.isMeshWide === isMeshWide &&
      (other.consumer === undefined || other.consumer === consumer),
  );
  return conflictsAmong(
    rivals.map((rival) => rival.policy),
    definition,
  ).get(policy);
}

/** The ancestor of a path: its Gateway (mesh: the parent Service); for a policy on a GatewayClass or Namespace that target. */
export function ancestorOf({ nodes, entries }: FoldedPath, policy: OraclePolicy): ObjectId {
  const own = entries.filter((entry) => entry.policy === policy);
  const isCluster = ({ object }: TargetNode): boolean => object.ref.namespace === "";
  const clusterTarget = nodes.find((node) => isCluster(node) && own.some(({ target }) => target.id === node.id));
  const ancestor = clusterTarget ?? nodes.find((node) => !isCluster(node)) ?? nodes.at(-1);
  if (ancestor === undefined) throw new Error("a path without nodes");
  return ancestor.object.id;
}

type PathOutcome = "full" | "partial" | "none" | "met" | "idle";

/**
 * Whether all, some or none of the policy's units take effect. `met`: all its units are gated. `idle`: it sets nothing, and there is
 * nothing to remove. Units lost to the policy itself do not count.
 */
function pathOutcome({ outcomes }: FoldedPath, policy: OraclePolicy): PathOutcome {
  const own = outcomes.filter((outcome) => outcome.policy === policy.id);
  const inEffect = own.filter(({ state }) => state === "inEffect");
  if (own.filter(isOverridden).length > 0) return inEffect.length === 0 ? "none" : "partial";
  if (inEffect.length > 0) return "full";
  return own.some(({ state }) => state === "gated") ? "met" : "idle";
}

/** A policy does not override itself: a unit that another block of the same policy overrides is not counted. */
const isOverridden = ({ policy, state, by }: Outcome): boolean =>
  state === "lost" && (by.length === 0 || by.some((winner) => winner !== policy));

const winnersOn = ({ outcomes }: FoldedPath, { id }: OraclePolicy): readonly PolicyId[] =>
  unique(outcomes.filter((outcome) => outcome.policy === id && isOverridden(outcome)).flatMap(({ by }) => by)).filter(
    (winner) => winner !== id,
  );

/** `isUndecided`: whether the references of the policy are valid is not known. */
export function enforcementOn(all: readonly FoldedPath[], policy: OraclePolicy, isUndecided: boolean): Enforcement {
  const known = knownEnforcement(all, policy);
  return isUndecided && known !== "Overridden" ? "Incomplete" : known;
}

function knownEnforcement(all: readonly FoldedPath[], policy: OraclePolicy): Enforcement {
  const paths = all.filter(({ incomplete }) => !incomplete);
  if (paths.length === 0) return "Incomplete";
  // A path on which all units are gated, or on which there are none, does not count.
  const onEach = paths.map((path) => pathOutcome(path, policy));
  const pathOutcomes = onEach.filter((outcome) => outcome !== "met" && outcome !== "idle");
  if (pathOutcomes.every((outcome) => outcome === "full")) return "Enforced";
  return pathOutcomes.every((outcome) => outcome === "none") ? "Overridden" : "PartiallyEnforced";
}

/** A verdict lists the first ten policies and targets in sorted order, with counts of all. */
const listed = 10;

/** An incomplete path is counted, and not judged. */
function tallyOf(all: readonly FoldedPath[], policy: OraclePolicy): Tally {
  const paths = all.filter(({ incomplete }) => !incomplete);
  const count = (outcome: PathOutcome): number => paths.filter((path) => pathOutcome(path, policy) === outcome).length;
  const winners = paths.map((path) => winnersOn(path, policy));
  const names = unique(winners.flat()).sort(compareText);
  const lostAt = paths
    .filter((path) => pathOutcome(path, policy) === "partial" || pathOutcome(path, policy) === "none")
    .map(({ nodes }) => (nodes.at(-1) as TargetNode).id);
  const targets: readonly TargetId[] = unique(lostAt).sort(compareText);
  return {
    paths: all.length,
    incomplete: all.length - paths.length,
    full: count("full"),
    partial: count("partial"),
    none: count("none"),
    met: count("met"),
    idle: count("idle"),
    overriddenBy: names
      .slice(0, listed)
      .map((name) => ({ policy: name, paths: winners.filter((on) => on.includes(name)).length })),
    overriddenByTotal: names.length,
    overriddenAt: targets
      .slice(0, listed)
      .map((target) => ({ target, paths: lostAt.filter((id) => id === target).length })),
    overriddenAtTotal: targets.length,
  };
}

/** What became of each policy (semantics §7): its units, over all its paths. */
import type { Enforcement, Tally, Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { ObjectId, PolicyId, TargetId } from "../../src/core/model/refs.ts";
import type { Outcome } from "./describe-fold.ts";
import { compareText, unique } from "./json-value.ts";
import { byPrecedence, type OraclePolicy } from "./read-policy.ts";
import type { Attached } from "./resolve-targets.ts";
import type { StackedPath } from "./stack-paths.ts";
import type { TargetNode } from "./target-node.ts";

/** A path, and how each unit of its policies fared. */
export interface FoldedPath extends StackedPath {
  readonly outcomes: readonly Outcome[];
}

export function judgePolicy(
  policy: OraclePolicy,
  attached: readonly Attached[],
  paths: readonly FoldedPath[],
  definition: PolicyDefinition,
): Verdict {
  const own = attached.filter((one) => one.policy === policy);
  if (own.length === 0) return { state: "NotAccepted", reason: "TargetNotFound", message: "", by: [] };
  const winners = own.map((one) => winnerAgainst(one, attached, definition));
  if (winners.every((winner) => winner !== undefined))
    return { state: "NotAccepted", reason: "Conflicted", message: "", by: unique(winners).sort(compareText) };
  const fared = paths.filter(({ levels }) => levels.flat().some((entry) => entry.policy === policy));
  const ancestors = unique(fared.map((path) => ancestorOf(path, policy))).sort(compareText);
  return {
    state: "Accepted",
    enforcement: fared.length === 0 ? "NoPath" : enforcementOn(fared, policy),
    total: tallyOf(fared, policy),
    ancestors: ancestors.map((ancestor) => {
      const through = fared.filter((path) => ancestorOf(path, policy) === ancestor);
      return { ancestor, enforcement: enforcementOn(through, policy), tally: tallyOf(through, policy) };
    }),
  };
}

/** None: "on one target the highest policy is taken, the others are not accepted there". */
function winnerAgainst(
  { policy, target, consumer }: Attached,
  attached: readonly Attached[],
  { merge }: PolicyDefinition,
): PolicyId | undefined {
  if (!merge.none) return undefined;
  const rivals = attached.filter(
    (other) => other.target.id === target.id && (other.consumer === undefined || other.consumer === consumer),
  );
  const [highest] = rivals.map((rival) => rival.policy).sort(byPrecedence);
  return highest === undefined || highest === policy ? undefined : highest.id;
}

/** "Each Gateway (mesh: parent Service) on its paths; for GatewayClass and Namespace targets that target." */
function ancestorOf({ nodes, standing }: FoldedPath, policy: OraclePolicy): ObjectId {
  const entries = standing.filter((entry) => entry.policy === policy);
  const isCluster = ({ object }: TargetNode): boolean => object.ref.namespace === "";
  const clusterTarget = nodes.find((node) => isCluster(node) && entries.some(({ target }) => target.id === node.id));
  const ancestor = clusterTarget ?? nodes.find((node) => !isCluster(node)) ?? nodes.at(-1);
  if (ancestor === undefined) throw new Error("a path has nodes");
  return ancestor.object.id;
}

type Fate = "full" | "partial" | "none" | "met";

/** "Of its units (not gated, not lost to itself)": all prevail, some do, none does; or there are only gated ones. */
function fateOn({ outcomes }: FoldedPath, policy: OraclePolicy): Fate {
  const own = outcomes.filter((outcome) => outcome.policy === policy.id);
  const inEffect = own.filter(({ fate }) => fate === "prevails");
  if (own.filter(isOverridden).length > 0) return inEffect.length === 0 ? "none" : "partial";
  return inEffect.length === 0 && own.some(({ fate }) => fate === "gated") ? "met" : "full";
}

/** "It never beats itself: a unit that loses to the same policy is not counted for or against it." */
const isOverridden = ({ policy, fate, by }: Outcome): boolean =>
  fate === "lost" && (by.length === 0 || by.some((winner) => winner !== policy));

const winnersOn = ({ outcomes }: FoldedPath, { id }: OraclePolicy): readonly PolicyId[] =>
  unique(outcomes.filter((outcome) => outcome.policy === id && isOverridden(outcome)).flatMap(({ by }) => by)).filter(
    (winner) => winner !== id,
  );

function enforcementOn(paths: readonly FoldedPath[], policy: OraclePolicy): Enforcement {
  // "A block whose `when` is false has no units there": such a path has no say.
  const fates = paths.map((path) => fateOn(path, policy)).filter((fate) => fate !== "met");
  if (fates.every((fate) => fate === "full")) return "Enforced";
  return fates.every((fate) => fate === "none") ? "Overridden" : "PartiallyEnforced";
}

/** "A verdict holds counters and the first ten places in defined order." */
const shown = 10;

function tallyOf(paths: readonly FoldedPath[], policy: OraclePolicy): Tally {
  const count = (fate: Fate): number => paths.filter((path) => fateOn(path, policy) === fate).length;
  const winners = paths.map((path) => winnersOn(path, policy));
  const names = unique(winners.flat()).sort(compareText);
  const lostAt = paths
    .filter((path) => fateOn(path, policy) === "partial" || fateOn(path, policy) === "none")
    .map(({ nodes }) => (nodes.at(-1) as TargetNode).id);
  const places: readonly TargetId[] = unique(lostAt).sort(compareText);
  return {
    paths: paths.length,
    full: count("full"),
    partial: count("partial"),
    none: count("none"),
    met: count("met"),
    overriddenBy: names
      .slice(0, shown)
      .map((name) => ({ policy: name, paths: winners.filter((on) => on.includes(name)).length })),
    overriddenByTotal: names.length,
    overriddenAt: places
      .slice(0, shown)
      .map((target) => ({ target, paths: lostAt.filter((place) => place === target).length })),
    overriddenAtTotal: places.length,
  };
}

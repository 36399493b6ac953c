/** CoverageRules that a change breaks. */
import type { Touched } from "../../effective/update/delta.ts";
import type { WithPolicies } from "../../effective/world/world.ts";
import type { EvaluateCondition } from "../../model/cel.ts";
import { formatRef, kindId, type ObjectId } from "../../model/refs.ts";
import { COVERAGE_RULE, isOnPath } from "./check-coverage.ts";
import { coverageOf, type UncoveredTarget } from "./coverage-of.ts";
import type { CoverageRule } from "./coverage-rule.ts";
import { parseCoverageRule } from "./parse-coverage-rule.ts";

/** A rule, and the targets that meet it on fewer paths than before the change. */
export interface BrokenCoverage {
  readonly rule: CoverageRule;
  readonly targets: readonly UncoveredTarget[];
  /** True if not every target was looked at, so that there may be more. */
  readonly isPart?: boolean;
}

export interface CoverageComparison {
  readonly before: WithPolicies;
  readonly after: WithPolicies;
  /** Undefined: everything may differ. */
  readonly touched: Pick<Touched, "scopeOf"> | undefined;
  readonly cel: EvaluateCondition;
}

/** The rules of the world after the change, in order of their names. A rule that is itself changed by it does not count. */
export function brokenCoverage(worlds: CoverageComparison, changed: ObjectId): readonly BrokenCoverage[] {
  const { after } = worlds;
  return after.objects
    .ofKind(COVERAGE_RULE)
    .filter(({ id }) => id !== changed)
    .flatMap((object) => {
      const { rule } = parseCoverageRule(object, after.rulebook);
      const targets = rule === undefined ? [] : worseTargets(worlds, rule);
      return rule === undefined || targets.length === 0 ? [] : [{ rule, targets }];
    });
}

/** The targets of one rule that meet it on fewer paths. */
export function worseTargets(
  { before, after, touched, cel }: CoverageComparison,
  rule: CoverageRule,
): readonly UncoveredTarget[] {
  const kind = after.rulebook.byPolicyKind.get(kindId(rule.policyKind));
  if (kind === undefined || !rule.levels.every((level) => isOnPath(level, kind))) return [];
  const scope = touched?.scopeOf(kind);
  if (scope?.touched.size === 0) return [];
  const { uncovered } = coverageOf(after, rule, kind, cel, scope);
  if (uncovered.length === 0) return [];
  return worse(uncovered, coverageOf(before, rule, kind, cel, scope).uncovered);
}

/** The targets that are uncovered on more paths than before. */
export function worse(
  after: readonly UncoveredTarget[],
  before: readonly UncoveredTarget[],
): readonly UncoveredTarget[] {
  const earlier = new Map(before.map((target) => [nameOf(target), target.paths]));
  return after.filter((target) => target.paths > (earlier.get(nameOf(target)) ?? 0));
}

const nameOf = ({ node }: UncoveredTarget): string => formatRef(node, node.sectionName);

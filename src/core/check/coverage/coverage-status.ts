/** The status of CoverageRules, as a controller writes it: plain data without times. */
import type { World } from "../../effective/world/world.ts";
import type { EvaluateCondition } from "../../model/cel.ts";
import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, type GroupKind, kindId } from "../../model/refs.ts";
import { condition } from "../../status/conditions.ts";
import type { Condition, TargetStatus } from "../../status/status-report.ts";
import { listNames } from "../list-names.ts";
import { COVERAGE_RULE, isOnPath } from "./check-coverage.ts";
import { type Coverage, coverageOf } from "./coverage-of.ts";
import { parseCoverageRule } from "./parse-coverage-rule.ts";

const SHOWN = 5;

/**
 * The status of each CoverageRule, in the order of their names, one step each: `Accepted`, and `Covered` if the rule is accepted. The fields `targets`,
 * `uncovered` and `unknown` are the numbers of its targets, of those that do not meet it, and of those on which it cannot be checked. A rule about a
 * policy kind that is held is left out: its status is not known now.
 */
export function* coverageStatuses(
  world: World,
  cel: EvaluateCondition,
  isHeld: (policyKind: GroupKind) => boolean = () => false,
): Generator<TargetStatus> {
  for (const object of world.objects.ofKind(COVERAGE_RULE)) {
    const parsed = parseCoverageRule(object, world.rulebook);
    if (parsed.rule === undefined || !isHeld(parsed.rule.policyKind)) yield coverageStatus(world, object, parsed, cel);
  }
}

function coverageStatus(
  world: World,
  object: KubeObject,
  { rule, findings }: ReturnType<typeof parseCoverageRule>,
  cel: EvaluateCondition,
): TargetStatus {
  const kind = rule === undefined ? undefined : world.rulebook.byPolicyKind.get(kindId(rule.policyKind));
  const refused = (message: string): TargetStatus => statusOf(object, [invalid(object, message)], NO_COUNTS);
  if (rule === undefined || kind === undefined) return refused(findings.map(({ message }) => message).join("; "));
  const offPath = rule.levels.find((level) => !isOnPath(level, kind));
  if (offPath !== undefined) return refused(`${offPath.kind} is on no path of ${kind.policyKind.kind}`);
  const coverage = coverageOf(world, rule, kind, cel);
  const [error] = coverage.errors;
  if (error !== undefined) return refused(`the condition cannot be evaluated: ${error}`);
  const { targets, uncovered, unjudged } = coverage;
  const counts = { targets, uncovered: uncovered.length, unknown: unjudged.length };
  return statusOf(object, [accepted(object), covered(object, coverage)], counts);
}

const NO_COUNTS = { targets: 0, uncovered: 0, unknown: 0 };

const statusOf = (object: KubeObject, conditions: readonly Condition[], fields: JsonObject): TargetStatus => ({
  object: object.id,
  location: { at: "Conditions" },
  conditions,
  fields,
});

const accepted = (object: KubeObject): Condition =>
  condition(object, { type: "Accepted", status: "True", reason: "Accepted", message: "the rule is used" });

const invalid = (object: KubeObject, message: string): Condition =>
  condition(object, { type: "Accepted", status: "False", reason: "Invalid", message });

/** `Unknown` only where nothing is known to be uncovered. */
function covered(object: KubeObject, { targets, uncovered, unjudged, absent }: Coverage): Condition {
  const list = (names: readonly string[]): string => listNames(names.slice(0, SHOWN), names.length);
  if (uncovered.length > 0) {
    const names = uncovered.map(({ node }) => formatRef(node, node.sectionName));
    const message = `${uncovered.length} of ${targets} targets do not meet the rule: ${list(names)}`;
    return condition(object, { type: "Covered", status: "False", reason: "NotCovered", message });
  }
  if (unjudged.length > 0) {
    const message = `the rule cannot be checked at ${list(unjudged)}: ${list(absent)} could not be read or does not exist`;
    return condition(object, { type: "Covered", status: "Unknown", reason: "Incomplete", message });
  }
  const message = targets === 0 ? "the rule has no targets" : `all ${targets} targets meet the rule`;
  return condition(object, {
    type: "Covered",
    status: "True",
    reason: targets === 0 ? "NoTargets" : "Covered",
    message,
  });
}

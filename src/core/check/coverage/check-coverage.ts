/** Findings about CoverageRules: a rule has a condition that the effective policy of each of its targets must meet. */

import { fieldOfPointer } from "../../effective/fold/field-of-pointer.ts";
import { formatPath } from "../../effective/paths/format-path.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import type { EvaluateCondition } from "../../model/cel.ts";
import type { LevelKind } from "../../model/definition.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatLevel, isAbove, sameLevel } from "../../model/levels.ts";
import { formatRef, type KindId, kindId, objectId, type PolicyId, parseObjectId } from "../../model/refs.ts";
import { clipText } from "../../model/words/clip-text.ts";
import { suggestName } from "../../model/words/near-miss.ts";
import { type CheckFinding, findingAt, type RelatedField } from "../check-finding.ts";
import { listNames, listPolicies } from "../list-names.ts";
import { type Coverage, coverageOf, type UncoveredTarget } from "./coverage-of.ts";
import type { CoverageRule } from "./coverage-rule.ts";
import { parseCoverageRule } from "./parse-coverage-rule.ts";

export const COVERAGE_RULE: KindId = kindId({ group: "prevail.dev", kind: "CoverageRule" });

export function checkCoverage(world: World, cel: EvaluateCondition): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  world.objects.ofKind(COVERAGE_RULE).forEach((object) => {
    const { rule, findings: own } = parseCoverageRule(object, world.rulebook);
    findings.push(...own);
    const kind = rule === undefined ? undefined : world.rulebook.byPolicyKind.get(kindId(rule.policyKind));
    if (rule !== undefined && kind !== undefined) findings.push(...checkRule(world, rule, kind, cel));
  });
  return findings;
}

function checkRule(
  world: World,
  rule: CoverageRule,
  kind: CompiledKind,
  cel: EvaluateCondition,
): readonly CheckFinding[] {
  const offPath = rule.levels.flatMap((level, index) =>
    isOnPath(level, kind) ? [] : [unreachable(rule, level, index, kind)],
  );
  if (offPath.length > 0) return offPath;
  const coverage = coverageOf(world, rule, kind, cel);
  return [
    ...coverage.uncovered.map((target) => notCovered(world, rule, target, coverage)),
    ...coverage.errors.map((message) => failed(rule, message)),
    ...(coverage.targets === 0 ? [matchesNothing(world, rule)] : []),
    ...(coverage.unjudged.length > 0 ? [incomplete(rule, coverage)] : []),
  ];
}

/** True if paths of the kind lead through the level, or end there. */
export function isOnPath(level: LevelKind, { definition }: CompiledKind): boolean {
  const { effectiveTargets } = definition.hierarchy;
  if (effectiveTargets.some((end) => sameLevel(level, end))) return true;
  if (definition.class === "Direct")
    return effectiveTargets.some((end) => end.kind === level.kind && end.group === level.group);
  return effectiveTargets.some((end) => isAbove(level, end, definition.hierarchy));
}

function unreachable({ object }: CoverageRule, level: LevelKind, index: number, kind: CompiledKind): CheckFinding {
  const ends = kind.definition.hierarchy.effectiveTargets.map(formatLevel);
  const field = `spec.targets.levels[${index}]`;
  return findingAt(object, {
    code: "CoverageRuleInvalid",
    severity: "error",
    field,
    message: `${field} is ${formatLevel(level)}, which is on no path of ${kind.policyKind.kind}; its paths end at ${listNames(ends)}.`,
    fix: "Use a level on which policies of this kind take effect, or a higher level.",
  });
}

const nameOf = ({ object }: CoverageRule): string => formatRef(object.ref);

function notCovered(world: World, rule: CoverageRule, target: UncoveredTarget, { hasPaths }: Coverage): CheckFinding {
  const { object, field, path, from, paths, policies } = target;
  const kind = rule.policyKind.kind;
  const more = paths === 1 ? "" : ` and ${paths - 1} more ${paths === 2 ? "path" : "paths"}`;
  const where = hasPaths ? `, on ${formatPath(path, from)}${more}` : "";
  const demand = rule.message === "" ? `${nameOf(rule)} is not met` : rule.message.replace(/[.\s]+$/, "");
  const owner = world.objects.get(object);
  const behind = policiesBehind(target);
  const onto = hasPaths ? "the target or to one of its parents" : "the target";
  return findingAt(owner, {
    code: "NotCovered",
    rule: rule.object.id,
    severity: rule.severity,
    ...(owner === undefined || field === undefined ? {} : { field }),
    message: `${demand}: ${whyNot(target, kind)}${where}`,
    fix:
      policies.length === 0
        ? `Attach a ${kind} that meets ${nameOf(rule)} to ${onto}.`
        : `Change the policies that take effect here so that the result meets ${nameOf(rule)}.`,
    related: [
      conditionOf(rule),
      ...behind
        .slice(0, SHOWN)
        .map((policy): RelatedField => ({ object: policy, message: `${listPolicies([policy])} takes effect here` })),
    ],
  });
}

const SHOWN = 5;
const MAX_VALUE = 60;

/** The policies that set the values that the condition reads; if no value is set, all policies that take effect. */
function policiesBehind({ read, policies }: UncoveredTarget): readonly PolicyId[] {
  const readers = read.flatMap(({ policy }) => policy ?? []);
  return read.length === 0 ? policies : [...new Set(readers)];
}

function whyNot(target: UncoveredTarget, kind: string): string {
  const { node, policies, read, problem } = target;
  const shown = formatRef(node, node.sectionName);
  if (policies.length === 0 && read.length === 0) return `no ${kind} takes effect on ${shown}`;
  if (read.length > 0) {
    const values = read.slice(0, SHOWN).map(({ pointer, value, policy }) => {
      const by = policy === undefined ? "the object itself" : formatRef(parseObjectId(policy));
      return `${fieldOfPointer(pointer)} is ${clipText(JSON.stringify(value), MAX_VALUE)} by ${by}`;
    });
    return `at ${shown} ${listNames(values, read.length)}`;
  }
  const by = listPolicies(policies.slice(0, SHOWN), policies.length);
  const why = problem === undefined ? "" : ` (${clipText(problem)})`;
  return `the effective ${kind} of ${shown}, from ${by}, does not meet the condition${why}`;
}

const conditionOf = (rule: CoverageRule): RelatedField => ({
  object: rule.object.id,
  field: "spec.condition",
  message: `${nameOf(rule)} requires ${clipText(rule.condition, 200)}`,
});

const failed = (rule: CoverageRule, message: string): CheckFinding =>
  findingAt(rule.object, {
    code: "CoverageRuleError",
    severity: "error",
    field: "spec.condition",
    message: `the condition of ${nameOf(rule)} cannot be evaluated: ${clipText(message)}`,
    fix: "Correct the expression; test a field that may be missing with has(…).",
  });

function matchesNothing(world: World, rule: CoverageRule): CheckFinding {
  const absent = rule.under.filter(({ ref }) => !isThere(world, objectId(ref)) && ref.namespace !== "");
  const [first] = absent;
  const index = first === undefined ? 0 : rule.under.indexOf(first);
  const hint =
    first === undefined ? "" : suggestName(world.names, kindId(first.ref), first.ref.namespace, first.ref.name);
  const why = first === undefined ? "" : `; ${formatRef(first.ref)} does not exist${hint}`;
  return findingAt(rule.object, {
    code: "CoverageMatchesNothing",
    severity: "warning",
    field: first === undefined ? "spec.targets" : `spec.targets.under[${index}].name`,
    message: `${nameOf(rule)} has no targets${why}`,
    fix: "Correct spec.targets, or add the files of the targets. A rule without targets is always met.",
  });
}

const isThere = (world: World, id: KubeObject["id"]): boolean => world.objects.has(id);

function incomplete(rule: CoverageRule, { unjudged, absent }: Coverage): CheckFinding {
  const names = unjudged.slice(0, 5);
  return findingAt(rule.object, {
    code: "CoverageIncomplete",
    severity: "info",
    field: "spec.targets",
    message: `${nameOf(rule)} cannot be checked at ${listNames(names, unjudged.length)}: ${listNames(absent.slice(0, 5), absent.length)} ${absent.length === 1 ? "is" : "are"} not in the input`,
    fix: "Add the files of the absent objects with -f.",
  });
}

/** Finds the CoverageRules that a change breaks, without looking at every target of a rule that is broken: for changes that reach very many. */
import type { PathScope } from "../../effective/paths/path-scope.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { type KindId, kindId, type ObjectId, splitId } from "../../model/refs.ts";
import { COVERAGE_RULE, isOnPath } from "./check-coverage.ts";
import { type BrokenCoverage, type CoverageComparison, worse, worseTargets } from "./coverage-changes.ts";
import { coveragesOf } from "./coverage-of.ts";
import type { CoverageRule } from "./coverage-rule.ts";
import { parseCoverageRule } from "./parse-coverage-rule.ts";

/** The objects of the first part: a change that breaks a rule mostly does so at many of its targets. */
const FIRST = 100;

/**
 * Returns the rules that `brokenCoverage` returns, in that order. A rule has those targets that were looked at when the first of them was
 * found, so `isPart` may be true. Without `touched` every path may differ, and this is no faster.
 */
export function findBrokenCoverage(worlds: CoverageComparison, changed: ObjectId): readonly BrokenCoverage[] {
  const { after } = worlds;
  const rules = after.objects
    .ofKind(COVERAGE_RULE)
    .filter(({ id }) => id !== changed)
    .flatMap((object) => parseCoverageRule(object, after.rulebook).rule ?? []);
  const found = new Map<CoverageRule, BrokenCoverage>();
  for (const [level, alike] of rulesByLevel(worlds, rules)) findAmong(found, worlds, level, alike);
  for (const rule of rules) {
    if (localLevel(worlds, rule) !== undefined) continue;
    const targets = worseTargets(worlds, rule);
    if (targets.length > 0) found.set(rule, { rule, targets });
  }
  return rules.flatMap((rule) => found.get(rule) ?? []);
}

/** Rules about one policy kind, whose targets are objects of one kind or sections of them. */
interface LocalLevel {
  readonly kind: CompiledKind;
  readonly scope: PathScope;
  readonly target: KindId;
}

function rulesByLevel(
  worlds: CoverageComparison,
  rules: readonly CoverageRule[],
): Iterable<readonly [LocalLevel, readonly CoverageRule[]]> {
  const groups = new Map<string, [LocalLevel, CoverageRule[]]>();
  for (const rule of rules) {
    const level = localLevel(worlds, rule);
    if (level === undefined) continue;
    const key = `${level.kind.index} ${level.target}`;
    const group = groups.get(key) ?? [level, []];
    group[1].push(rule);
    groups.set(key, group);
  }
  return groups.values();
}

/**
 * Undefined: the targets cannot be judged apart from each other. They can be if a path has one object of their kind at most, as of routes: then all paths to a
 * target go through its object, and through no other one of the kind.
 */
function localLevel(
  { after, touched }: CoverageComparison,
  { levels, policyKind }: CoverageRule,
): LocalLevel | undefined {
  const { byPolicyKind, isParentByRef, isChildByRef } = after.rulebook;
  const kind = byPolicyKind.get(kindId(policyKind));
  const [target, ...others] = new Set(levels.map(kindId));
  if (touched === undefined || kind === undefined || target === undefined || others.length > 0) return undefined;
  if (kind.definition.class === "Direct" || isParentByRef(target) || isChildByRef(target)) return undefined;
  return levels.every((level) => isOnPath(level, kind)) ? { kind, scope: touched.scopeOf(kind), target } : undefined;
}

/** Adds the broken rules of a group. */
function findAmong(
  found: Map<CoverageRule, BrokenCoverage>,
  { before, after, cel }: CoverageComparison,
  { kind, scope, target }: LocalLevel,
  rules: readonly CoverageRule[],
): void {
  const targets = [...scope.touched].filter((id) => splitId(id).kind === target).sort();
  let open = rules;
  for (const { part, isPart } of partsOf(targets)) {
    if (open.length === 0) return;
    const coverages = coveragesOf(after, open, kind, cel, among(scope, target, part));
    const broken = new Set<CoverageRule>();
    coverages.forEach(({ uncovered }, index) => {
      const rule = open[index];
      if (rule === undefined || uncovered.length === 0) return;
      const objects = [...new Set(uncovered.map(({ object }) => object))];
      const [earlier] = coveragesOf(before, [rule], kind, cel, among(scope, target, objects));
      const lost = worse(uncovered, earlier?.uncovered ?? []);
      if (lost.length === 0) return;
      broken.add(rule);
      found.set(rule, { rule, targets: lost, ...(isPart ? { isPart } : {}) });
    });
    open = open.filter((rule) => !broken.has(rule));
  }
}

interface TargetPart {
  readonly part: readonly ObjectId[];
  /** True if others follow. */
  readonly isPart: boolean;
}

const partsOf = (targets: readonly ObjectId[]): readonly TargetPart[] =>
  targets.length <= FIRST
    ? [{ part: targets, isPart: false }]
    : [
        { part: targets.slice(0, FIRST), isPart: true },
        { part: targets.slice(FIRST), isPart: false },
      ];

/** The paths in the scope through these objects of a kind. */
function among({ dirty, touched }: PathScope, kind: KindId, objects: readonly ObjectId[]): PathScope {
  const kept = new Set(objects);
  return { dirty, touched: new Set([...touched].filter((id) => kept.has(id) || splitId(id).kind !== kind)) };
}

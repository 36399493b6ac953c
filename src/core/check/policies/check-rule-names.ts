/** Findings about named rules that replace each other because they have the same name, and about `remove` entries that remove nothing. */

import { fieldOfPointer } from "../../effective/fold/field-of-pointer.ts";
import type { World } from "../../effective/world/world.ts";
import { blockPointer } from "../../explain/value-pointer.ts";
import type { Loss, Setting } from "../../merge/fold-result.ts";
import type { Severity } from "../../model/finding.ts";
import { isJsonList, isJsonObject, ownValue } from "../../model/json.ts";
import { valueAtPointer } from "../../model/json-pointer.ts";
import type { Block, Policy, Unit } from "../../model/policy.ts";
import { formatRef, type PolicyId } from "../../model/refs.ts";
import { nearMiss } from "../../model/words/near-miss.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";
import type { DistinctFold } from "./distinct-folds.ts";
import { type PolicyEffect, removalKey } from "./policy-effects.ts";

interface Collision {
  readonly loser: Setting & { readonly policy: Policy; readonly block: Block };
  readonly winner: Policy;
  readonly reason: Loss["reason"];
  paths: number;
}

/** RFC 9 compares named rules by name alone, so two authors may pick the same name without intent. */
export function checkRuleNames(world: World, folds: readonly DistinctFold[]): readonly CheckFinding[] {
  const collisions = new Map<string, Collision>();
  for (const { paths, states } of folds) {
    for (const fold of states()) {
      for (const { losses } of fold) for (const loss of losses) noteCollision(collisions, loss, paths);
    }
  }
  return [...collisions.values()].map((collision) => collided(world, collision));
}

function noteCollision(collisions: Map<string, Collision>, { setting, reason, by }: Loss, paths: number): void {
  const { policy, block, unit } = setting;
  if (policy === undefined || block === undefined || unit.ruleName === undefined) return;
  if (reason !== "overridden" && reason !== "replaced") return;
  for (const winner of by) {
    const others = winner === policy ? [] : winner.blocks.filter((other) => declares(other, unit));
    // Under Atomic a whole block is replaced; the names of its rules do not matter.
    const acting = reason === "replaced" ? block : others.find(({ name }) => name === "overrides");
    if (others.length === 0 || acting?.granularity === "Atomic" || acting === undefined) continue;
    const key = `${policy.id}\n${block.name}${unit.rule}\n${winner.id}`;
    const known = collisions.get(key);
    if (known === undefined) collisions.set(key, { loser: { ...setting, policy, block }, winner, reason, paths });
    else known.paths += paths;
  }
}

const declares = (block: Block, { rule }: Unit): boolean => block.units.some((unit) => unit.rule === rule);

function collided(world: World, { loser, winner, reason, paths }: Collision): CheckFinding {
  const { policy, block, unit } = loser;
  const { object } = policy;
  const isSameTarget = shareTarget(world, policy.id, winner.id);
  const winning = winner.blocks.find((other) => declares(other, unit));
  const location = blockPointer(world, policy.id, block.name, unit.rule);
  const other = blockPointer(world, winner.id, winning?.name ?? null, unit.rule);
  const where = paths === 1 ? "on one path" : `on ${paths} paths`;
  const how = reason === "overridden" ? "overrides it" : "replaces this default";
  const target = isSameTarget ? ", and both are attached to the same target" : "";
  return findingAt(object, {
    code: "RuleNameCollision",
    severity: isSameTarget ? "warning" : "info",
    field: fieldOfPointer(location.pointer),
    message: `rule '${unit.ruleName}' of ${formatRef(object.ref)} has the same name as a rule of ${formatRef(winner.object.ref)}, which ${how} ${where}${target}`,
    fix: "Rename one of the two rules if both should take effect; rules of one name are never mixed.",
    related: [
      {
        object: winner.id,
        field: fieldOfPointer(other.pointer),
        message: `rule '${unit.ruleName}' of ${formatRef(winner.object.ref)}`,
      },
    ],
  });
}

function shareTarget(world: World, a: PolicyId, b: PolicyId): boolean {
  const keysOf = (id: PolicyId): readonly string[] =>
    (world.policies.get(id)?.targets.attachments ?? []).map(
      ({ object, sectionName }) => `${object}#${sectionName ?? ""}`,
    );
  const own = new Set(keysOf(a));
  return keysOf(b).some((key) => own.has(key));
}

/** For each policy, the policies that are on a path with it. */
export type Companions = ReadonlyMap<Policy, ReadonlySet<Policy>>;

export function companionsOf(folds: readonly DistinctFold[]): Companions {
  const companions = new Map<Policy, Set<Policy>>();
  for (const { effective } of folds) {
    for (const { policy } of effective.outcomes) {
      const met = companions.get(policy) ?? new Set();
      companions.set(policy, met);
      for (const { policy: other } of effective.outcomes) if (other !== policy) met.add(other);
    }
  }
  return companions;
}

/** Entries of `remove` that remove nothing on any path. `companions` is computed only if there are such entries. */
export function checkRemovals(
  world: World,
  { policy, removing, paths }: PolicyEffect,
  companions: () => Companions,
): readonly CheckFinding[] {
  const entries = policy.blocks.flatMap((block) => block.remove.map((entry, index) => ({ block, entry, index })));
  const idle = entries.filter(({ block, entry }) => !removing.has(removalKey(block.name, entry)));
  if (idle.length === 0) return [];
  const others = [...(companions().get(policy) ?? [])];
  // A policy on a parent that is not in the input may set the default.
  const severity: Severity = hasIncompletePath(world, policy.id) ? "info" : "warning";
  return idle.map(({ block, entry, index }) => {
    const where = paths === 1 ? "its only path" : `any of its ${paths} paths`;
    return findingAt(policy.object, {
      code: "RemovesNothing",
      severity,
      field: fieldOfPointer(removalPointer(world, policy, block, index)),
      message: `${formatRef(policy.object.ref)} removes '${entry}', but ${whyNothing(entry, others)} on ${where}${hint(entry, others)}`,
      fix: "Correct the name, or delete the entry.",
    });
  });
}

function hasIncompletePath(world: World, id: PolicyId): boolean {
  let isFound = false;
  world
    .countTallies()
    .get(id)
    ?.forEach((_, { incomplete }) => {
      isFound ||= incomplete > 0;
    });
  return isFound;
}

/** The entries of `remove` come first, then those of its other spelling, `unset`. */
function removalPointer(world: World, { id, object }: Policy, { name }: Block, index: number): string {
  const { pointer } = blockPointer(world, id, name, "");
  const block = valueAtPointer(object.raw, pointer);
  const list = isJsonObject(block) ? ownValue(block, "remove") : undefined;
  const length = isJsonList(list) ? list.length : 0;
  return index < length ? `${pointer}/remove/${index}` : `${pointer}/unset/${index - length}`;
}

function isNamed(entry: string, unit: Unit): boolean {
  const path = unit.path.join(".");
  return unit.ruleName === entry || path === entry || path.startsWith(`${entry}.`);
}

/** A default that another one replaces anyway is not removed. */
const whyNothing = (entry: string, others: readonly Policy[]): string =>
  others.some(({ blocks }) =>
    blocks.some(({ name, units }) => name !== "overrides" && units.some((u) => isNamed(entry, u))),
  )
    ? "the defaults that it names would not take effect"
    : "no higher policy sets it as a default";

function hint(entry: string, others: readonly Policy[]): string {
  const units = others.flatMap(({ blocks, object }) => blocks.map((block) => ({ block, object })));
  const override = units.find(({ block }) => block.name === "overrides" && block.units.some((u) => isNamed(entry, u)));
  if (override !== undefined)
    return `; ${formatRef(override.object.ref)} sets it as an override, which cannot be removed`;
  const defaults = units.filter(({ block }) => block.name !== "overrides").flatMap(({ block }) => block.units);
  const names = defaults.map((unit) => unit.ruleName ?? fieldOfPointer(unit.pointer));
  const near = nearMiss(entry, names);
  return near === undefined || near === entry ? "" : `; did you mean '${near}'?`;
}

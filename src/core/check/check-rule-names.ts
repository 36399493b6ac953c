/** Named rules that take each other's place because they have the same name, and removals that name nothing. */

import { fieldOfPointer } from "../effective/fold/field-of-pointer.ts";
import type { World } from "../effective/world/world.ts";
import { blockPointer, valueAt } from "../explain/value-pointer.ts";
import type { Candidate, Loss } from "../merge/fold-result.ts";
import { isJsonList, isJsonObject, ownValue } from "../model/json.ts";
import type { Block, Policy, Unit } from "../model/policy.ts";
import { displayRef, type PolicyId } from "../model/refs.ts";
import { nearMiss } from "../model/words/near-miss.ts";
import { type CheckFinding, findingAt } from "./check-finding.ts";
import type { PolicyFate } from "./policy-fates.ts";
import type { SurveyedFold } from "./survey-folds.ts";

interface Collision {
  readonly loser: Candidate & { readonly policy: Policy; readonly block: Block };
  readonly winner: Policy;
  readonly reason: Loss["reason"];
  paths: number;
}

/** GEP-713 and RFC 9 compare named rules by their names alone: whoever did not know of the other is surprised. */
export function checkRuleNames(world: World, folds: readonly SurveyedFold[]): readonly CheckFinding[] {
  const collisions = new Map<string, Collision>();
  for (const { paths, states } of folds) {
    for (const fold of states()) {
      for (const { losses } of fold) for (const loss of losses) noteCollision(collisions, loss, paths);
    }
  }
  return [...collisions.values()].map((collision) => collided(world, collision));
}

function noteCollision(collisions: Map<string, Collision>, { candidate, reason, by }: Loss, paths: number): void {
  const { policy, block, unit } = candidate;
  if (policy === undefined || block === undefined || unit.ruleName === undefined) return;
  if (reason !== "overridden" && reason !== "replaced") return;
  for (const winner of by) {
    const others = winner === policy ? [] : winner.blocks.filter((other) => declares(other, unit));
    // Under Atomic a whole block loses, and its names have no part in it.
    const acting = reason === "overridden" ? block : others.find(({ name }) => name === "overrides");
    if (others.length === 0 || acting?.granularity === "Atomic" || acting === undefined) continue;
    const key = `${policy.id}\n${block.name}${unit.rule}\n${winner.id}`;
    const known = collisions.get(key);
    if (known === undefined) collisions.set(key, { loser: { ...candidate, policy, block }, winner, reason, paths });
    else known.paths += paths;
  }
}

const declares = (block: Block, { rule }: Unit): boolean => block.units.some((unit) => unit.rule === rule);

function collided(world: World, { loser, winner, reason, paths }: Collision): CheckFinding {
  const { policy, block, unit } = loser;
  const { object } = policy;
  const isSameTarget = shareTarget(world, policy.id, winner.id);
  const winning = winner.blocks.find((other) => declares(other, unit));
  const place = blockPointer(world, policy.id, block.name, unit.rule);
  const other = blockPointer(world, winner.id, winning?.name ?? null, unit.rule);
  const where = paths === 1 ? "on one path" : `on ${paths} paths`;
  const how = reason === "replaced" ? "overrides it" : "takes the place of this default";
  const target = isSameTarget ? ", and both are attached to the same target" : "";
  return findingAt(object, {
    code: "RuleNameCollision",
    severity: isSameTarget ? "warning" : "info",
    field: fieldOfPointer(place.pointer),
    message: `rule '${unit.ruleName}' of ${displayRef(object.ref)} has the name of one in ${displayRef(winner.object.ref)}, which ${how} ${where}${target}`,
    fix: "Rename one of the two if both shall hold; rules of one name are never mixed.",
    related: [
      {
        object: winner.id,
        field: fieldOfPointer(other.pointer),
        message: `rule '${unit.ruleName}' of ${displayRef(winner.object.ref)}`,
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

/** The policies that each policy meets on some path. */
export type Companions = ReadonlyMap<Policy, ReadonlySet<Policy>>;

export function companionsOf(folds: readonly SurveyedFold[]): Companions {
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

/** Entries of `remove` that keep nothing out on any path. `companions` is asked only where there are some. */
export function checkRemovals(
  world: World,
  { policy, removed, paths }: PolicyFate,
  companions: () => Companions,
): readonly CheckFinding[] {
  const entries = policy.blocks.flatMap((block) => block.remove.map((entry, index) => ({ block, entry, index })));
  const idle = entries.filter(({ entry }) => !removed.some((unit) => isNamed(entry, unit)));
  if (idle.length === 0) return [];
  const others = [...(companions().get(policy) ?? [])];
  return idle.map(({ block, entry, index }) => {
    const where = paths === 1 ? "its only path" : `any of its ${paths} paths`;
    return findingAt(policy.object, {
      code: "RemovesNothing",
      severity: "warning",
      field: fieldOfPointer(removalPointer(world, policy, block, index)),
      message: `${displayRef(policy.object.ref)} removes '${entry}', and no policy above it sets that as a default on ${where}${hint(entry, others)}`,
      fix: "Correct the name, or take it out.",
    });
  });
}

/** `remove` and `unset` are two spellings, whose lists are read one after the other. */
function removalPointer(world: World, { id, object }: Policy, { name }: Block, index: number): string {
  const { pointer } = blockPointer(world, id, name, "");
  const holder = valueAt(object.raw, pointer);
  const list = isJsonObject(holder) ? ownValue(holder, "remove") : undefined;
  const length = isJsonList(list) ? list.length : 0;
  return index < length ? `${pointer}/remove/${index}` : `${pointer}/unset/${index - length}`;
}

function isNamed(entry: string, unit: Unit): boolean {
  const path = unit.path.join(".");
  return unit.ruleName === entry || path === entry || path.startsWith(`${entry}.`);
}

function hint(entry: string, others: readonly Policy[]): string {
  const units = others.flatMap(({ blocks, object }) => blocks.map((block) => ({ block, object })));
  const override = units.find(({ block }) => block.name === "overrides" && block.units.some((u) => isNamed(entry, u)));
  if (override !== undefined)
    return `; ${displayRef(override.object.ref)} sets it as an override, which cannot be removed`;
  const defaults = units.filter(({ block }) => block.name !== "overrides").flatMap(({ block }) => block.units);
  const names = defaults.map((unit) => unit.ruleName ?? fieldOfPointer(unit.pointer));
  const near = nearMiss(entry, names);
  return near === undefined || near === entry ? "" : `; did you mean '${near}'?`;
}

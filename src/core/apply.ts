/** Applies changes to an evaluation. Both evaluations stay readable. */
import { changesLibraryKinds } from "./effective/update/changes-library-kinds.ts";
import { compareWorlds } from "./effective/update/compare-worlds.ts";
import type { Delta, Touched } from "./effective/update/delta.ts";
import { type Change, type ObjectChanges, objectChanges } from "./effective/update/object-changes.ts";
import { updateObjects } from "./effective/update/update-objects.ts";
import { updateWorld } from "./effective/update/update-world.ts";
import { isRule } from "./effective/world/rulebook.ts";
import type { World } from "./effective/world/world.ts";
import { evaluateWith } from "./evaluate.ts";
import { Evaluation, optionsOf, worldOf } from "./evaluation.ts";
import type { KubeObject, SourcePosition } from "./model/kube-object.ts";
import { buildSnapshot, Snapshot, tablesOf } from "./model/snapshot.ts";

export type { Change };

let readTouched: (applied: Applied) => Touched | undefined;

/** The evaluation after a change, and what differs from the one before. */
export class Applied {
  readonly evaluation: Evaluation;
  readonly delta: Delta;
  readonly #touched: Touched | undefined;

  constructor(evaluation: Evaluation, delta: Delta, touched: Touched | undefined) {
    this.evaluation = evaluation;
    this.delta = delta;
    this.#touched = touched;
  }

  static {
    readTouched = (applied) => applied.#touched;
  }
}

/** The objects and links that a change touched. Undefined: all of them, because the policy kinds themselves changed. */
export const touchedOf = (applied: Applied): Touched | undefined => readTouched(applied);

/**
 * Applies changes and returns the next evaluation and what differs. The result equals an evaluation of the changed objects. The cost
 * depends on what the changes touch; the given evaluation stays as it is.
 *
 * @example
 * ```ts
 * const { evaluation: next, delta } = apply(evaluation, [{ delete: fridayFix }]);
 * console.log(findings(next).length, delta.effective.length, delta.verdicts.length);
 * ```
 */
export const apply = (evaluation: Evaluation, changes: Iterable<Change>): Applied =>
  applyTo(evaluation, objectChanges(worldOf(evaluation), changes));

/** Applies a planned change: what it deletes does not exist afterwards, also where the input is a part of the world. */
export const applyPlanned = (evaluation: Evaluation, changes: Iterable<Change>): Applied =>
  applyTo(evaluation, objectChanges(worldOf(evaluation), changes, "FromCluster"));

/** Builds the indexes that changes need, so that the first change does not have to. Later evaluations have them, too. */
export function buildIndexes(evaluation: Evaluation): void {
  const { indexLinks, indexChildren, indexPolicies, countTallies } = worldOf(evaluation);
  for (const build of [indexLinks, indexChildren, indexPolicies, countTallies]) build();
}

function applyTo(evaluation: Evaluation, settled: ObjectChanges): Applied {
  const [world, options] = [worldOf(evaluation), optionsOf(evaluation)];
  const isOfRules = settled.changes.some(({ ref, isQuiet }) => !isQuiet && isRule(ref));
  if (isOfRules || changesLibraryKinds(options.library, world, settled.changes)) {
    const anew = evaluateWith(snapshotAfter(world, settled), options);
    return new Applied(anew, compareWorlds({ before: world, after: worldOf(anew) }), undefined);
  }
  const updated = updateWorld(world, settled);
  return new Applied(new Evaluation({ world: updated.world, options }), updated.delta, updated.touched);
}

/** The changed snapshot, read anew: other rules may change the scope of objects, and which of them are refused. */
function snapshotAfter(world: World, changes: ObjectChanges): Snapshot {
  const { tables: updated } = updateObjects(world, changes);
  const objects: unknown[] = [];
  const positions: (SourcePosition | undefined)[] = [];
  const add = ({ raw, source }: KubeObject): void => {
    objects.push(raw);
    positions.push(source);
  };
  updated.objects.forEach(add);
  updated.refused.forEach(({ object }) => add(object));
  updated.duplicates.forEach((duplicates) => {
    for (const { object } of duplicates) add(object);
  });
  const { matchRegex, validated } = updated.judging;
  const anew = tablesOf(
    buildSnapshot(objects, { positions, validated, ...(matchRegex === undefined ? {} : { matchRegex }) }),
  );
  return new Snapshot({
    ...anew,
    findings: changes.documentFindings,
    completeness: world.completeness,
    deleted: changes.deleted,
  });
}

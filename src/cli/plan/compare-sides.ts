import { applyPlanned } from "../../core/apply.ts";
import { checkWorld } from "../../core/check/check-world.ts";
import { findingsOf } from "../../core/effective/findings/findings-of.ts";
import { objectChanges } from "../../core/effective/update/object-changes.ts";
import type { World } from "../../core/effective/world/world.ts";
import { evaluate } from "../../core/evaluate.ts";
import { type Evaluation, optionsOf, worldOf } from "../../core/evaluation.ts";
import { planChanges } from "../../core/explain/plan/plan-changes.ts";
import type { Plan } from "../../core/explain/plan/result.ts";
import type { Finding } from "../../core/model/finding.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { Snapshot } from "../../core/model/snapshot.ts";
import { celFor, loadCel, usesRegex } from "../../sources/load-cel.ts";
import type { LoadedDocuments } from "../../sources/load-documents.ts";
import { loadRegexFor } from "../../sources/load-regex.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { toChanges, type Upserts } from "./planned-changes.ts";
import type { PlanSides } from "./text-context.ts";

/** Applies the changes, and compares the two evaluations. */
export async function compareSides(
  source: LoadedSource,
  loaded: LoadedDocuments,
  upserts: Upserts,
  deleted: readonly ObjectRef[],
): Promise<{ readonly planned: Plan; readonly sides: PlanSides }> {
  const evaluation = await withConditions(source, upserts);
  const changes = toChanges(upserts, deleted);
  const { evaluation: next, delta } = applyPlanned(evaluation, changes);
  const [before, after] = [worldOf(evaluation), worldOf(next)];
  const locate: LoadedSource["locate"] = (id, pointer) => {
    const object = after.objects.get(id);
    if (object === undefined) return undefined;
    if (object.raw === before.objects.get(id)?.raw) return source.locate(id, pointer);
    if (pointer === undefined || pointer === "") return object.source;
    return loaded.locate(upserts.origins.get(object.raw) ?? object.raw, pointer) ?? object.source;
  };
  const planned = planChanges({
    before,
    after,
    delta,
    changes: objectChanges(before, changes).changes,
    findingsOf: await weightyFindings(before, after),
  });
  return { planned, sides: { before: { ...source, world: before }, after: { world: after, locate } } };
}

/** Verdicts report the first two. Status differs until a controller has written the new one. */
const REPORTED_ELSEWHERE: ReadonlySet<string> = new Set(["NeverTakesEffect", "ReachesNothing", "StatusDiffers"]);

/** The findings that `check` shows by default. */
async function weightyFindings(...worlds: readonly World[]): Promise<(world: World) => readonly Finding[]> {
  const cel = await celFor(...worlds);
  const isWeighty = ({ severity, code }: Finding): boolean => severity !== "info" && !REPORTED_ELSEWHERE.has(code);
  return (world) => [...findingsOf(world), ...checkWorld(world, { cel })].filter(isWeighty);
}

/** Loads regular expressions if only the new objects have CRDs: the current evaluation has none for their patterns. */
export async function withRegex(source: LoadedSource, { documents }: LoadedDocuments): Promise<LoadedSource> {
  const { tables, evaluation } = source;
  const tools = await loadRegexFor(documents.map(({ value }) => value));
  if (tools.matchRegex === undefined || tables.judging.matchRegex !== undefined) return source;
  const equipped = { ...tables, judging: { ...tables.judging, ...tools } };
  const snapshot = new Snapshot(equipped);
  const { evaluateCondition: cel, definitions, library } = optionsOf(evaluation);
  const next = evaluate(snapshot, { definitions, library, cel });
  return { ...source, snapshot, tables: equipped, evaluation: next, world: worldOf(next) };
}

/** Loads regular expressions if only the new objects have conditions with `matches()`: the current evaluation has none. */
async function withConditions({ evaluation, snapshot, tables }: LoadedSource, upserts: Upserts): Promise<Evaluation> {
  if (usesRegex(tables) || !usesRegex(upserts)) return evaluation;
  const { definitions, library } = optionsOf(evaluation);
  return evaluate(snapshot, { definitions, library, cel: await loadCel() });
}

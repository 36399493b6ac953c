/** Surveys of many objects, for lists. */

import type { Caveat } from "../caveats/caveat.ts";
import { findCaveats } from "../caveats/find-caveats.ts";
import { explainMany } from "../explain/explain/explain-many.ts";
import { type EffectiveSurvey, isReached } from "./effective-view.ts";
import type { ViewContext } from "./view-context.ts";
import type { ViewedObject } from "./viewed-objects.ts";

/** Yields now and then, so that a server can give other requests their turn. Objects that no policy reaches are left out. */
export function* surveyMany(
  context: ViewContext,
  viewed: readonly ViewedObject[],
): Generator<undefined, ReadonlyMap<ViewedObject, EffectiveSurvey>> {
  const explained = yield* explainMany(context.world, new Set(viewed.map(({ id }) => id)));
  const caveatsOf = caveatFinder(context);
  const surveys = new Map<ViewedObject, EffectiveSurvey>();
  for (const one of viewed) {
    const kinds = explained.get(one.id);
    if (kinds === undefined || !isReached(kinds)) continue;
    surveys.set(one, { viewed: one, kinds, failures: undefined, caveats: caveatsOf(one) });
    yield;
  }
  return surveys;
}

/** The caveats of one object are among those of the whole input. Mostly there are none, or only one that touches everything. */
function caveatFinder({ world, unread }: ViewContext): (viewed: ViewedObject) => readonly Caveat[] {
  const all = findCaveats(world, { about: "Input", unread });
  if (all.every(({ code }) => code === "UnreadableResource")) return () => all;
  return ({ id }) => findCaveats(world, { about: "Objects", objects: [id], unread });
}

import type { Caveat, CaveatScope } from "./caveats/caveat.ts";
import { findCaveats } from "./caveats/find-caveats.ts";
import { type Evaluation, worldOf } from "./evaluation.ts";

/**
 * Finds what an answer leaves out of account: definitions with errors, policies of unknown kinds, objects that are named but absent. Only
 * caveats that touch the question are returned. A negative answer, such as "no policy takes effect", is complete only without caveats.
 *
 * @example
 * ```ts
 * const caveats = caveatsFor(evaluation, { about: "Input" });
 * console.log(caveats.length === 0 ? "complete" : caveats.map(({ severity, message }) => `${severity}: ${message}`).join("\n"));
 * ```
 */
export const caveatsFor = (evaluation: Evaluation, scope: CaveatScope): readonly Caveat[] =>
  findCaveats(worldOf(evaluation), scope);

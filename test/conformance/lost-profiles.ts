import type { Counts, ProfileResult } from "./format-suite.ts";

/**
 * What a run has passed less than another one, a line for each. A feature that is not claimed any more is not a failure for the suite: it leaves its tests out.
 */
export function lostProfiles(before: readonly ProfileResult[], after: readonly ProfileResult[]): readonly string[] {
  return before.flatMap(({ name, core, extended }) => {
    const now = after.find((profile) => profile.name === name);
    return [...lost(`${name} core`, core, now?.core), ...lost(`${name} extended`, extended, now?.extended)];
  });
}

function lost(name: string, before: Counts | undefined, after: Counts | undefined): readonly string[] {
  const [had, has] = [before?.passed ?? 0, after?.passed ?? 0];
  return has < had ? [`${name}: ${has} tests passed, and ${had} in the published report`] : [];
}

import type { Caveat } from "../caveats/caveat.ts";
import { caveatCodes } from "../caveats/caveat-codes.ts";
import type { ObjectId } from "../model/refs.ts";
import type { Viewer } from "./view-context.ts";
import type { ViewCaveat } from "./view-types.ts";
import type { VisibleValues } from "./visible-values.ts";

/** The objects that caveats name. */
export const caveatObjects = (caveats: readonly Caveat[]): readonly ObjectId[] =>
  caveats.flatMap(({ objects }) => objects.flatMap(({ object }) => object ?? []));

/** A caveat that names an object that the user may not read says only that there is something: neither names nor counts. */
export const viewCaveats = (
  caveats: readonly Caveat[],
  viewer: Viewer,
  visible: VisibleValues,
): readonly ViewCaveat[] => {
  const seen = new Map<string, ViewCaveat>();
  for (const caveat of caveats) {
    const { code, severity, message, objects, policies, fix } = caveat;
    const isOpen =
      caveatObjects([caveat]).every((object) => visible.isNamed(object)) &&
      (caveatCodes[code].mayNamePolicies !== true || isReadable(objects, policies.length > 0, viewer));
    const shown = isOpen ? { code, severity, message, fix } : { code, severity, message: HIDDEN, fix: ASK };
    seen.set(`${code}\n${shown.message}`, shown);
  }
  return [...seen.values()];
};

const HIDDEN = "an object that you may not read could change this answer";
const ASK = "Ask an administrator to read the view of this object.";

function isReadable(objects: Caveat["objects"], hasPolicies: boolean, { mayRead }: Viewer): boolean {
  const named = objects.flatMap(({ object }) => object ?? []);
  // Counted policies without a name are as secret as named ones.
  return named.length === 0 ? !hasPolicies : named.every(mayRead);
}

/** The caveat about an object whose status in the cluster is not kept, because another writer resets it. */
import type { Caveat } from "../caveats/caveat.ts";
import { caveat } from "../caveats/caveat-context.ts";
import { kindNamesIn } from "../effective/findings/kind-names.ts";
import { formatRef, type ObjectId, parseObjectId } from "../model/refs.ts";
import type { ViewContext } from "./view-context.ts";

/** The view is right; who compares it with the status of the object finds something else there. */
export function statusCaveats({ world, stoppedStatus }: ViewContext, viewed: ObjectId): readonly Caveat[] {
  const stopped = stoppedStatus?.(viewed);
  if (stopped === undefined) return [];
  const ref = parseObjectId(viewed);
  const message = `the status that the cluster shows of ${formatRef(ref)} may be out of date: the field manager '${stopped.manager}' has reset it three times in ten minutes, and it is not written before ${stopped.until}`;
  return [
    caveat("StatusNotKept", {
      message: kindNamesIn(world).inText(message, [ref]),
      summary: "a status that the cluster shows may be out of date",
      objects: [{ object: viewed }],
    }),
  ];
}

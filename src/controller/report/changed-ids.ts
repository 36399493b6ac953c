/** The objects that arrive with a step of the evaluation. */
import type { Touched } from "../../core/effective/update/delta.ts";
import { worldOf } from "../../core/evaluation.ts";
import { isJsonObject, objectAt } from "../../core/model/json.ts";
import { writtenRef } from "../../core/model/kube-object.ts";
import { kindId, type ObjectId, objectId } from "../../core/model/refs.ts";
import type { LiveState, LiveStep } from "../live-evaluation.ts";

/** The objects of a step, in whatever way they changed. */
export function changedIds({ changes }: LiveStep, { resources }: LiveState): readonly ObjectId[] {
  return changes.flatMap((change) => {
    if ("delete" in change) return [objectId(change.delete)];
    const ref = isJsonObject(change.upsert) ? writtenRef(change.upsert) : undefined;
    if (ref === undefined) return [];
    const isNamespaced = resources.get(kindId(ref))?.isNamespaced === true;
    return [objectId(isNamespaced ? ref : { ...ref, namespace: "" })];
  });
}

export const generationOf = ({ evaluation }: LiveState, id: ObjectId): unknown => {
  const raw = worldOf(evaluation).objects.get(id)?.raw;
  return raw === undefined ? undefined : objectAt(raw, "metadata")["generation"];
};

/** True if the change may change what is wanted about any object. */
export function isMeaningful(touched: Touched | undefined): boolean {
  return touched === undefined || touched.objects.length > 0 || touched.links.size > 0;
}

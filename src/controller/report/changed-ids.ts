/** The objects that arrive with a step of the evaluation. */
import type { Touched } from "../../core/effective/update/delta.ts";
import { worldOf } from "../../core/evaluation.ts";
import { isJsonObject, type JsonObject, objectAt } from "../../core/model/json.ts";
import { kindId, type ObjectId, objectId } from "../../core/model/refs.ts";
import type { LiveState, LiveStep } from "../live-evaluation.ts";

/** The objects of a step, in whatever way they changed. */
export function changedIds({ changes }: LiveStep, { resources }: LiveState): readonly ObjectId[] {
  return changes.flatMap((change) => {
    if ("delete" in change) return [objectId(change.delete)];
    const ref = isJsonObject(change.upsert) ? refOf(change.upsert) : undefined;
    if (ref === undefined) return [];
    const isNamespaced = resources.get(kindId(ref))?.isNamespaced === true;
    return [objectId(isNamespaced ? ref : { ...ref, namespace: "" })];
  });
}

function refOf(object: JsonObject): Parameters<typeof objectId>[0] {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const metadata = objectAt(object, "metadata");
  const apiVersion = text(object["apiVersion"]);
  return {
    group: apiVersion.includes("/") ? (apiVersion.split("/", 1)[0] ?? "") : "",
    kind: text(object["kind"]),
    namespace: text(metadata["namespace"]),
    name: text(metadata["name"]),
  };
}

export const generationOf = ({ evaluation }: LiveState, id: ObjectId): unknown => {
  const raw = worldOf(evaluation).objects.get(id)?.raw;
  return raw === undefined ? undefined : objectAt(raw, "metadata")["generation"];
};

/** True if the change may change what is wanted about any object. */
export function isMeaningful(touched: Touched | undefined): boolean {
  return touched === undefined || touched.objects.length > 0 || touched.links.size > 0;
}

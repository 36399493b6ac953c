/** A change before it is examined: some objects in a new version, or deleted. */
import type { Change } from "../../effective/update/object-changes.ts";
import type { World } from "../../effective/world/world.ts";
import { canonicalJson, isJsonObject, type JsonObject, ownValue } from "../../model/json.ts";
import { compareText, type ObjectId, type ObjectRef, objectId } from "../../model/refs.ts";
import { withoutValue, withValue } from "./edit-json.ts";
import type { HowStep } from "./result.ts";

export interface HowDraft {
  readonly steps: readonly HowStep[];
  readonly objects: ReadonlyMap<ObjectId, DraftObject>;
}

export interface DraftObject {
  readonly ref: ObjectRef;
  /** Undefined: the object is deleted. */
  readonly raw: JsonObject | undefined;
}

export const NO_CHANGE: HowDraft = { steps: [], objects: new Map() };

/** The draft with one step more. `raw`: the new version of its object; undefined: it is deleted. */
export function withStep(draft: HowDraft, step: HowStep, ref: ObjectRef, raw: JsonObject | undefined): HowDraft {
  const objects = new Map(draft.objects).set(objectId(ref), { ref, raw });
  return { steps: [...draft.steps, step], objects };
}

/** The object as the draft has it, else as it is. Undefined: it does not exist, or the draft deletes it. */
export function rawIn(world: World, { objects }: HowDraft, id: ObjectId): JsonObject | undefined {
  const drafted = objects.get(id);
  return drafted === undefined ? world.objects.get(id)?.raw : drafted.raw;
}

export const changesOf = ({ objects }: HowDraft): readonly Change[] =>
  [...objects.values()].map(({ ref, raw }) => (raw === undefined ? { delete: ref } : { upsert: raw }));

/** Equal drafts have equal keys. */
export const draftKey = ({ objects }: HowDraft): string =>
  [...objects]
    .map(([id, { raw }]) => `${id} ${canonicalJson(raw ?? null)}`)
    .sort(compareText)
    .join("\n");

/** Fields that the API server maintains, and a copy of the object that kubectl keeps. */
const MAINTAINED: readonly (readonly string[])[] = [
  ["status"],
  ...["managedFields", "resourceVersion", "uid", "generation", "selfLink"].map((key) => ["metadata", key]),
  ["metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"],
];

/**
 * The whole object, as `kubectl apply` takes it: without what the API server maintains, and with its namespace. The creation time
 * stays: the API server keeps its own, and in a file it decides which policy is older.
 */
export function manifestOf({ raw }: { readonly raw: JsonObject }, { namespace }: ObjectRef): JsonObject {
  const clean = MAINTAINED.reduce((rest, keys) => withoutValue(rest, keys), raw);
  const metadata = ownValue(clean, "metadata");
  if (namespace === "" || (isJsonObject(metadata) && ownValue(metadata, "namespace") === namespace)) return clean;
  return withValue(clean, ["metadata", "namespace"], namespace);
}

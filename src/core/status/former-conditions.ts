/** Conditions that a controller wrote into policies without ancestors while it owned their kind. */
import { isJsonList, isJsonObject, type Json, type JsonObject, objectAt, objectsIn, ownValue } from "../model/json.ts";

/** GEP-713, "Meta resource status"; Gateway API, "BackendTLSPolicyConditionResolvedRefs" */
export const POLICY_CONDITIONS: ReadonlySet<string> = new Set(["Accepted", "Enforced", "Programmed", "ResolvedRefs"]);

/** The types of policy conditions in `status.conditions`, of any writer. */
export const policyConditionsIn = (object: JsonObject): readonly string[] =>
  objectsIn(objectAt(object, "status")["conditions"]).flatMap(({ type }) =>
    typeof type === "string" && POLICY_CONDITIONS.has(type) ? [type] : [],
  );

export interface FormerOptions {
  readonly isPolicy: boolean;
  /** True: the controller writes `Affected` conditions into objects of the kind, or has done so. */
  readonly isTarget: boolean;
  /** Recognizes the types of these conditions. */
  readonly isAffected: (type: string) => boolean;
}

/** True if `status.conditions` has one of these types. */
export const hasConditionOf = (object: JsonObject, isOfType: (type: string) => boolean): boolean =>
  objectsIn(objectAt(object, "status")["conditions"]).some(({ type }) => typeof type === "string" && isOfType(type));

/**
 * The writer of a condition
 *
 * A condition of a policy without ancestors is this controller's if its field manager alone wrote the words. A list that is not a map by type has one writer
 * for all conditions, the last one. That counts for a policy, in which this controller writes these conditions or nothing, and not for a target, to whose list
 * it may have added one, as an `Affected` condition there shows.
 * Kubernetes, "Field management"
 */
export function conditionsWrittenBy(
  object: JsonObject,
  manager: string,
  { isPolicy, isTarget, isAffected }: FormerOptions,
): readonly string[] {
  const hasWholeList = isPolicy && !isTarget && !hasConditionOf(object, isAffected);
  const entries = objectsIn(objectAt(object, "metadata")["managedFields"]);
  const owned = entries.map((entry) => ({
    isOurs: entry["manager"] === manager,
    fields: ownValue(objectAt(objectAt(entry, "fieldsV1"), "f:status"), "f:conditions"),
  }));
  return policyConditionsIn(object).filter((type) => {
    const writers = owned.filter(({ fields, isOurs }) =>
      hasCondition(fields, type, { hasWholeList: hasWholeList || !isOurs, words: isOurs ? undefined : WORDS }),
    );
    return writers.length > 0 && writers.every(({ isOurs }) => isOurs);
  });
}

/** The fields of a condition that say something. */
const WORDS = ["f:status", "f:reason", "f:message"];

/** True if the fields have the whole list, which may count, or its entry with one of these fields. Undefined: any field. */
function hasCondition(
  fields: Json | undefined,
  type: string,
  { hasWholeList, words }: { readonly hasWholeList: boolean; readonly words: readonly string[] | undefined },
): boolean {
  if (!isJsonObject(fields)) return false;
  const keys = Object.keys(fields).filter((key) => key.startsWith("k:"));
  if (keys.length === 0) return hasWholeList;
  const entry = keys.find((key) => typeOfKey(key) === type);
  if (entry === undefined) return false;
  return words === undefined || words.some((word) => objectAt(fields, entry)[word] !== undefined);
}

/** Kubernetes, "FieldsV1": `k:{"type":"Accepted"}` is the entry of a list that has this key. */
function typeOfKey(key: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(key.slice("k:".length));
    return isJsonObject(value) ? value["type"] : undefined;
  } catch {
    return undefined;
  }
}

/** The object without conditions of these types. */
export function withoutConditions(object: JsonObject, types: readonly string[]): JsonObject {
  const status = objectAt(object, "status");
  const { conditions } = status;
  if (types.length === 0 || !isJsonList(conditions)) return object;
  const kept = conditions.filter((one) => !(isJsonObject(one) && types.some((type) => one["type"] === type)));
  return { ...object, status: { ...status, conditions: kept } };
}

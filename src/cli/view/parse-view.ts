import { isJsonList, isJsonObject, type JsonObject, ownValue } from "../../core/model/json.ts";
import type { EffectivePolicyView, PolicyReachView } from "../../core/view/view-types.ts";

/** Undefined if it is of another version than this program knows. */
export const parseEffectiveView = (object: JsonObject): EffectivePolicyView | undefined =>
  isObjectAt(object, "target") && areLists(object, "policyKinds", "values", "caveats", "notes")
    ? (object as unknown as EffectivePolicyView)
    : undefined;

/** Undefined if it is of another version than this program knows. */
export const parseReachView = (object: JsonObject): PolicyReachView | undefined =>
  isObjectAt(object, "policy") &&
  isObjectAt(object, "verdict") &&
  isObjectAt(object, "paths") &&
  isObjectAt(object, "reached") &&
  areLists(object, "targets", "values", "caveats", "notes")
    ? (object as unknown as PolicyReachView)
    : undefined;

const isObjectAt = (object: JsonObject, key: string): boolean => isJsonObject(ownValue(object, key));
const areLists = (object: JsonObject, ...keys: readonly string[]): boolean =>
  keys.every((key) => isJsonList(ownValue(object, key)));

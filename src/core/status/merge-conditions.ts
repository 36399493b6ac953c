import { isJsonList, isJsonObject, type Json, type JsonObject, jsonEqual, ownValue } from "../model/json.ts";
import type { Condition } from "./status-report.ts";

/** The number of conditions that the schemas of Gateway API allow in one list. */
export const MAX_CONDITIONS = 8;

export interface ConditionsMerge {
  /** Conditions of types that are ours. */
  readonly wanted: readonly Condition[];
  /** The types that may be written and withdrawn. Conditions of all other types stay as they are. */
  readonly isOurs: (type: string) => boolean;
  /** Now, as Kubernetes writes times. */
  readonly now: string;
  /** The most conditions that the list may have. */
  readonly limit: number;
}

export interface MergedConditions {
  readonly list: readonly Json[];
  /** The types of wanted conditions for which there is no room. */
  readonly leftOut: readonly string[];
}

/**
 * Conditions of several writers in one list
 *
 * Conditions of other types stay as they are, in their order. Ours are changed where they stand, withdrawn if they are no longer wanted, and
 * added at the end.
 * Kubernetes, "Typical status properties"
 */
export function mergeConditions(
  existing: Json | undefined,
  { wanted, isOurs, now, limit }: ConditionsMerge,
): MergedConditions {
  const open = new Map(wanted.map((condition) => [condition.type, condition]));
  const seen = new Set<string>();
  const list: Json[] = [];
  for (const item of isJsonList(existing) ? existing : []) {
    const type = isJsonObject(item) ? ownValue(item, "type") : undefined;
    if (!isJsonObject(item) || typeof type !== "string" || !isOurs(type)) {
      list.push(item);
      continue;
    }
    const condition = open.get(type);
    if (condition !== undefined && !seen.has(type)) list.push(conditionAfter(item, condition, now));
    seen.add(type);
  }
  const added = wanted.filter(({ type }) => !seen.has(type));
  const room = Math.max(0, limit - list.length);
  for (const condition of added.slice(0, room)) list.push(conditionAfter(undefined, condition, now));
  return { list, leftOut: added.slice(room).map(({ type }) => type) };
}

/** The time of the last transition changes with the status only. An equal condition stays the same object. */
function conditionAfter(before: JsonObject | undefined, condition: Condition, now: string): JsonObject {
  const since =
    before !== undefined && before["status"] === condition.status ? before["lastTransitionTime"] : undefined;
  const { type, status, reason, message, observedGeneration } = condition;
  const after: JsonObject = {
    type,
    status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: typeof since === "string" && since !== "" ? since : now,
    reason,
    message,
  };
  return before !== undefined && jsonEqual(before, after) ? before : after;
}

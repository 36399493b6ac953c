import { type JsonObject, ownValue } from "../model/json.ts";
import type { LabelRequirement, LabelSelector } from "../model/policy.ts";

/** True if an object with these labels is selected. An empty selector selects everything. */
export function matchesSelector(selector: LabelSelector, labels: JsonObject): boolean {
  for (const [key, value] of selector.matchLabels) {
    if (ownValue(labels, key) !== value) return false;
  }
  for (const requirement of selector.matchExpressions) {
    if (!meets(requirement, labels)) return false;
  }
  return true;
}

function meets({ key, operator, values }: LabelRequirement, labels: JsonObject): boolean {
  const value = ownValue(labels, key);
  switch (operator) {
    case "In":
      return typeof value === "string" && values.includes(value);
    case "NotIn":
      return typeof value !== "string" || !values.includes(value);
    case "Exists":
      return typeof value === "string";
    case "DoesNotExist":
      return typeof value !== "string";
  }
}

/** `team=a,tier in (x,y),!legacy`, in kubectl's notation. */
export function formatSelector({ matchLabels, matchExpressions }: LabelSelector): string {
  const parts = [...matchLabels.map(([key, value]) => `${key}=${value}`), ...matchExpressions.map(formatRequirement)];
  return parts.length === 0 ? "everything" : parts.join(",");
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "In":
      return values.length === 1 ? `${key}=${values.join("")}` : `${key} in (${values.join(",")})`;
    case "NotIn":
      return values.length === 1 ? `${key}!=${values.join("")}` : `${key} notin (${values.join(",")})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
  }
}

import { canonicalJson } from "../model/json.ts";
import { compareText } from "../model/refs.ts";
import type { StatusLocation, TargetStatus } from "../status/status-report.ts";

/** Joins lists of statuses, so that each part of an object is there once. In the order of the objects' ids; conditions of the first list come first. */
export function joinStatuses(...lists: readonly (readonly TargetStatus[])[]): readonly TargetStatus[] {
  const joined = new Map<string, TargetStatus>();
  for (const status of lists.flat()) {
    const key = `${status.object}\n${keyOf(status.location)}`;
    const before = joined.get(key);
    joined.set(
      key,
      before === undefined ? status : { ...before, conditions: [...before.conditions, ...status.conditions] },
    );
  }
  return [...joined.values()].sort((a, b) => compareText(a.object, b.object));
}

function keyOf(location: StatusLocation): string {
  switch (location.at) {
    case "Listener":
      return `listener ${location.name}`;
    case "Parent":
      return `parent ${canonicalJson(location.parentRef)}`;
    case "Conditions":
    case "Annotations":
      return location.at;
  }
}

/** The differences between a definition and the implementation that concern a policy. */
import type { Approximation, PolicyDefinition } from "../../definition.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../../json.ts";
import type { KubeObject } from "../../kube-object.ts";
import { settingsOf } from "./settings-of.ts";

/** True if the definition says that it differs from the implementation in what the policy targets. */
export const hasApproximateTargets = (policy: KubeObject, definition: PolicyDefinition): boolean =>
  (definition.approximate ?? []).some(
    (one) =>
      [...one.paths, ...(one.with ?? [])].some((path) => path.startsWith("targetRef")) &&
      concerns(one, policy, definition),
  );

/** True if a difference is about a policy. */
export function concerns(
  { paths, with: others = [] }: Approximation,
  { raw }: KubeObject,
  definition: PolicyDefinition,
): boolean {
  const settings = settingsOf(raw, definition);
  return [paths, others].every((any) => any.length === 0 || any.some((path) => hasValueAt(settings, path.split("."))));
}

/**
 * True if there is a value at the path. In a list a number is the index of an item; with another segment any item counts. A segment
 * `targetRef[kind=Namespace]` is about an object with that value, and `[mergeType=Merge]` at the beginning about the spec itself.
 */
function hasValueAt(value: Json | undefined, segments: readonly string[]): boolean {
  const [segment, ...rest] = segments;
  if (isJsonList(value)) {
    if (segment !== undefined && /^\d+$/.test(segment)) return hasValueAt(value[Number(segment)], rest);
    return value.some((item) => hasValueAt(item, segments));
  }
  if (segment === undefined) return value !== undefined && value !== null;
  const [, key = segment, name, wanted] = /^(.*)\[(.+)=(.+)\]$/.exec(segment) ?? [];
  const found = key === "" ? value : isJsonObject(value) ? ownValue(value, key) : undefined;
  if (name === undefined) return hasValueAt(found, rest);
  const items = isJsonList(found) ? found : found === undefined ? [] : [found];
  return items.some((item) => isJsonObject(item) && ownValue(item, name) === wanted && hasValueAt(item, rest));
}

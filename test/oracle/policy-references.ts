/** References in the spec of a policy: if all of a list are invalid, the policy is not accepted (Gateway API, BackendTLSPolicy). */
import type { PolicyDefinition, PolicyReference } from "../../src/core/model/definition.ts";
import type { Json } from "../../src/core/model/json.ts";
import { type ClusterObject, findObject } from "./cluster-objects.ts";
import { fieldAt, isList, isMap, textField } from "./json-value.ts";
import type { OraclePolicy } from "./read-policy.ts";

/** The condition ResolvedRefs: undefined if the kind has no references. */
export function resolvedRefs(
  { object }: OraclePolicy,
  objects: readonly ClusterObject[],
  { references, merge }: PolicyDefinition,
): "True" | "False" | "Unknown" | undefined {
  if (references === undefined) return undefined;
  const states = references.flatMap((reference) =>
    itemsAt(object, reference, merge).flatMap((items) =>
      items.map((item) => stateOf(item, reference, object, objects)),
    ),
  );
  return states.includes("invalid") ? "False" : states.includes("unknown") ? "Unknown" : "True";
}

/**
 * Why the policy is not accepted, if all references of a list are invalid. `isUndecided`: no reference of a list is valid, and one is to an
 * object that is not in the input, which may exist.
 */
export function judgeReferences(
  { object }: OraclePolicy,
  objects: readonly ClusterObject[],
  { references = [], merge }: PolicyDefinition,
): { readonly reason: string | undefined; readonly isUndecided: boolean } {
  let isUndecided = false;
  let reason: string | undefined;
  for (const reference of references)
    for (const items of itemsAt(object, reference, merge)) {
      const states = items.map((item) => stateOf(item, reference, object, objects));
      if (states.length === 0 || states.includes("valid")) continue;
      if (states.includes("unknown")) isUndecided = true;
      else reason ??= reference.noneValid;
    }
  return { reason, isUndecided };
}

/** The references in the spec proper, and in each block. */
function itemsAt(
  { raw }: ClusterObject,
  { path }: PolicyReference,
  merge: PolicyDefinition["merge"],
): readonly (readonly Json[])[] {
  const words = merge.words ?? { defaults: ["defaults", "default"], overrides: ["overrides", "override"] };
  const blocks = merge.none || merge.accumulate !== undefined ? [] : [...words.defaults, ...words.overrides];
  return ["", ...blocks].map((block) => {
    const written = fieldAt(raw, ["spec", block, path].filter((step) => step !== "").join("."));
    return written === undefined ? [] : isList(written) ? written : [written];
  });
}

function stateOf(
  item: Json,
  { kinds, keys }: PolicyReference,
  policy: ClusterObject,
  objects: readonly ClusterObject[],
): "valid" | "invalid" | "unknown" {
  if (!isMap(item)) return "invalid";
  const group = textField(item, "group") ?? kinds[0]?.group ?? "";
  const kind = textField(item, "kind") ?? kinds[0]?.kind ?? "";
  const name = textField(item, "name") ?? "";
  const { namespace } = policy.ref;
  if (!kinds.some((one) => one.group === group && one.kind === kind) || name === "") return "invalid";
  if ((textField(item, "namespace") ?? namespace) !== namespace) return "invalid";
  const found = findObject(objects, { group, kind, namespace, name });
  if (found === undefined) return "unknown";
  const data = fieldAt(found.raw, "data");
  return keys.every((key) => typeof (isMap(data) ? data[key] : undefined) === "string") ? "valid" : "invalid";
}

/** Reads the conditions in the status of an object, as the controllers of other vendors write them. */
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue, textOf } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";

/** A condition in the status of an object, and its field. */
export interface Claim {
  readonly object: KubeObject;
  readonly field: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly observedGeneration: Json | undefined;
}

/** Conditions such as `gateway.example.com/RetryPolicyAffected=True`, for known policy kinds. */
export function* affectedClaims(object: KubeObject, types: ReadonlySet<string>): Generator<Claim> {
  const status = ownValue(object.raw, "status");
  if (!isJsonObject(status)) return;
  const parts: (readonly [JsonObject, string])[] = [[status, "status"]];
  for (const key of ["listeners", "parents"])
    for (const [index, entry] of entriesOf(object, key)) parts.push([entry, `status.${key}[${index}]`]);
  for (const [part, field] of parts)
    for (const claim of claimsIn(object, part, field)) if (types.has(claim.type.split("/")[1] ?? "")) yield claim;
}

export function* entriesOf({ raw }: KubeObject, key: string): Generator<readonly [number, JsonObject]> {
  const status = ownValue(raw, "status");
  const list = isJsonObject(status) ? ownValue(status, key) : undefined;
  for (const [index, item] of isJsonList(list) ? list.entries() : []) if (isJsonObject(item)) yield [index, item];
}

export function claimsIn(object: KubeObject, part: JsonObject, field: string): readonly Claim[] {
  const list = ownValue(part, "conditions");
  const claims: Claim[] = [];
  for (const [index, item] of isJsonList(list) ? list.entries() : []) {
    if (!isJsonObject(item)) continue;
    claims.push({
      object,
      field: `${field}.conditions[${index}]`,
      type: textOf(ownValue(item, "type")),
      status: textOf(ownValue(item, "status")),
      reason: textOf(ownValue(item, "reason")),
      observedGeneration: ownValue(item, "observedGeneration"),
    });
  }
  return claims;
}

export const textOr = (ref: JsonObject, key: string, byDefault: string): string => {
  const value = ownValue(ref, key);
  return typeof value === "string" ? value : byDefault;
};

import { isJsonObject, type JsonObject, objectAt, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { isOwnKey } from "./object-names.ts";

const FIELDS = ["labels", "annotations"] as const;

/**
 * Labels and annotations of a Gateway's infrastructure
 *
 * The labels and annotations of `spec.infrastructure` are on the objects of the Gateway, if the controller allows their keys. Keys without a prefix are private to users, so other controllers do not act
 * upon them; they act upon keys with a prefix, and the objects are in the namespace of the controller, so these keys need its permission. The controller's own keys are never taken from a Gateway.
 * Gateway API, "GatewayInfrastructure.annotations"
 */
export function allowedKeys(
  gateway: KubeObject,
  field: (typeof FIELDS)[number],
  allowed: readonly string[],
): JsonObject {
  const isAllowed = (key: string): boolean => !isOwnKey(key) && isAllowedKey(key, allowed);
  return Object.fromEntries(textsAt(gateway, field).filter(([key]) => isAllowed(key)));
}

/** The fields with a label or annotation that is left out because the controller does not allow its key. */
export const refusedKeys = (gateway: KubeObject, allowed: readonly string[]): readonly string[] =>
  FIELDS.flatMap((field) =>
    textsAt(gateway, field)
      .filter(([key]) => !isAllowedKey(key, allowed))
      .map(([key]) => `spec.infrastructure.${field}.${key}`),
  );

/** `allowed` has keys, prefixes as `example.com/*`, and `*` for all. */
const isAllowedKey = (key: string, allowed: readonly string[]): boolean =>
  !key.includes("/") ||
  allowed.some((one) => one === "*" || one === key || (one.endsWith("/*") && key.startsWith(one.slice(0, -1))));

function textsAt({ raw }: KubeObject, field: string): readonly (readonly [string, string])[] {
  const found = ownValue(objectAt(objectAt(raw, "spec"), "infrastructure"), field);
  if (!isJsonObject(found)) return [];
  return Object.entries(found).flatMap(([key, value]) => (typeof value === "string" ? [[key, value] as const] : []));
}

import { isJsonObject, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { ObjectRef } from "../model/refs.ts";

/** No name of an object begins with it. */
const MARK = "~";
/** 48 bits of a random number: enough to distinguish the policies of a cluster. */
const DIGITS = 12;

/**
 * A handle stands for the namespace and the name of a policy that a user may not read: `~3f9a1c2e0b4d`, the beginning of its uid. The uid
 * says nothing about the name, and is the same for every replica, so those who may read the policy can find it by its handle.
 */
export function handleOf({ raw }: Pick<KubeObject, "raw">): string | undefined {
  const metadata = ownValue(raw, "metadata");
  const uid = isJsonObject(metadata) ? ownValue(metadata, "uid") : undefined;
  const digits = typeof uid === "string" ? uid.toLowerCase().replaceAll(/[^0-9a-f]/g, "") : "";
  return digits.length < DIGITS ? undefined : `${MARK}${digits.slice(0, DIGITS)}`;
}

export const isHandle = (text: string): boolean => text.startsWith(MARK);

/** True if the handle, or the beginning of one with at least four digits, is that of the object. */
export function hasHandle(object: Pick<KubeObject, "raw">, handle: string): boolean {
  return handle.length > 4 && handleOf(object)?.startsWith(handle.toLowerCase()) === true;
}

/** The policy by its kind and its handle. */
export const handleRef = ({ group, kind }: ObjectRef, object: Pick<KubeObject, "raw"> | undefined): ObjectRef => ({
  group,
  kind,
  namespace: "",
  name: (object === undefined ? undefined : handleOf(object)) ?? MARK,
});

import { bareNames, type KindNames, kindNamesIn } from "../../core/effective/findings/kind-names.ts";
import type { World } from "../../core/effective/world/world.ts";
import { isSensitive, isSensitiveField } from "../../core/explain/is-sensitive.ts";
import { isAccumulated, pointerInPolicy } from "../../core/merge/accumulated-pointer.ts";
import type { Source as ValueSource } from "../../core/merge/provenance.ts";
import { isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../../core/model/json.ts";
import { formatRef, type ObjectId, type PolicyId, parseObjectId } from "../../core/model/refs.ts";
import type { Option, OptionValues } from "./option.ts";

/** Names policies, and hides the names and values of policies in other namespaces. That such a policy takes effect stays visible. */
export interface Redaction extends KindNames {
  readonly isHidden: (object: ObjectId) => boolean;
  /** True for the values of hidden policies, and with `--redact` for those that a definition marks as sensitive. `null`: the object's own value. */
  readonly hidesValue: (policy: PolicyId | null | undefined, pointer: string) => boolean;
  /** True for a sensitive field of a policy, as findings name it: `spec.auth.key`. */
  readonly hidesField: (object: ObjectId, field: string) => boolean;
  /** `RetryPolicy bakery/baker-retries`, or a text without the name if the policy is hidden. */
  readonly name: (object: ObjectId) => string;
}

export const redactOption: Option = {
  name: "redact",
  help: "hide the names and values of policies outside the namespace that -n names, and sensitive values of all policies",
};

export type ParsedRedaction =
  | { readonly ok: true; readonly redaction: Redaction }
  | { readonly ok: false; readonly message: string };

export function parseRedaction(options: OptionValues): ParsedRedaction {
  if (!options.has(redactOption.name)) return { ok: true, redaction: hideNothing };
  const namespace = options.value("namespace");
  if (namespace === undefined || options.has("all-namespaces"))
    return { ok: false, message: "--redact hides policies outside one namespace: name it with -n NAMESPACE" };
  return { ok: true, redaction: hideOutside(namespace) };
}

const nameIn =
  ({ kindName }: KindNames): Redaction["name"] =>
  (object) => {
    const ref = parseObjectId(object);
    return formatRef({ ...ref, kind: kindName(ref) });
  };

export const hideNothing: Redaction = {
  isHidden: () => false,
  hidesValue: () => false,
  hidesField: () => false,
  ...bareNames,
  name: nameIn(bareNames),
};

function hideOutside(namespace: string): Redaction {
  const isHidden = (object: ObjectId): boolean => parseObjectId(object).namespace !== namespace;
  return { isHidden, ...hidingIn(isHidden, []), ...bareNames, name: hiddenName(isHidden, bareNames) };
}

const hidingIn = (
  isHidden: Redaction["isHidden"],
  worlds: readonly World[],
): Pick<Redaction, "hidesValue" | "hidesField"> => ({
  hidesValue: (policy, pointer) =>
    policy !== null &&
    policy !== undefined &&
    (isHidden(policy) || worlds.some((world) => isSensitive(world, policy, pointer))),
  hidesField: (object, field) => worlds.some((world) => isSensitiveField(world, object as PolicyId, field)),
});

const hiddenName =
  (isHidden: Redaction["isHidden"], names: KindNames): Redaction["name"] =>
  (object) => {
    if (!isHidden(object)) return nameIn(names)(object);
    return parseObjectId(object).namespace === "" ? "a cluster-wide policy" : "a policy in another namespace";
  };

/** The redaction of answers about these worlds: kinds that share their name are named with their group. */
export function redactionFor(redaction: Redaction, ...worlds: readonly World[]): Redaction {
  const { isHidden } = redaction;
  const hiding = redaction === hideNothing ? hideNothing : hidingIn(isHidden, worlds);
  const names = kindNamesIn(...worlds);
  return { ...hiding, isHidden, ...names, name: hiddenName(isHidden, names) };
}

/** The pointer of a value, without the name of a hidden policy: where all policies take effect, pointers begin with their names. */
export const redactPointer = (source: ValueSource, { isHidden }: Redaction): string =>
  source.policy !== null && isHidden(source.policy) && isAccumulated(source)
    ? `/hidden${pointerInPolicy(source)}`
    : source.pointer;

/** The spec without the values that are not shown. */
export function redactSpec(spec: JsonObject, sources: readonly ValueSource[], { hidesValue }: Redaction): JsonObject {
  return sources
    .filter(({ policy, pointer }) => hidesValue(policy, pointer))
    .reduce((rest, { pointer }) => without(rest, tokensOf(pointer)), spec);
}

function without(object: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined) return object;
  const copy: { [key: string]: Json } = {};
  for (const [name, value] of Object.entries(object)) {
    if (name !== key) setOwn(copy, name, value);
    else if (rest.length > 0 && isJsonObject(value)) setOwn(copy, name, without(value, rest));
  }
  const left = ownValue(copy, key);
  if (isJsonObject(left) && Object.keys(left).length === 0) delete copy[key];
  return copy;
}

const tokensOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

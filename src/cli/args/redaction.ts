import { bareNames, type KindNames, kindNamesIn } from "../../core/effective/findings/kind-names.ts";
import type { World } from "../../core/effective/world/world.ts";
import { isAccumulated, pointerInPolicy } from "../../core/merge/accumulated-pointer.ts";
import type { Source as ValueSource } from "../../core/merge/provenance.ts";
import { isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../../core/model/json.ts";
import { formatRef, type ObjectId, parseObjectId } from "../../core/model/refs.ts";
import type { Option, OptionValues } from "./option.ts";

/** Names policies, and hides the names and values of policies in other namespaces. That such a policy takes effect stays visible. */
export interface Redaction extends KindNames {
  readonly isHidden: (object: ObjectId) => boolean;
  /** `RetryPolicy bakery/baker-retries`, or a text without the name if the policy is hidden. */
  readonly name: (object: ObjectId) => string;
}

export const redactOption: Option = {
  name: "redact",
  help: "hide the names and values of policies outside the namespace that -n names",
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
  ...bareNames,
  name: nameIn(bareNames),
};

function hideOutside(namespace: string): Redaction {
  const isHidden = (object: ObjectId): boolean => parseObjectId(object).namespace !== namespace;
  return { isHidden, ...bareNames, name: hiddenName(isHidden, bareNames) };
}

const hiddenName =
  (isHidden: Redaction["isHidden"], names: KindNames): Redaction["name"] =>
  (object) => {
    if (!isHidden(object)) return nameIn(names)(object);
    return parseObjectId(object).namespace === "" ? "a cluster-wide policy" : "a policy in another namespace";
  };

/** The redaction of answers about these worlds: kinds that share their name are named with their group. */
export function redactionFor({ isHidden }: Redaction, ...worlds: readonly World[]): Redaction {
  const names = kindNamesIn(...worlds);
  return { isHidden, ...names, name: hiddenName(isHidden, names) };
}

/** The pointer of a value, without the name of a hidden policy: where all policies take effect, pointers begin with their names. */
export const redactPointer = (source: ValueSource, { isHidden }: Redaction): string =>
  source.policy !== null && isHidden(source.policy) && isAccumulated(source)
    ? `/hidden${pointerInPolicy(source)}`
    : source.pointer;

/** The spec without the values of hidden policies. */
export function redactSpec(spec: JsonObject, sources: readonly ValueSource[], { isHidden }: Redaction): JsonObject {
  return sources
    .filter(({ policy }) => policy !== null && isHidden(policy))
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

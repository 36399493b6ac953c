/** Maps of CEL. Those whose keys are all strings are plain objects, as in JSON; others are a `CelKeyedMap`. */
import { numericOf } from "./numbers.ts";
import {
  asValue,
  CelError,
  type CelKey,
  CelKeyedMap,
  type CelMap,
  CelUint,
  type CelValue,
  isMap,
  ownKey,
  typeOf,
} from "./values.ts";

/** The identity of a key: 1, 1u and 1.0 are one key. Undefined for a number that is not whole. */
function identityOf(key: CelValue): string | undefined {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return String(key);
  const number = numericOf(key);
  if (number === undefined || (typeof number === "number" && !Number.isInteger(number))) return undefined;
  return String(BigInt(number));
}

/** True for a value that may be looked up: a key, or a double that may be equal to one. */
export const isKeyLike = (value: CelValue): boolean =>
  typeof value === "string" || typeof value === "boolean" || numericOf(value) !== undefined;

const isKey = (value: CelValue): value is CelKey =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  typeof value === "bigint" ||
  (typeof value === "number" && Number.isSafeInteger(value)) ||
  value instanceof CelUint;

export const isAnyMap = (value: CelValue): value is CelMap | CelKeyedMap =>
  isMap(value) || value instanceof CelKeyedMap;

/** A key as it is written in CEL, for messages. */
export function formatKey(key: CelValue): string {
  if (typeof key === "string") return JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
  const number = numericOf(key);
  if (number === undefined) return typeof key === "boolean" ? String(key) : typeOf(key);
  return key instanceof CelUint ? `${number}u` : String(number);
}

/** Makes a map. Throws if a key is there twice, or cannot be a key. */
export function mapOf(entries: readonly (readonly [CelValue, CelValue])[]): CelMap | CelKeyedMap {
  const plain = Object.create(null) as Record<string, CelValue>;
  let keyed: Map<string, readonly [CelKey, CelValue]> | undefined;
  for (const [key, value] of entries) {
    if (!isKey(key)) throw new CelError(`${typeOf(key)} cannot be the key of a map`);
    if (typeof key !== "string")
      keyed ??= new Map(Object.keys(plain).map((name) => [`s${name}`, [name, plain[name] as CelValue]]));
    const identity = identityOf(key) as string;
    if (keyed === undefined ? Object.hasOwn(plain, identity.slice(1)) : keyed.has(identity))
      throw new CelError(`the map has the key ${formatKey(key)} twice`);
    if (keyed === undefined) plain[identity.slice(1)] = value;
    else keyed.set(identity, [key, value]);
  }
  return keyed === undefined ? plain : new CelKeyedMap(keyed);
}

/** The value of a key, which may be of any type. Undefined: the map does not have it. */
export function lookUp(map: CelMap | CelKeyedMap, key: CelValue): CelValue | undefined {
  if (map instanceof CelKeyedMap) return map.entries.get(identityOf(key) ?? "")?.[1];
  return typeof key === "string" ? ownKey(map, key) : undefined;
}

/** The keys in order: strings by their UTF-16 code units, others as they were written. A member that is undefined is not there. */
export function keysOf(map: CelMap | CelKeyedMap): readonly CelKey[] {
  if (map instanceof CelKeyedMap) return [...map.entries.values()].map(([key]) => key);
  return namesOf(map).sort();
}

const namesOf = (map: CelMap): string[] => {
  const names = Object.keys(map);
  return names.every((name) => map[name] !== undefined) ? names : names.filter((name) => map[name] !== undefined);
};

export const sizeOfMap = (map: CelMap | CelKeyedMap): number =>
  map instanceof CelKeyedMap ? map.entries.size : namesOf(map).length;

export function entriesOf(map: CelMap | CelKeyedMap): readonly (readonly [CelKey, CelValue])[] {
  if (map instanceof CelKeyedMap) return [...map.entries.values()];
  return namesOf(map).map((name) => [name, asValue(map[name] as CelValue)]);
}

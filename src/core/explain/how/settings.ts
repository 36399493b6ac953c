/** Wanted settings, split by the units of a policy kind. */
import { isJsonObject, type Json, jsonEqual } from "../../model/json.ts";
import { escapePointer, liesBelow, valueAtKeys } from "../../model/json-pointer.ts";
import { buildSpec, type UnitRules, unitsOf } from "../../model/units.ts";
import type { WantedSetting } from "./result.ts";

/** A wanted setting with its path as keys. */
export interface Wish {
  readonly keys: readonly string[];
  /** Undefined: it should not be set. */
  readonly value: Json | undefined;
}

/** A wish for one unit of a kind, or for a part of one. */
export interface UnitWish extends Wish {
  readonly pointer: string;
  /** The unit that the setting is, or is a part of. */
  readonly unit: readonly string[];
}

const STEP = /^(?:\.?([^.[\]"\s]+)|\[("(?:[^"\\]|\\.)*")\])/;

/** `retry.attempts`, `limits["a.b"].requests` or `/retry/attempts` as keys. Undefined if it is none of these. */
export function parsePath(text: string): readonly string[] | undefined {
  if (text.startsWith("/")) {
    const tokens = text.split("/").slice(1);
    return tokens.includes("") ? undefined : tokens.map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  const keys: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const [step, name, quoted] = STEP.exec(rest) ?? [];
    if (step === undefined || (keys.length === 0 && step.startsWith("."))) return undefined;
    const key = name ?? unquoted(quoted ?? "");
    if (key === undefined || key === "") return undefined;
    keys.push(key);
    rest = rest.slice(step.length);
  }
  return keys.length === 0 ? undefined : keys;
}

function unquoted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if the path of the setting cannot be read. */
export function parseWish({ path, value }: WantedSetting): Wish | undefined {
  const keys = parsePath(path);
  return keys === undefined ? undefined : { keys, value: value ?? undefined };
}

/** A map whose keys are units of their own stands for a wish for each of them. A path into a unit is a wish for a part of it. */
export function settingsOf(wishes: readonly Wish[], rules: UnitRules): readonly UnitWish[] {
  return wishes.flatMap(({ keys, value }): readonly UnitWish[] => {
    const units = unitsOf(buildSpec([{ path: keys, value: value ?? true }]), rules);
    const [whole] = units;
    const isInside = whole === undefined || units.length > 1 || whole.path.length > keys.length;
    if (value === undefined || !isInside)
      return [settingAt(keys, value, isInside ? keys : whole.path.slice(0, keys.length))];
    return units.map(({ path, value: own }) => settingAt(path, own, path));
  });
}

const settingAt = (keys: readonly string[], value: Json | undefined, unit: readonly string[]): UnitWish => ({
  keys,
  value,
  pointer: pointerOf(keys),
  unit,
});

export const pointerOf = (keys: readonly string[]): string => keys.map((key) => `/${escapePointer(key)}`).join("");

/** Two settings that cannot both take effect. */
export function findContradiction(settings: readonly UnitWish[]): readonly [UnitWish, UnitWish] | undefined {
  for (const [index, one] of settings.entries())
    for (const other of settings.slice(0, index)) if (contradicts(other, one)) return [other, one];
  return undefined;
}

function contradicts(a: UnitWish, b: UnitWish): boolean {
  if (a.pointer === b.pointer) return !jsonEqual(a.value, b.value);
  const [above, below] = liesBelow(b.pointer, a.pointer) ? [a, b] : [b, a];
  if (!liesBelow(below.pointer, above.pointer)) return false;
  if (above.value === undefined) return below.value !== undefined;
  const rest = below.keys.slice(above.keys.length);
  return !jsonEqual(isJsonObject(above.value) ? valueAtKeys(above.value, rest) : undefined, below.value);
}

/** New versions of a policy: settings in a block set, taken out or moved, a condition, other targets. */
import { BLOCK_SPELLINGS } from "../../model/block-names.ts";
import type { Targeting } from "../../model/definition.ts";
import { isJsonObject, type Json, type JsonObject, jsonEqual, ownValue } from "../../model/json.ts";
import { valueAtKeys } from "../../model/json-pointer.ts";
import type { BlockName } from "../../model/policy.ts";
import { withKeyRenamed, withoutValue, withValue } from "./edit-json.ts";
import { specIn } from "./policy-format.ts";
import type { UnitWish } from "./settings.ts";

/** Where a block is in the policy, in the spelling that the policy uses. Undefined if it has no such block. */
export function blockKeys(raw: JsonObject, name: BlockName): readonly string[] | undefined {
  if (name === "bare") return ["spec"];
  const spelling = BLOCK_SPELLINGS[name].find((one) => isJsonObject(ownValue(specIn(raw), one)));
  return spelling === undefined ? undefined : ["spec", spelling];
}

/** The value of the unit that a setting is a part of, without the setting itself: what stays beside it. */
export type UnitValue = (setting: UnitWish) => Json | undefined;

/** Sets the settings in a block, and removes those that should not be set. A part of a unit is set in the whole unit. */
export function withSettings(
  raw: JsonObject,
  block: readonly string[],
  settings: readonly UnitWish[],
  unitValue: UnitValue = () => undefined,
): JsonObject {
  let result = raw;
  for (const setting of settings) {
    const { keys, unit, value } = setting;
    const whole = unit.length < keys.length ? unitValue(setting) : undefined;
    if (whole !== undefined && valueAtKeys(result, [...block, ...unit]) === undefined)
      result = withValue(result, [...block, ...unit], whole);
    result =
      value === undefined ? withoutValue(result, [...block, ...keys]) : withValue(result, [...block, ...keys], value);
  }
  return result;
}

/** Fields of a block that are not settings. Without settings they mean nothing. */
const ASIDE: ReadonlySet<string> = new Set(["strategy", "when"]);

/** Takes the units of the settings out of a block, and the block out of the policy if nothing is left in it. */
export function withoutSettings(raw: JsonObject, block: readonly string[], settings: readonly UnitWish[]): JsonObject {
  const rest = settings.reduce((result, { unit }) => withoutValue(result, [...block, ...unit]), raw);
  if (block.length === 1) return rest;
  const left = valueAtKeys(rest, block);
  const isEmpty = isJsonObject(left) && Object.keys(left).every((key) => ASIDE.has(key));
  return isEmpty ? withoutValue(rest, block) : rest;
}

/** Moves the units of the settings from the overrides to the defaults. Undefined if that cannot be written. */
export function withSettingsAsDefaults(
  raw: JsonObject,
  settings: readonly UnitWish[],
  strategyField: string,
  spelling: string,
): JsonObject | undefined {
  const [from, to] = [blockKeys(raw, "overrides"), blockKeys(raw, "defaults") ?? ["spec", spelling]];
  if (from === undefined) return undefined;
  const word = valueAtKeys(raw, [...from, ...strategyField.split(".")]);
  const isNew = valueAtKeys(raw, to) === undefined;
  if (!isNew && !jsonEqual(valueAtKeys(raw, [...to, ...strategyField.split(".")]), word)) return undefined;
  if (valueAtKeys(raw, [...to, "when"]) !== undefined || valueAtKeys(raw, [...from, "when"]) !== undefined)
    return undefined;
  let result = isNew && word !== undefined ? withValue(raw, [...to, ...strategyField.split(".")], word) : raw;
  for (const { unit } of settings) {
    const value = valueAtKeys(raw, [...from, ...unit]);
    if (value !== undefined) result = withValue(result, [...to, ...unit], value);
  }
  return withoutSettings(result, from, settings);
}

/** Makes the overrides defaults, as a whole. Undefined if the policy has defaults already. */
export function withOverridesAsDefaults(raw: JsonObject, spelling: string): JsonObject | undefined {
  const from = blockKeys(raw, "overrides")?.at(-1);
  if (from === undefined || blockKeys(raw, "defaults") !== undefined) return undefined;
  return withValue(raw, ["spec"], withKeyRenamed(specIn(raw), from, spelling));
}

/** Adds a condition to a block. A condition that it has stays. */
export function withCondition(raw: JsonObject, block: readonly string[], condition: string): JsonObject {
  const keys = [...block, "when"];
  const old = valueAtKeys(raw, keys);
  return withValue(raw, keys, typeof old === "string" ? `(${old}) && ${condition}` : condition);
}

/** Replaces all targets of a policy. */
export function withTargets(
  raw: JsonObject,
  { fields, refs: many }: Targeting,
  targets: readonly JsonObject[],
): JsonObject | undefined {
  const [first] = targets;
  if (first === undefined || (targets.length > 1 && many === "One")) return undefined;
  const spec = specIn(raw);
  const isSingle = targets.length === 1 && isJsonObject(ownValue(spec, fields.ref));
  const key = isSingle || many === "One" ? fields.ref : fields.refs;
  const kept = [fields.ref, fields.refs, fields.selectors].filter((field) => field !== key);
  const rest = kept.reduce((result, field) => withoutValue(result, [field]), spec);
  return withValue(raw, ["spec"], withValue(rest, [key], key === fields.ref ? first : targets));
}

/** A policy with the settings of a block alone, on the same targets. */
export function policyApart(
  raw: JsonObject,
  block: readonly string[],
  settings: readonly UnitWish[],
  {
    name,
    strategyField,
    targeting,
  }: { readonly name: string; readonly strategyField: string; readonly targeting: Targeting },
): JsonObject {
  const { fields } = targeting;
  const spec = specIn(raw);
  const namespace = valueAtKeys(raw, ["metadata", "namespace"]);
  const targets = [fields.ref, fields.refs, fields.selectors].flatMap((key) => {
    const value = ownValue(spec, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const apart: JsonObject = {
    ...Object.fromEntries(["apiVersion", "kind"].map((key) => [key, ownValue(raw, key) ?? ""])),
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: Object.fromEntries(targets),
  };
  const kept = [strategyField.split("."), ["when"], ...settings.map(({ unit }) => unit)];
  return kept.reduce((result, keys) => {
    const value = valueAtKeys(raw, [...block, ...keys]);
    return value === undefined ? result : withValue(result, [...block, ...keys], value);
  }, apart);
}

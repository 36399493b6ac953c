/** Changes of a policy whose setting takes effect instead of a wanted one. */
import type { World } from "../../../effective/world/world.ts";
import type { JsonObject } from "../../../model/json.ts";
import { BLOCK_ORDER, type BlockName } from "../../../model/policy.ts";
import { formatRef, kindId, type ObjectRef, objectId, type PolicyId, parseObjectId } from "../../../model/refs.ts";
import { type HowDraft, rawIn, withStep } from "../draft.ts";
import {
  blockKeys,
  policyApart,
  withCondition,
  withOverridesAsDefaults,
  withoutSettings,
  withSettings,
  withSettingsAsDefaults,
} from "../edit-policy.ts";
import type { PolicyInEffect } from "../policies-in-effect.ts";
import type { HowStep, Way } from "../result.ts";
import { formatNames, formatWanted, type HowSearch } from "../search.ts";
import type { UnitWish } from "../settings.ts";
import { exceptWhere } from "./condition.ts";
import { narrowedTargets } from "./narrow-targets.ts";
import { freeName } from "./policy-name.ts";

/** A policy, and the wanted settings that one of its blocks takes effect instead of. */
export interface PolicyToChange {
  readonly policy: PolicyId;
  readonly block: BlockName;
  readonly settings: readonly UnitWish[];
}

/** The policies in effect, each once. A policy with two such blocks is there for the block that is merged last. */
export function policiesToChange({ policies }: World, inEffect: readonly PolicyInEffect[]): readonly PolicyToChange[] {
  const found = new Map<PolicyId, PolicyToChange>();
  for (const { policy, block, setting } of inEffect) {
    const own = policies.get(policy)?.policy?.blocks.map(({ name }) => name) ?? [];
    const at = block ?? own.at(-1) ?? "bare";
    const known = found.get(policy);
    if (known !== undefined && known.block !== at && BLOCK_ORDER.indexOf(known.block) > BLOCK_ORDER.indexOf(at))
      continue;
    const settings = known?.block === at ? known.settings : [];
    found.set(policy, { policy, block: at, settings: settings.includes(setting) ? settings : [...settings, setting] });
  }
  return [...found.values()];
}

/** The draft with this policy changed. Undefined if the change cannot be written, or changes nothing. */
export type PolicyWay = (search: HowSearch, draft: HowDraft, policy: PolicyToChange) => HowDraft | undefined;

interface Edit {
  readonly way: Way;
  readonly summary: string;
  readonly raw: JsonObject | undefined;
  readonly targets?: HowStep["targets"];
}

/** A way that edits the policy. `edit` gets the policy as the draft has it. */
const editing =
  (
    edit: (
      search: HowSearch,
      raw: JsonObject,
      policy: PolicyToChange & { readonly ref: ObjectRef },
    ) => Edit | undefined,
  ): PolicyWay =>
  (search, draft, own) => {
    const { policy, block } = own;
    const ref = parseObjectId(policy);
    const raw = rawIn(search.world, draft, policy);
    const edited = raw === undefined ? undefined : edit(search, raw, { ...own, ref });
    if (edited === undefined || edited.raw === raw) return undefined;
    const { way, summary, targets = [] } = edited;
    return withStep(draft, { way, object: policy, block, targets, summary }, ref, edited.raw);
  };

const inBlock = (block: BlockName): string => (block === "bare" ? "" : `, ${block}`);

export const changeValue: PolicyWay = editing((_, raw, { block, settings, ref }) => {
  const keys = blockKeys(raw, block);
  if (keys === undefined || settings.some(({ value }) => value === undefined)) return undefined;
  const summary = `Change ${formatWanted(settings)} in ${formatRef(ref)}${inBlock(block)}`;
  return { way: "ChangeValue", summary, raw: withSettings(raw, keys, settings) };
});

export const removeSetting: PolicyWay = editing((_, raw, { block, settings, ref }) => {
  const keys = blockKeys(raw, block);
  if (keys === undefined) return undefined;
  const summary = `Take ${formatNames(settings)} out of ${formatRef(ref)}${inBlock(block)}`;
  return { way: "RemoveSetting", summary, raw: withoutSettings(raw, keys, settings) };
});

/** Only the settings become defaults. */
export const makeSettingsDefaults: PolicyWay = editing((search, raw, { block, settings, ref, policy }) => {
  const { merge } = search.kind.definition;
  if (block !== "overrides" || merge.blocks === "Exclusive") return undefined;
  const edited = withSettingsAsDefaults(raw, settings, merge.granularity.field, spellingFor(search, policy));
  if (edited === undefined) return undefined;
  const summary = `Make ${formatNames(settings)} of ${formatRef(ref)} a default instead of an override`;
  return { way: "MakeDefault", summary, raw: edited };
});

/** All overrides of the policy become defaults. */
export const makeDefaults: PolicyWay = editing((search, raw, { block, ref, policy }) => {
  const edited = block === "overrides" ? withOverridesAsDefaults(raw, spellingFor(search, policy)) : undefined;
  if (edited === undefined) return undefined;
  return { way: "MakeDefault", summary: `Make all overrides of ${formatRef(ref)} defaults`, raw: edited };
});

/** The name of the block for defaults, in policies of that kind. */
function spellingFor({ formats }: HowSearch, policy: PolicyId): string {
  const id = kindId(parseObjectId(policy));
  const format = formats.find(({ own }) => kindId(own) === id);
  return format?.blocks.find(({ name }) => name === "defaults")?.keys.at(-1) ?? "defaults";
}

/** Where a more specific default sets what is wanted, the overrides have no settings. Defaults need no such condition: it replaces them. */
export const addCondition: PolicyWay = editing((search, raw, { block, ref }) => {
  const keys = block === "overrides" && areSet(search) ? blockKeys(raw, block) : undefined;
  if (keys === undefined) return undefined;
  const when = exceptWhere(search.settings);
  const summary = `Add a condition to ${formatRef(ref)}, ${block}: ${when}`;
  return { way: "AddCondition", summary, raw: withCondition(raw, keys, when) };
});

/** The condition for the settings alone: they move into a policy of their own, so that the other overrides stay without a condition. */
export const addConditionApart: PolicyWay = (search, draft, { policy, block, settings }) => {
  const { merge } = search.kind.definition;
  const raw = rawIn(search.world, draft, policy);
  const isOverride = block === "overrides" && areSet(search);
  const keys = raw === undefined || !isOverride ? undefined : blockKeys(raw, block);
  if (raw === undefined || keys === undefined) return undefined;
  const rest = withoutSettings(raw, keys, settings);
  // Without other overrides there is nothing to keep apart.
  if (blockKeys(rest, block) === undefined) return undefined;
  const ref = parseObjectId(policy);
  const name = freeName(search, draft, ref, `${ref.name}-${settings[0]?.keys[0] ?? ""}`);
  const apart = policyApart(raw, keys, settings, {
    name,
    strategyField: merge.granularity.field,
    targeting: search.kind.definition.targeting,
  });
  const when = exceptWhere(search.settings);
  const own: ObjectRef = { ...ref, name };
  const names = formatNames(settings);
  const moved: HowStep = {
    way: "RemoveSetting",
    object: policy,
    block,
    targets: [],
    summary: `Take ${names} out of ${formatRef(ref)}, ${block}`,
  };
  const created: HowStep = {
    way: "AddCondition",
    object: objectId(own),
    block,
    targets: [],
    summary: `Create ${formatRef(own)} with ${names} as it is, and a condition: ${when}`,
  };
  return withStep(withStep(draft, moved, ref, rest), created, own, withCondition(apart, keys, when));
};

/** True if every wanted setting has a value: a condition can be about that. */
const areSet = ({ settings }: HowSearch): boolean => settings.every(({ value }) => value !== undefined);

export const narrowTargets: PolicyWay = editing((search, raw, { policy, ref }) => {
  const narrowed = narrowedTargets(search, policy, raw);
  if (narrowed === undefined) return undefined;
  const summary = `Let ${formatRef(ref)} target ${narrowed.words} instead`;
  return { way: "NarrowTargets", summary, raw: narrowed.raw, targets: narrowed.targets };
});

export const deletePolicy: PolicyWay = (search, draft, { policy, block }) => {
  const ref = parseObjectId(policy);
  if (rawIn(search.world, draft, policy) === undefined) return undefined;
  const step: HowStep = {
    way: "DeletePolicy",
    object: policy,
    block,
    targets: [],
    summary: `Delete ${formatRef(ref)}`,
  };
  return withStep(draft, step, ref, undefined);
};

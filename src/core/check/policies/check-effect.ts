/** Policies, or parts of them, that are accepted and change nothing. */

import { fieldOfPointer } from "../../effective/fold/field-of-pointer.ts";
import { type Accepted, countedVerdict } from "../../effective/verdicts/counted-verdict.ts";
import { targetsWithPathsElsewhere } from "../../effective/verdicts/paths-elsewhere.ts";
import { mayBeNamedElsewhere } from "../../effective/verdicts/unnamed-policy.ts";
import { refusalsOf } from "../../effective/world/link-indexes.ts";
import type { PolicyRecord, World } from "../../effective/world/world.ts";
import { noPathReason } from "../../explain/no-path-reason.ts";
import { blockPointer } from "../../explain/value-pointer.ts";
import { formatRef, type PolicyId, parseObjectId } from "../../model/refs.ts";
import { type CheckFinding, findingAt, type RelatedField } from "../check-finding.ts";
import { listNames, listPolicies } from "../list-names.ts";
import type { PolicyEffect, UnitEffect } from "./policy-effects.ts";

export function checkEffect(
  world: World,
  record: PolicyRecord,
  effect: PolicyEffect | undefined,
): readonly CheckFinding[] {
  const verdict = countedVerdict(world, record);
  if (verdict.state !== "Accepted") return [];
  switch (verdict.enforcement) {
    case "NoPath":
      // The finding NoController has the reason.
      return world.findUnenforced().has(record.object.id as PolicyId) ? [] : [reachesNothing(world, record)];
    case "Overridden":
      return [neverTakesEffect(record, verdict)];
    case "Incomplete":
    case "PartiallyEnforced":
    case "Enforced":
      return effect === undefined
        ? []
        : [...valuesNeverTakeEffect(world, record, effect), ...overridesNothing(world, record, effect)];
  }
}

function reachesNothing(world: World, record: PolicyRecord): CheckFinding {
  const { object, targets, kind } = record;
  const names = targets.attachments.map((one) => formatRef(parseObjectId(one.object), one.sectionName));
  const refused = targets.attachments.flatMap(({ object: target }): readonly RelatedField[] => {
    return refusalsOf(world, target).map(({ field, reason }) => ({
      object: target,
      field,
      message: `${formatRef(parseObjectId(target))} is not attached there: ${reason}`,
    }));
  });
  const why = noPathReason(world, kind, targets.attachments, listNames(names));
  const isKnown = targetsWithPathsElsewhere(world, record).length === 0 && !mayBeNamedElsewhere(world, record);
  return findingAt(object, {
    code: "ReachesNothing",
    severity: isKnown ? "warning" : "info",
    message: isKnown
      ? `${formatRef(object.ref)} is accepted and takes effect nowhere: ${why}`
      : `${formatRef(object.ref)} is accepted and takes effect nowhere in the input: ${why}`,
    fix: fixOf(refused.length > 0, isKnown),
    ...(refused.length === 0 ? {} : { related: refused.slice(0, SHOWN) }),
  });
}

function fixOf(isRefused: boolean, isKnown: boolean): string {
  if (isRefused) return "Attach its target to a parent first; the related field has the reason why it is not attached.";
  return isKnown
    ? "Delete the policy, or attach it to an object that carries traffic."
    : "Add the files of the routes with -f. If the files are everything there is, say so with --complete.";
}

const SHOWN = 5;

function neverTakesEffect({ object }: PolicyRecord, { total }: Accepted): CheckFinding {
  const where = total.paths === 1 ? "its only path" : `any of its ${total.paths} paths`;
  const winners = total.overriddenBy.map(({ policy }) => policy);
  const by = winners.length === 0 ? "the objects' own values" : listPolicies(winners, total.overriddenByTotal);
  const met = total.met === 0 ? "" : `; on ${total.met} of them its condition is false`;
  return findingAt(object, {
    code: "NeverTakesEffect",
    severity: "warning",
    message: `no setting of ${formatRef(object.ref)} takes effect on ${where}; it is overridden by ${by}${met}`,
    fix: "Delete the policy if it is out of date. If it should take effect, change the policy that overrides it.",
    ...(winners.length === 0 ? {} : { related: winners.slice(0, SHOWN).map(overriding) }),
  });
}

const overriding = (policy: PolicyId): RelatedField => ({
  object: policy,
  message: `${formatRef(parseObjectId(policy))} takes effect instead`,
});

/** A unit that takes effect nowhere, because of another policy or an object. A unit that only its own policy overrides does not count. */
const isOverridden = ({ takesEffect, lostTo, lostToObject }: UnitEffect): boolean =>
  !takesEffect && (lostTo.size > 0 || lostToObject);

function valuesNeverTakeEffect(
  world: World,
  { object, policy }: PolicyRecord,
  effect: PolicyEffect,
): readonly CheckFinding[] {
  const overridden = [...effect.units.values()].filter(isOverridden);
  const [first] = overridden;
  if (first === undefined || policy === undefined) return [];
  const winners = [...new Set(overridden.flatMap(({ lostTo }) => [...lostTo]))].sort();
  const own = overridden.some(({ lostToObject }) => lostToObject) ? ["the objects' own values"] : [];
  const by = listNames([...winners.slice(0, SHOWN).map((winner) => formatRef(parseObjectId(winner))), ...own]);
  const names = overridden.map(({ unit }) => fieldOfPointer(unit.pointer));
  const location = blockPointer(world, policy.id, first.block.name, first.unit.pointer);
  const count = `${overridden.length} of the ${effect.units.size} values`;
  return [
    findingAt(object, {
      code: "ValuesNeverTakeEffect",
      severity: "info",
      field: fieldOfPointer(location.pointer),
      message: `${count} of ${formatRef(object.ref)} ${overridden.length === 1 ? "takes" : "take"} effect nowhere: ${listNames(names.slice(0, MOST_VALUES), names.length)}; overridden by ${by}`,
      fix: "Remove the values that have no effect, or change the policies that override them.",
      ...(winners.length === 0 ? {} : { related: winners.slice(0, SHOWN).map(overriding) }),
    }),
  ];
}

const MOST_VALUES = 10;

function overridesNothing(
  world: World,
  { object, policy }: PolicyRecord,
  effect: PolicyEffect,
): readonly CheckFinding[] {
  const overrides = [...effect.units.values()].filter(({ block }) => block.name === "overrides");
  // Overrides with a condition react to lower policies, also to those without the same settings.
  const hasWhen = overrides.some(({ block }) => block.when !== undefined);
  const takesEffect = overrides.some((unit) => unit.takesEffect);
  if (policy === undefined || effect.overridesMeet || hasWhen || !takesEffect) return [];
  const { pointer } = blockPointer(world, policy.id, "overrides", "");
  const where = effect.paths === 1 ? "its only path" : `all of its ${effect.paths} paths`;
  return [
    findingAt(object, {
      code: "OverrideMeetsNothing",
      severity: "info",
      field: fieldOfPointer(pointer),
      message: `on ${where} no lower policy or object sets what the overrides of ${formatRef(object.ref)} set`,
      fix: "Keep the overrides if lower policies must not change these settings; otherwise use defaults, which have the same effect and allow changes.",
    }),
  ];
}

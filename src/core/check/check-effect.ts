/** Policies, or parts of them, that are accepted and change nothing. */

import { fieldOfPointer } from "../effective/fold/field-of-pointer.ts";
import type { Verdict } from "../effective/verdicts/verdict.ts";
import { verdictOf } from "../effective/verdicts/verdict-of.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import { noPathReason } from "../explain/no-path-reason.ts";
import { blockPointer } from "../explain/value-pointer.ts";
import { displayRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import { type CheckFinding, findingAt, type RelatedPlace } from "./check-finding.ts";
import { listNames, namePolicies } from "./name-policies.ts";
import type { PolicyFate, UnitFate } from "./policy-fates.ts";

export function checkEffect(world: World, record: PolicyRecord, fate: PolicyFate | undefined): readonly CheckFinding[] {
  const verdict = verdictOf(world, record);
  if (verdict.state !== "Accepted") return [];
  switch (verdict.enforcement) {
    case "NoPath":
      return [reachesNothing(world, record)];
    case "Overridden":
      return [neverPrevails(record, verdict)];
    case "PartiallyEnforced":
    case "Enforced":
      return fate === undefined
        ? []
        : [...valuesNeverPrevail(world, record, fate), ...meetsNothing(world, record, fate)];
  }
}

function reachesNothing(world: World, { object, targets, kind }: PolicyRecord): CheckFinding {
  const names = targets.attachments.map(({ ref, sectionName }) => displayRef(ref, sectionName));
  const refused = targets.attachments.flatMap(({ object: target, ref }): readonly RelatedPlace[] => {
    const refusals = world.links.get(target)?.refusals ?? [];
    return refusals.map(({ field, reason }) => ({
      object: target,
      field,
      message: `${displayRef(ref)} does not hang there: ${reason}`,
    }));
  });
  const why = noPathReason(world, kind, targets.attachments, listNames(names));
  return findingAt(object, {
    code: "ReachesNothing",
    severity: "warning",
    message: `${displayRef(object.ref)} is accepted and acts on nothing: ${why}`,
    fix:
      refused.length > 0
        ? "Attach what it targets first; the related finding says what is in the way."
        : "Delete the policy, or aim it at something that carries traffic.",
    ...(refused.length === 0 ? {} : { related: refused.slice(0, SHOWN) }),
  });
}

const SHOWN = 5;

type Accepted = Extract<Verdict, { readonly state: "Accepted" }>;

function neverPrevails({ object }: PolicyRecord, { total }: Accepted): CheckFinding {
  const where = total.paths === 1 ? "its only path" : `any of its ${total.paths} paths`;
  const winners = total.overriddenBy.map(({ policy }) => policy);
  const by = winners.length === 0 ? "the objects' own values" : namePolicies(winners, total.overriddenByTotal);
  const met = total.met === 0 ? "" : `, and on ${total.met} of them its condition does not ask it to act`;
  return findingAt(object, {
    code: "NeverPrevails",
    severity: "warning",
    message: `nothing of ${displayRef(object.ref)} prevails on ${where}; it loses to ${by}${met}`,
    fix: "Delete it if it is out of date; if it should hold, have the policy that wins changed.",
    ...(winners.length === 0 ? {} : { related: winners.slice(0, SHOWN).map(wins) }),
  });
}

const wins = (policy: PolicyId): RelatedPlace => ({
  object: policy,
  message: `${displayRef(parseObjectId(policy))} wins`,
});

/** What it lost to itself is another matter. */
const isDead = ({ prevails, lostTo, lostToObject }: UnitFate): boolean =>
  !prevails && (lostTo.size > 0 || lostToObject);

function valuesNeverPrevail(world: World, { object, policy }: PolicyRecord, fate: PolicyFate): readonly CheckFinding[] {
  const dead = [...fate.units.values()].filter(isDead);
  const [first] = dead;
  if (first === undefined || policy === undefined) return [];
  const winners = [...new Set(dead.flatMap(({ lostTo }) => [...lostTo]))].sort();
  const own = dead.some(({ lostToObject }) => lostToObject) ? ["the objects' own values"] : [];
  const by = listNames([...winners.slice(0, SHOWN).map((winner) => displayRef(parseObjectId(winner))), ...own]);
  const names = dead.map(({ unit }) => fieldOfPointer(unit.pointer));
  const place = blockPointer(world, policy.id, first.block.name, first.unit.pointer);
  const count = `${dead.length} of the ${fate.units.size} values`;
  return [
    findingAt(object, {
      code: "ValuesNeverPrevail",
      severity: "info",
      field: fieldOfPointer(place.pointer),
      message: `${count} of ${displayRef(object.ref)} ${dead.length === 1 ? "prevails" : "prevail"} nowhere: ${listNames(names.slice(0, MOST_VALUES), names.length)}; decided by ${by}`,
      fix: "Remove what has no effect, so that nobody relies on it.",
      ...(winners.length === 0 ? {} : { related: winners.slice(0, SHOWN).map(wins) }),
    }),
  ];
}

const MOST_VALUES = 10;

function meetsNothing(world: World, { object, policy }: PolicyRecord, fate: PolicyFate): readonly CheckFinding[] {
  const overrides = [...fate.units.values()].filter(({ block }) => block.name === "overrides");
  // One with a condition reacts to what is below it, whether that has the same names or not.
  const hasWhen = overrides.some(({ block }) => block.when !== undefined);
  const prevails = overrides.some((unit) => unit.prevails);
  if (policy === undefined || fate.overridesMeet || hasWhen || !prevails) return [];
  const { pointer } = blockPointer(world, policy.id, "overrides", "");
  const where = fate.paths === 1 ? "its only path" : `all of its ${fate.paths} paths`;
  return [
    findingAt(object, {
      code: "OverrideMeetsNothing",
      severity: "info",
      field: fieldOfPointer(pointer),
      message: `on ${where} nothing more specific says what the overrides of ${displayRef(object.ref)} would override`,
      fix: "Leave them if they are there to forbid it; otherwise defaults do the same and leave others a choice.",
    }),
  ];
}

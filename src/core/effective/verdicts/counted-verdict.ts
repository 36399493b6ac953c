import { SortedMap } from "../../model/collections/sorted-map.ts";
import type { Finding } from "../../model/finding.ts";
import type { ObjectId, PolicyId, TargetId } from "../../model/refs.ts";
import { clipText } from "../../model/words/clip-text.ts";
import type { AncestorTally, PolicyTally } from "../world/policy-tally.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { type Conflict, findConflict } from "./find-conflict.ts";
import { formatRejection } from "./format-rejection.ts";
import { joinMessages } from "./join-messages.ts";
import { isUnnamed } from "./unnamed-policy.ts";
import type { AncestorVerdict, CountedVerdict, Enforcement, NotAcceptedReason, Tally } from "./verdict.ts";

/** The number of policies and targets that a verdict names. */
const SHOWN = 10;

/** The verdict of a policy as the paths of the input show it: an object that is not in the input counts as absent. */
export function countedVerdict(world: World, record: PolicyRecord): CountedVerdict {
  const { noneValid, isUndecided } = record.references;
  // In most cases the policy is on a path and has no invalid references, so it is accepted.
  const tally = world.countTallies().get(record.object.id as PolicyId);
  if (tally !== undefined && noneValid === undefined) return isUndecided ? undecided(accepted(tally)) : accepted(tally);
  if (record.policy === undefined) {
    return notAccepted("Invalid", record.findings.filter(isReason).map(withField));
  }
  if (isUnnamed(record)) return noneValid === undefined ? NO_PATH : notAccepted(noneValid.reason, [noneValid.message]);
  if (record.targets.attachments.length === 0) {
    return notAccepted(
      "TargetNotFound",
      record.targets.rejections.slice(0, SHOWN).map((rejection) => formatRejection(world, rejection)),
    );
  }
  const conflicts = conflictsOnAllTargets(world, record);
  if (conflicts !== undefined)
    return notAccepted(
      "Conflicted",
      conflicts.map(({ message }) => message),
      conflicts,
    );
  return noneValid === undefined ? NO_PATH : notAccepted(noneValid.reason, [noneValid.message]);
}

/** Why a policy is Invalid: its errors, and placeholders that are not replaced. */
const isReason = ({ severity, code }: Finding): boolean => severity === "error" || code === "UnreplacedPlaceholder";

/** Most messages name their field themselves. */
const withField = ({ field, message }: Finding): string =>
  field === undefined || message.includes(field) ? message : `${field}: ${message}`;

const notAccepted = (
  reason: NotAcceptedReason,
  messages: readonly string[],
  conflicts: readonly Conflict[] = [],
): CountedVerdict => ({
  state: "NotAccepted",
  reason,
  message: clipText(joinMessages(messages.slice(0, SHOWN))),
  by: [...new Set(conflicts.map(({ by }) => by))].sort(),
});

/** One conflict for each target; undefined if the policy takes effect on a target, which is enough to be accepted. */
function conflictsOnAllTargets(world: World, record: PolicyRecord): readonly Conflict[] | undefined {
  const conflicts: Conflict[] = [];
  for (const attachment of record.targets.attachments) {
    const conflict = findConflict(world, record, attachment);
    if (conflict === undefined) return undefined;
    conflicts.push(conflict);
  }
  return conflicts;
}

export type Accepted = Extract<CountedVerdict, { readonly state: "Accepted" }>;

/** The references of the policy are not known to be valid, so it is not known whether it takes effect. */
function undecided(verdict: Accepted): CountedVerdict {
  const of = (known: Enforcement): Enforcement => (known === "Overridden" ? known : "Incomplete");
  return {
    ...verdict,
    enforcement: of(verdict.enforcement),
    ancestors: verdict.ancestors.map((one) => ({ ...one, enforcement: of(one.enforcement) })),
  };
}

function accepted(tally: PolicyTally): Accepted {
  const ancestors = tally.first(tally.size, ancestorVerdict);
  const [only] = ancestors;
  if (only !== undefined && ancestors.length === 1)
    return { state: "Accepted", enforcement: only.enforcement, total: only.tally, ancestors };
  const whole = sumOf(tally);
  return { state: "Accepted", enforcement: enforcementOf(whole), total: plainTally(whole), ancestors };
}

/** The verdict on those paths of a policy that are counted under these ancestors. Undefined: it has none. */
export function verdictAmong(
  world: World,
  id: PolicyId,
  ancestors: ReadonlySet<ObjectId>,
): Pick<AncestorVerdict, "enforcement" | "tally"> | undefined {
  const counts = new Map<ObjectId, AncestorTally>();
  world
    .countTallies()
    .get(id)
    ?.forEach((ancestor, own) => {
      if (ancestors.has(ancestor)) counts.set(ancestor, own);
    });
  if (counts.size === 0) return undefined;
  const sum = sumOf(SortedMap.from(counts));
  return { enforcement: enforcementOf(sum), tally: plainTally(sum) };
}

export const ancestorVerdict = (ancestor: ObjectId, counts: AncestorTally): AncestorVerdict => ({
  ancestor,
  enforcement: enforcementOf(counts),
  tally: plainTally(counts),
});

const EMPTY_TALLY: Tally = {
  paths: 0,
  incomplete: 0,
  full: 0,
  partial: 0,
  none: 0,
  met: 0,
  idle: 0,
  overriddenBy: [],
  overriddenByTotal: 0,
  overriddenAt: [],
  overriddenAtTotal: 0,
};

const NO_PATH: CountedVerdict = { state: "Accepted", enforcement: "NoPath", total: EMPTY_TALLY, ancestors: [] };

/**
 * The verdict is that of the complete paths. A policy without a complete path is Incomplete: a policy above, which is not known, may override
 * it. Paths on which the constraint of a policy is met, or on which it has nothing to set or remove, do not count.
 */
function enforcementOf({ paths, incomplete, full, partial, none }: PathCounts): Enforcement {
  if (incomplete === paths) return "Incomplete";
  if (none > 0 && full + partial === 0) return "Overridden";
  return none + partial === 0 ? "Enforced" : "PartiallyEnforced";
}

type PathCounts = Omit<AncestorTally, "errors">;

const plainTally = (counts: PathCounts): Tally => {
  const { paths, incomplete, full, partial, none, met, idle, overriddenBy, overriddenAt } = counts;
  return {
    paths,
    incomplete,
    full,
    partial,
    none,
    met,
    idle,
    overriddenBy: overriddenBy.first(SHOWN, (policy, count) => ({ policy, paths: count })),
    overriddenByTotal: overriddenBy.size,
    overriddenAt: overriddenAt.first(SHOWN, (target, count) => ({ target, paths: count })),
    overriddenAtTotal: overriddenAt.size,
  };
};

/** The sum over all ancestors. A policy on few targets has few; one on a whole class has that class. */
function sumOf(tally: PolicyTally): PathCounts {
  const total = { paths: 0, incomplete: 0, full: 0, partial: 0, none: 0, met: 0, idle: 0 };
  const overriddenBy = new Map<PolicyId, number>();
  const overriddenAt = new Map<TargetId, number>();
  tally.forEach((_: ObjectId, counts) => {
    total.paths += counts.paths;
    total.incomplete += counts.incomplete;
    total.full += counts.full;
    total.partial += counts.partial;
    total.none += counts.none;
    total.met += counts.met;
    total.idle += counts.idle;
    counts.overriddenBy.forEach((policy, count) => overriddenBy.set(policy, (overriddenBy.get(policy) ?? 0) + count));
    counts.overriddenAt.forEach((target, count) => overriddenAt.set(target, (overriddenAt.get(target) ?? 0) + count));
  });
  return {
    ...total,
    overriddenBy: SortedMap.from(overriddenBy),
    overriddenAt: SortedMap.from(overriddenAt),
  };
}

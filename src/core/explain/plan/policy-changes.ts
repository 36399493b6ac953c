/** Policies that take effect on more or fewer paths after a change. */
import { compareVerdicts } from "../../effective/update/update-world.ts";
import type { Verdict } from "../../effective/verdicts/verdict.ts";
import { verdictOf } from "../../effective/verdicts/verdict-of.ts";
import type { World } from "../../effective/world/world.ts";
import { compareText, type GroupKind, type PolicyId } from "../../model/refs.ts";
import type { KindChange, PathChange, PolicyChange, PolicyShare } from "./result.ts";

export interface ComparedWorlds {
  readonly before: World;
  readonly after: World;
  /** Policies whose verdict may change. */
  readonly judged: ReadonlySet<PolicyId>;
}

export function policyChanges(
  { before, after, judged }: ComparedWorlds,
  kinds: readonly Pick<KindChange, "policyKind" | "changes">[],
): readonly PolicyChange[] {
  const shares = sharesOf(kinds);
  const verdicts = new Map(compareVerdicts({ before, after }, judged).map((change) => [change.policy, change]));
  const policies: PolicyChange[] = [];
  for (const policy of [...new Set([...verdicts.keys(), ...shares.keys()])].sort(compareText)) {
    const [verdict, share] = [verdicts.get(policy), shares.get(policy)];
    const policyKind = verdict?.policyKind ?? share?.policyKind;
    if (policyKind === undefined) continue;
    const { before: was, after: is } = verdict ?? unchanged(before, after, policy);
    const [nowInEffect, noLongerInEffect] = [toShares(share?.nowInEffect), toShares(share?.noLongerInEffect)];
    if (nowInEffect.length + noLongerInEffect.length === 0 && isSameEnforcement(was, is)) continue;
    policies.push({
      policy,
      policyKind,
      ...(was === undefined ? {} : { before: was }),
      ...(is === undefined ? {} : { after: is }),
      nowInEffect,
      noLongerInEffect,
    });
  }
  return policies;
}

function unchanged(before: World, after: World, policy: PolicyId): Pick<PolicyChange, "before" | "after"> {
  const [old, now] = [before.policies.get(policy), after.policies.get(policy)];
  return {
    ...(old === undefined ? {} : { before: verdictOf(before, old) }),
    ...(now === undefined ? {} : { after: verdictOf(after, now) }),
  };
}

/** True if enforcement, counts and overriding policies are equal. The paths list where exactly. */
function isSameEnforcement(was: Verdict | undefined, is: Verdict | undefined): boolean {
  if (was?.state !== "Accepted" || is?.state !== "Accepted") return false;
  const keyOf = ({ enforcement, total }: typeof was): string =>
    JSON.stringify([
      enforcement,
      total.paths,
      total.incomplete,
      total.full,
      total.partial,
      total.none,
      total.met,
      total.idle,
      total.overriddenByTotal,
      total.overriddenBy.map(({ policy }) => policy),
    ]);
  return keyOf(was) === keyOf(is);
}

interface Shares {
  readonly policyKind: GroupKind;
  readonly nowInEffect: Map<string, number>;
  readonly noLongerInEffect: Map<string, number>;
}

/** Counts the paths where settings of each policy start or stop to take effect. A path that is replaced by another counts as unchanged. */
function sharesOf(kinds: readonly Pick<KindChange, "policyKind" | "changes">[]): ReadonlyMap<PolicyId, Shares> {
  const shares = new Map<PolicyId, Shares>();
  for (const kind of kinds) {
    const isMoved = ({ change }: PathChange): boolean => change !== "changed";
    const stays = countShares(kind.changes.filter((path) => !isMoved(path)));
    const moved = countShares(kind.changes.filter(isMoved));
    for (const [policy, { nowInEffect, noLongerInEffect }] of moved)
      cancel(nowInEffect, noLongerInEffect, policy, stays);
    for (const [policy, share] of stays) shares.set(policy, { policyKind: kind.policyKind, ...share });
  }
  return shares;
}

type Counts = Map<
  PolicyId,
  { readonly nowInEffect: Map<string, number>; readonly noLongerInEffect: Map<string, number> }
>;

function countShares(paths: readonly PathChange[]): Counts {
  const counts: Counts = new Map();
  for (const { values, removals } of paths) {
    // A path counts once, even if the policy sets several items of the object on it.
    const seen = new Set<string>();
    const add = (
      policy: PolicyId | null | undefined,
      how: "nowInEffect" | "noLongerInEffect",
      pointer: string,
    ): void => {
      const key = `${how} ${policy} ${pointer}`;
      if (policy === null || policy === undefined || seen.has(key)) return;
      seen.add(key);
      bump(counts, policy, how, pointer, 1);
    };
    for (const { pointer, before, after } of values) {
      if (before?.source.policy === after?.source.policy) continue;
      add(before?.source.policy, "noLongerInEffect", pointer);
      add(after?.source.policy, "nowInEffect", pointer);
    }
    for (const { policy, entry, change } of removals) add(policy, change, `${REMOVE}${entry}`);
  }
  return counts;
}

function bump(
  counts: Counts,
  policy: PolicyId,
  how: "nowInEffect" | "noLongerInEffect",
  pointer: string,
  count: number,
): void {
  const share = counts.get(policy) ?? {
    nowInEffect: new Map<string, number>(),
    noLongerInEffect: new Map<string, number>(),
  };
  counts.set(policy, share);
  share[how].set(pointer, (share[how].get(pointer) ?? 0) + count);
}

function cancel(
  nowInEffect: ReadonlyMap<string, number>,
  noLongerInEffect: ReadonlyMap<string, number>,
  policy: PolicyId,
  into: Counts,
): void {
  for (const pointer of new Set([...nowInEffect.keys(), ...noLongerInEffect.keys()])) {
    const net = (nowInEffect.get(pointer) ?? 0) - (noLongerInEffect.get(pointer) ?? 0);
    if (net !== 0) bump(into, policy, net > 0 ? "nowInEffect" : "noLongerInEffect", pointer, Math.abs(net));
  }
}

/** The key of an entry of `remove` among pointers, which begin with a slash. */
const REMOVE = "remove ";

const toShares = (shares: ReadonlyMap<string, number> = new Map()): readonly PolicyShare[] =>
  [...shares]
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, paths]) =>
      key.startsWith(REMOVE) ? { remove: key.slice(REMOVE.length), paths } : { pointer: key, paths },
    );

import { findConflict } from "../effective/verdicts/find-conflict.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText, formatRef } from "../model/refs.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";
import { kindsOfPolicies } from "./definition-caveats.ts";
import { touchesPolicy } from "./touched-objects.ts";

/** Policies on one target of which it is not defined which takes effect: what takes effect there is not known. */
export function undefinedConflictCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope } = context;
  if (!world.rulebook.kinds.some(({ definition }) => definition.merge.sameTarget === "Undefined")) return [];
  const own = scope.about === "Policies" ? kindsOfPolicies(world, scope.policies) : undefined;
  const found: KubeObject[] = [];
  world.policies.forEach((record) => {
    const { object, targets, kind } = record;
    if (kind.definition.merge.sameTarget !== "Undefined") return;
    if (own === undefined ? !touchesPolicy(context, object) : !own.has(object.family.kindId)) return;
    if (targets.attachments.some((one) => findConflict(world, record, one)?.isUndefined)) found.push(object);
  });
  if (found.length === 0) return [];
  found.sort((a, b) => compareText(a.id, b.id));
  const summary = `which of ${found.length} policies take effect is not defined`;
  return [
    caveat("UndefinedConflict", {
      message: `${summary}, because several are on one target: ${listNames(found.map(({ ref }) => formatRef(ref)))}`,
      summary,
      objects: found.map((policy) => located(policy)),
    }),
  ];
}

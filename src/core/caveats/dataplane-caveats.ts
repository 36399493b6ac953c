import { isCarriedOut } from "../dataplane/carried-out.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { kindId } from "../model/refs.ts";
import { countKinds } from "../model/words/count-kinds.ts";
import type { Caveat, CaveatDataplane, CountedPolicies } from "./caveat.ts";
import { type CaveatContext, caveat, located } from "./caveat-context.ts";

const NAMES: Readonly<Record<CaveatDataplane, string>> = { embedded: "the embedded gateway", envoy: "Envoy" };

/** Policy kinds that are resolved, and that the data plane of the question does not carry out. */
export function notCarriedOutCaveats({ world, scope, names }: CaveatContext): readonly Caveat[] {
  if (scope.dataplane === undefined) return [];
  const counts: CountedPolicies[] = [];
  const objects: KubeObject[] = [];
  for (const { definition } of world.rulebook.kinds) {
    if (definition.policies.some(isCarriedOut)) continue;
    for (const { group, kind } of definition.policies) {
      const policies = world.objects.ofKind(kindId({ group, kind }));
      if (policies.length > 0) counts.push({ group, kind, count: policies.length });
      objects.push(...policies);
    }
  }
  if (counts.length === 0) return [];
  const are = objects.length === 1 ? "is" : "are";
  const summary = `${countKinds(counts, names.kindName)} ${are} not carried out`;
  return [
    caveat("NotCarriedOut", {
      message: `${summary} by ${NAMES[scope.dataplane]}: ${objects.length === 1 ? "it is" : "they are"} resolved, and requests are served without ${objects.length === 1 ? "it" : "them"}`,
      summary,
      objects: objects.map((policy) => located(policy)),
      policies: counts,
    }),
  ];
}

import { concerns } from "../model/parse/policy/approximations-of.ts";
import { kindId } from "../model/refs.ts";
import { countKinds, joinWords } from "../model/words/count-kinds.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, located } from "./caveat-context.ts";
import { kindsOfPolicies } from "./definition-caveats.ts";
import { touchesPolicy } from "./touched-objects.ts";

/** Kinds whose definition differs from the implementation in a way that matters for a policy of the question. */
export function approximateCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope, names } = context;
  const own = scope.about === "Policies" ? kindsOfPolicies(world, scope.policies) : undefined;
  return world.rulebook.kinds.flatMap(({ definition, policyKind }): readonly Caveat[] => {
    const { approximate = [] } = definition;
    if (approximate.length === 0) return [];
    const policies = definition.policies
      .flatMap((kind) => world.objects.ofKind(kindId(kind)))
      .filter((policy) => (own === undefined ? touchesPolicy(context, policy) : own.has(policy.family.kindId)));
    const differences = approximate.filter((one) => policies.some((policy) => concerns(one, policy, definition)));
    const concerned = policies.filter((policy) => differences.some((one) => concerns(one, policy, definition)));
    if (concerned.length === 0) return [];
    const counts = [{ ...policyKind, count: concerned.length }];
    const rests = concerned.length === 1 ? "rests" : "rest";
    const summary = `the definition of ${policyKind.kind} is approximate`;
    return [
      caveat("ApproximateDefinition", {
        message: `${summary}, and ${countKinds(counts, names.kindName)} ${rests} on it: ${joinWords(differences.map(({ because }) => because))}`,
        summary,
        objects: concerned.map((policy) => located(policy)),
        policies: counts,
      }),
    ];
  });
}

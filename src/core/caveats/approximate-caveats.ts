import type { Approximation, PolicyDefinition } from "../model/definition.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { settingsOf } from "../model/parse/policy/settings-of.ts";
import { kindId } from "../model/refs.ts";
import { countKinds, joinWords } from "../model/words/count-kinds.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, located } from "./caveat-context.ts";
import { kindsOfPolicies } from "./definition-caveats.ts";
import { touchesPolicy } from "./touched-objects.ts";

/** Kinds whose definition differs from the implementation in a way that matters for a policy of the question. */
export function approximateCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope } = context;
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
        message: `${summary}, and ${countKinds(counts)} ${rests} on it: ${joinWords(differences.map(({ because }) => because))}`,
        summary,
        objects: concerned.map((policy) => located(policy)),
        policies: counts,
      }),
    ];
  });
}

function concerns({ paths }: Approximation, { raw }: KubeObject, definition: PolicyDefinition): boolean {
  return paths.length === 0 || paths.some((path) => hasValueAt(settingsOf(raw, definition), path.split(".")));
}

/**
 * True if there is a value at the path. In a list a number is the index of an item; with another segment any item counts. A segment
 * `targetRef[kind=Namespace]` is about an object with that value, and `[mergeType=Merge]` at the beginning about the spec itself.
 */
function hasValueAt(value: Json | undefined, segments: readonly string[]): boolean {
  const [segment, ...rest] = segments;
  if (isJsonList(value)) {
    if (segment !== undefined && /^\d+$/.test(segment)) return hasValueAt(value[Number(segment)], rest);
    return value.some((item) => hasValueAt(item, segments));
  }
  if (segment === undefined) return value !== undefined && value !== null;
  const [, key = segment, name, wanted] = /^(.*)\[(.+)=(.+)\]$/.exec(segment) ?? [];
  const found = key === "" ? value : isJsonObject(value) ? ownValue(value, key) : undefined;
  if (name === undefined) return hasValueAt(found, rest);
  const items = isJsonList(found) ? found : found === undefined ? [] : [found];
  return items.some((item) => isJsonObject(item) && ownValue(item, name) === wanted && hasValueAt(item, rest));
}

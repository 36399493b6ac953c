import { writtenTargets } from "../effective/findings/ignored-policies.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText, formatRef } from "../model/refs.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";
import { namesObject } from "./touched-objects.ts";

/** Policies on targets of kinds that the specification leaves to implementations: whether they take effect is not known. */
export function specificKindCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope } = context;
  const found: { readonly policy: KubeObject; readonly field: string }[] = [];
  world.policies.forEach(({ object, targets }, id) => {
    const rejection = targets.rejections.find(
      ({ code }) => code === "ImplementationSpecificKind" || code === "UnknownWorkloads",
    );
    if (rejection === undefined || (scope.about === "Policies" && !scope.policies.includes(id))) return;
    if (isNamedByQuestion(context, object)) found.push({ policy: object, field: rejection.field });
  });
  if (found.length === 0) return [];
  found.sort((a, b) => compareText(a.policy.id, b.policy.id));
  const isOne = found.length === 1;
  const names = listNames(found.map(({ policy }) => formatRef(policy.ref)));
  const summary = `whether ${isOne ? "1 policy takes" : `${found.length} policies take`} effect is not known`;
  return [
    caveat("ImplementationSpecificKind", {
      message: `${summary}: ${isOne ? "it targets" : "they target"} workloads, or a kind that is left to implementations: ${names}`,
      summary,
      objects: found.map(({ policy, field }) => located(policy, field)),
    }),
  ];
}

/** True if an object of the question names a target of the policy. */
function isNamedByQuestion({ world, scope, related }: CaveatContext, policy: KubeObject): boolean {
  const about = scope.about === "Objects" ? related() : undefined;
  if (about === undefined) return true;
  const targets = (writtenTargets(policy) ?? []).flatMap(({ name, ...rest }) =>
    name === undefined ? [] : [{ name, ...rest }],
  );
  for (const id of [...about.below, ...about.above]) {
    const object = world.objects.get(id);
    if (object !== undefined && targets.some((target) => namesObject(object, target))) return true;
  }
  return false;
}

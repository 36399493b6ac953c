import { writtenTargets } from "../effective/findings/ignored-policies.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText, formatRef } from "../model/refs.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";
import { namesObject } from "./touched-objects.ts";

/** Why the targets of policies are not known, as the end of a sentence about one policy and about several. */
const REASONS = {
  ImplementationSpecificKind: [
    "the kind of its target is left to implementations",
    "the kind of their targets is left to implementations",
  ],
  UnknownWorkloads: ["it selects workloads that are not known", "they select workloads that are not known"],
} as const;

/** Policies on targets of kinds that the specification leaves to implementations, and on workloads: whether they take effect is not known. */
export const specificKindCaveats = (context: CaveatContext): readonly Caveat[] => [
  ...caveatsOf(context, "ImplementationSpecificKind"),
  ...caveatsOf(context, "UnknownWorkloads"),
];

function caveatsOf(context: CaveatContext, code: keyof typeof REASONS): readonly Caveat[] {
  const { world, scope } = context;
  const found: { readonly policy: KubeObject; readonly field: string }[] = [];
  world.policies.forEach(({ object, targets }, id) => {
    const rejection = targets.rejections.find((one) => one.code === code);
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
      message: `${summary}: ${REASONS[code][isOne ? 0 : 1]}: ${names}`,
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

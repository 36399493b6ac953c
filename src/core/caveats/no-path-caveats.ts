import { isRoute, targetsWithPathsElsewhere } from "../effective/verdicts/paths-elsewhere.ts";
import { mayBeNamedElsewhere } from "../effective/verdicts/unnamed-policy.ts";
import type { World } from "../effective/world/world.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText, formatRef, type ObjectId, type PolicyId, parseObjectId } from "../model/refs.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";

/** Targets through which no path of their policies leads in the input: the routes may be elsewhere. */
export function noKnownPathCaveats({ world, scope, related }: CaveatContext): readonly Caveat[] {
  // A path leads through whatever is above a route, if the route is attached.
  if (scope.about === "Objects" && scope.objects.every(isRoute)) return [];
  const asked = scope.about === "Policies" ? new Set<ObjectId>(scope.policies) : undefined;
  const objects = scope.about === "Objects" ? related() : undefined;
  const isAsked = (target: ObjectId): boolean => objects === undefined || objects.below.has(target);
  const targets = new Set<ObjectId>();
  world.policies.forEach((record, id: PolicyId) => {
    if (asked !== undefined && !asked.has(id)) return;
    for (const target of targetsWithPathsElsewhere(world, record, isAsked)) targets.add(target);
  });
  return [...unreachedTargets(world, targets), ...unnamedPolicies(world, asked)];
}

function unreachedTargets(world: World, targets: ReadonlySet<ObjectId>): readonly Caveat[] {
  if (targets.size === 0) return [];
  const sorted = [...targets].sort(compareText);
  const names = listNames(sorted.map((id) => formatRef(parseObjectId(id))));
  const isOne = targets.size === 1;
  const through = isOne ? names : `${targets.size} targets of policies`;
  return [
    caveat("NoKnownPath", {
      message: `no route in the input leads through ${isOne ? names : `${through}: ${names}`}. Where the policies on ${isOne ? "it" : "them"} take effect is not known`,
      summary: `no route in the input leads through ${through}`,
      objects: sorted.flatMap((id) => {
        const object = world.objects.get(id);
        return object === undefined ? [{ object: id }] : [located(object)];
      }),
    }),
  ];
}

/** Policies that no object in the input names. `asked`: undefined if the question is not about policies. */
function unnamedPolicies(world: World, asked: ReadonlySet<ObjectId> | undefined): readonly Caveat[] {
  const unnamed: KubeObject[] = [];
  world.policies.forEach((record, id) => {
    if ((asked === undefined || asked.has(id)) && mayBeNamedElsewhere(world, record)) unnamed.push(record.object);
  });
  if (unnamed.length === 0) return [];
  const names = listNames(unnamed.map(({ ref }) => formatRef(ref)));
  const isOne = unnamed.length === 1;
  const what = isOne ? names : `${unnamed.length} policies`;
  return [
    caveat("NoKnownPath", {
      message: `no object in the input names ${isOne ? names : `${what}: ${names}`}. Where ${isOne ? "it takes" : "they take"} effect is not known`,
      summary: `no object in the input names ${what}`,
      objects: unnamed.map((object) => located(object)),
    }),
  ];
}

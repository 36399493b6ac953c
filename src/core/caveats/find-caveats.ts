import { type KindNames, kindNamesIn } from "../effective/findings/kind-names.ts";
import type { World } from "../effective/world/world.ts";
import { once } from "../model/collections/once.ts";
import { isFromCluster } from "../model/completeness.ts";
import { parseObjectId } from "../model/refs.ts";
import {
  absentBackendCaveats,
  absentParentCaveats,
  absentReferenceCaveats,
  absentTargetCaveats,
} from "./absent-object-caveats.ts";
import { approximateCaveats } from "./approximate-caveats.ts";
import type { Caveat, CaveatScope } from "./caveat.ts";
import { caveatCodes } from "./caveat-codes.ts";
import type { CaveatContext } from "./caveat-context.ts";
import { unknownControllerCaveats } from "./controller-caveats.ts";
import { notCarriedOutCaveats } from "./dataplane-caveats.ts";
import {
  brokenDefinitionCaveats,
  inferredCaveats,
  invalidPolicyCaveats,
  unknownKindCaveats,
} from "./definition-caveats.ts";
import {
  lfsPointerCaveats,
  notInCommitCaveats,
  refusedCaveats,
  templateCaveats,
  unevaluatedRuleCaveats,
  unreadableCaveats,
  unreadableResourceCaveats,
} from "./input-caveats.ts";
import { noKnownPathCaveats } from "./no-path-caveats.ts";
import { placeholderCaveats } from "./placeholder-caveats.ts";
import { relatedObjects } from "./related-objects.ts";
import { specificKindCaveats } from "./specific-kind-caveats.ts";
import { undefinedConflictCaveats } from "./undefined-conflict-caveats.ts";

/** Broken before partial. */
const finders: ReadonlyArray<(context: CaveatContext) => readonly Caveat[]> = [
  unreadableCaveats,
  brokenDefinitionCaveats,
  refusedCaveats,
  invalidPolicyCaveats,
  unevaluatedRuleCaveats,
  unknownKindCaveats,
  inferredCaveats,
  approximateCaveats,
  undefinedConflictCaveats,
  unreadableResourceCaveats,
  placeholderCaveats,
  templateCaveats,
  lfsPointerCaveats,
  notInCommitCaveats,
  absentParentCaveats,
  absentBackendCaveats,
  absentTargetCaveats,
  absentReferenceCaveats,
  specificKindCaveats,
  noKnownPathCaveats,
  unknownControllerCaveats,
  notCarriedOutCaveats,
];

/** Finds everything that an answer leaves out of account, in a defined order. */
export function findCaveats(world: World, scope: CaveatScope): readonly Caveat[] {
  const names = kindNamesIn(world);
  const context: CaveatContext = { world, scope, names, related: once(() => relatedObjects(world, scope)) };
  const caveats = finders.flatMap((find) => find(context)).map((caveat) => withGroups(caveat, names));
  return isFromCluster(world.completeness) ? caveats.map(forCluster) : caveats;
}

/** Kinds that share their name with another have their group in the texts of a caveat. */
function withGroups(caveat: Caveat, { inText }: KindNames): Caveat {
  const { message, summary, fix, policies, objects } = caveat;
  const about = [
    ...policies,
    ...objects.flatMap(({ object }) => (object === undefined ? [] : [parseObjectId(object)])),
  ];
  return { ...caveat, message: inText(message, about), summary: inText(summary, about), fix: inText(fix, about) };
}

/** Files are added with -f; what is missing of a cluster is a matter of rights. */
const forCluster = (caveat: Caveat): Caveat => ({
  ...caveat,
  fix: caveatCodes[caveat.code].fixInCluster ?? caveat.fix,
});

/** Objects of kinds that there are not: nobody reads them, and nobody would say so. */
import type { World } from "../effective/world/world.ts";
import { isJsonObject, ownValue } from "../model/json.ts";
import { kinds as builtInKinds, GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { displayRef, type GroupKind, kindId, parseKindId } from "../model/refs.ts";
import { nearMiss } from "../model/words/near-miss.ts";
import { type CheckFinding, findingAt } from "./check-finding.ts";

const EXPERIMENTAL = "gateway.networking.x-k8s.io";

/** Groups whose kinds we know, all of them. */
const OUR_GROUPS: readonly string[] = [GATEWAY_API, EXPERIMENTAL, "prevail.dev"];

/** Gateway API has, or had, these as well; nothing here reads them. */
const UNREAD: readonly GroupKind[] = [
  ...["BackendLBPolicy", "BackendPolicy", "ReferencePolicy"].map((kind) => ({ group: GATEWAY_API, kind })),
  ...["XBackend", "XMesh", "XTelemetryPolicy"].map((kind) => ({ group: EXPERIMENTAL, kind })),
];

export function checkKinds(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  for (const id of world.objects.byKind.kinds()) {
    if (world.rulebook.factsOf(id) !== undefined || UNREAD.some((unread) => kindId(unread) === id)) continue;
    const kind = parseKindId(id);
    const meant = meantKind(world, kind);
    if (!OUR_GROUPS.includes(kind.group) && (meant === undefined || meant.group === kind.group)) continue;
    for (const object of world.objects.byKind.inOrder(id))
      if (!looksLikePolicy(object)) findings.push(unknownKind(object, kind, meant));
  }
  return findings;
}

/** The engine has told of these (`UnknownPolicyKind`). */
function looksLikePolicy({ raw }: KubeObject): boolean {
  const spec = ownValue(raw, "spec");
  return isJsonObject(spec) && ["targetRef", "targetRefs"].some((key) => ownValue(spec, key) !== undefined);
}

function unknownKind(object: KubeObject, kind: GroupKind, meant: GroupKind | undefined): CheckFinding {
  const guess = meant === undefined ? "" : `; did you mean ${wordsFor(meant, kind)}?`;
  return findingAt(object, {
    code: "UnknownKind",
    severity: "warning",
    field: meant === undefined || meant.group === kind.group ? "kind" : "apiVersion",
    message: `${displayRef(object.ref)} is left out: ${groupName(kind.group)} has no kind ${kind.kind}${guess}`,
  });
}

const groupName = (group: string): string => (group === "" ? "the core group" : group);

/** `'HTTPRoute'`, or `'HTTPRoute' of gateway.networking.k8s.io` where it is in another group than is written. */
export const wordsFor = (meant: GroupKind, written: GroupKind): string =>
  `'${meant.kind}'${meant.group === written.group ? "" : ` of ${groupName(meant.group)}`}`;

/** What somebody meant who wrote a kind that there is not: one of the same group with nearly that name, or one of that name in the right group. */
export function meantKind(world: World, { group, kind }: GroupKind): GroupKind | undefined {
  const known = knownKinds(world);
  const siblings = known.filter((one) => one.group === group).map((one) => one.kind);
  const near = nearMiss(kind, siblings);
  if (near !== undefined) return { group, kind: near };
  return known.find((one) => one.kind.toLowerCase() === kind.toLowerCase() && isMistaken(group, one.group));
}

const knownKinds = ({ rulebook }: World): readonly GroupKind[] => [
  ...builtInKinds,
  ...rulebook.kinds.flatMap(({ definition }) => [...definition.policies, ...definition.hierarchy.kinds]),
];

/** Somebody else's kind may have the same name; but the groups of Kubernetes itself, which have no dot or end like this, have none of these. */
const isMistaken = (group: string, right: string): boolean =>
  !group.includes(".") || group.endsWith("k8s.io") || nearMiss(group, [right]) !== undefined;

/** Findings about objects of unknown kinds, which are ignored otherwise. */
import type { World } from "../../effective/world/world.ts";
import { isJsonObject, ownValue } from "../../model/json.ts";
import { kinds as builtInKinds, GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, type GroupKind, kindId, parseKindId } from "../../model/refs.ts";
import { nearMiss } from "../../model/words/near-miss.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

const EXPERIMENTAL = "gateway.networking.x-k8s.io";

/** Groups of which all kinds are known. */
const OUR_GROUPS: readonly string[] = [GATEWAY_API, EXPERIMENTAL, "prevail.dev"];

/** Further kinds of Gateway API, of this or earlier releases. Prevail does not read them. */
const UNREAD: readonly GroupKind[] = [
  ...["BackendLBPolicy", "BackendPolicy", "ReferencePolicy"].map((kind) => ({ group: GATEWAY_API, kind })),
  ...["XBackend", "XMesh", "XTelemetryPolicy"].map((kind) => ({ group: EXPERIMENTAL, kind })),
];

export function checkKinds(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  for (const id of world.objects.kinds()) {
    if (world.rulebook.factsOf(id) !== undefined || UNREAD.some((unread) => kindId(unread) === id)) continue;
    const kind = parseKindId(id);
    const meant = meantKind(world, kind);
    if (!OUR_GROUPS.includes(kind.group) && (meant === undefined || meant.group === kind.group)) continue;
    for (const object of world.objects.ofKind(id))
      if (!looksLikePolicy(object)) findings.push(unknownKind(object, kind, meant));
  }
  return findings;
}

/** The engine reports these itself (`UnknownPolicyKind`). */
function looksLikePolicy({ raw }: KubeObject): boolean {
  const spec = ownValue(raw, "spec");
  return isJsonObject(spec) && ["targetRef", "targetRefs"].some((key) => ownValue(spec, key) !== undefined);
}

function unknownKind(object: KubeObject, kind: GroupKind, meant: GroupKind | undefined): CheckFinding {
  const guess = meant === undefined ? "" : `; did you mean ${formatKind(meant, kind)}?`;
  return findingAt(object, {
    code: "UnknownKind",
    severity: "warning",
    field: meant === undefined || meant.group === kind.group ? "kind" : "apiVersion",
    message: `${formatRef(object.ref)} is ignored: unknown kind '${kind.kind}' in ${groupName(kind.group)}${guess}`,
  });
}

const groupName = (group: string): string => (group === "" ? "the core group" : group);

/** `'HTTPRoute'`, or `'HTTPRoute' of gateway.networking.k8s.io` if the group differs from the one that is written. */
export const formatKind = (meant: GroupKind, written: GroupKind): string =>
  `'${meant.kind}'${meant.group === written.group ? "" : ` of ${groupName(meant.group)}`}`;

/** The kind that was probably meant by an unknown one: a similar name in the same group, or the same name in another group. */
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

/** A vendor's kind may have the same name. Kubernetes' own groups, without a dot or with `k8s.io` at the end, have none of these kinds. */
const isMistaken = (group: string, right: string): boolean =>
  !group.includes(".") || group.endsWith("k8s.io") || nearMiss(group, [right]) !== undefined;

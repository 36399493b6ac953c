/** Findings about objects of unknown kinds, which are ignored otherwise. */
import { hasKnownKinds, isUnread, meantKind } from "../../effective/findings/meant-kind.ts";
import type { World } from "../../effective/world/world.ts";
import { isJsonObject, ownValue } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, type GroupKind, parseKindId } from "../../model/refs.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

export function checkKinds(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  for (const id of world.objects.kinds()) {
    const kind = parseKindId(id);
    if (world.rulebook.factsOf(id) !== undefined || isUnread(kind)) continue;
    const meant = meantKind(world, kind);
    if (!hasKnownKinds(kind.group) && (meant === undefined || meant.group === kind.group)) continue;
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

/** The kind that an unknown one was probably meant to be. */
import { kinds as builtInKinds, GATEWAY_API } from "../../model/kinds.ts";
import { type GroupKind, kindId } from "../../model/refs.ts";
import { nearMiss } from "../../model/words/near-miss.ts";
import type { World } from "../world/world.ts";

const EXPERIMENTAL = "gateway.networking.x-k8s.io";

/** Groups of which all kinds are known. */
const OUR_GROUPS: readonly string[] = [GATEWAY_API, EXPERIMENTAL, "prevail.dev"];

/** Further kinds of Gateway API, of this or earlier releases. Prevail does not read them. */
const UNREAD: readonly GroupKind[] = [
  ...["BackendLBPolicy", "BackendPolicy", "ReferencePolicy"].map((kind) => ({ group: GATEWAY_API, kind })),
  ...["XBackend", "XMesh", "XTelemetryPolicy"].map((kind) => ({ group: EXPERIMENTAL, kind })),
];

export const isUnread = (kind: GroupKind): boolean => UNREAD.some((unread) => kindId(unread) === kindId(kind));

export const hasKnownKinds = (group: string): boolean => OUR_GROUPS.includes(group);

/** The kind that was probably meant by an unknown one: a similar name in the same group, or the same name in another group. */
export function meantKind(world: Rules, { group, kind }: GroupKind): GroupKind | undefined {
  const known = knownKinds(world);
  const siblings = known.filter((one) => one.group === group).map((one) => one.kind);
  const near = nearMiss(kind, siblings);
  if (near !== undefined) return { group, kind: near };
  return known.find((one) => one.kind.toLowerCase() === kind.toLowerCase() && isMistaken(group, one.group));
}

type Rules = Pick<World, "rulebook">;

const knownKinds = ({ rulebook }: Rules): readonly GroupKind[] => [
  ...builtInKinds,
  ...rulebook.kinds.flatMap(({ definition }) => [...definition.policies, ...definition.hierarchy.kinds]),
];

/** A vendor's kind may have the same name. Kubernetes' own groups, without a dot or with `k8s.io` at the end, have none of these kinds. */
const isMistaken = (group: string, right: string): boolean =>
  !group.includes(".") || group.endsWith("k8s.io") || nearMiss(group, [right]) !== undefined;

/** Policy kinds about which nothing is written or withdrawn, because something that they rest on cannot be read. */
import type { CompiledKind } from "../../core/effective/world/compiled-kind.ts";
import type { World } from "../../core/effective/world/world.ts";
import { type Evaluation, optionsOf, worldOf } from "../../core/evaluation.ts";
import { isCompleteForAll } from "../../core/model/completeness.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { type GroupKind, type KindId, kindId, parseKindId } from "../../core/model/refs.ts";
import { RULE_KINDS } from "../../sources/cluster/choose-resources.ts";

export interface HeldKinds {
  /** By policy kind: the first resource that it rests on and that cannot be read. */
  readonly byPolicyKind: ReadonlyMap<KindId, string>;
  /** Why it is not known which policy kinds there are; undefined if it is known. Then nothing is withdrawn that is about an unknown kind. */
  readonly unknownKinds: string | undefined;
  /**
   * Policy kinds that are not owned, and are known by a definition that is built in, of the library or inferred, while it is not known which kinds there are: a
   * PolicyDefinition may have been used before. Nothing is withdrawn that is about them.
   */
  readonly replacedKinds: ReadonlySet<KindId>;
}

export const NOT_HELD: HeldKinds = { byPolicyKind: new Map(), unknownKinds: undefined, replacedKinds: new Set() };

/** Every kind may depend on the labels of Namespaces, and on grants. */
const ALWAYS: readonly GroupKind[] = [
  { group: "", kind: "Namespace" },
  { group: GATEWAY_API, kind: "ReferenceGrant" },
];

/**
 * Nothing is reported from a part of the facts. Where a kind cannot be listed, or its watch fails, the last words stay: a policy whose
 * targets cannot be read is not a policy without targets.
 * `troubled`: kinds that cannot be followed now.
 */
export function findHeldKinds(
  evaluation: Evaluation,
  troubled: ReadonlySet<KindId>,
  owned: readonly CompiledKind[],
): HeldKinds {
  const world = worldOf(evaluation);
  const isReadable = (kind: GroupKind): boolean =>
    isCompleteForAll(world.completeness, kind) && !troubled.has(kindId(kind));
  const byPolicyKind = new Map<KindId, string>();
  for (const kind of world.rulebook.kinds) {
    const unread = restsOn(kind).find((one) => !isReadable(one));
    if (unread === undefined) continue;
    for (const policy of kind.definition.policies) byPolicyKind.set(kindId(policy), kindId(unread));
  }
  const unknownKinds = whyUnknown(world, isReadable);
  const isReplaced = (kind: CompiledKind): boolean => !owned.includes(kind) && !isDeclared(kind, evaluation);
  const replaced = unknownKinds === undefined ? [] : world.rulebook.kinds.filter(isReplaced);
  const replacedKinds = new Set(replaced.flatMap(({ definition }) => definition.policies.map(kindId)));
  return { byPolicyKind, unknownKinds, replacedKinds };
}

/** True if a PolicyDefinition of the cluster describes the kind. */
function isDeclared({ definition, policyKind }: CompiledKind, evaluation: Evaluation): boolean {
  const { definitions, library } = optionsOf(evaluation);
  return !definition.inferred && !definitions.includes(definition) && library?.find(policyKind) !== definition;
}

const restsOn = ({ definition, onPaths, through }: CompiledKind): readonly GroupKind[] => [
  ...definition.policies,
  ...definition.targeting.kinds,
  ...[...onPaths].filter((kind) => through === undefined || through.has(kind)).map(parseKindId),
  ...ALWAYS,
];

function whyUnknown({ rulebook }: World, isReadable: (kind: GroupKind) => boolean): string | undefined {
  const unread = RULE_KINDS.find((kind) => !isReadable(kind));
  if (unread !== undefined) return `${unread.kind}s cannot be read`;
  return rulebook.findings.find(({ severity }) => severity === "error")?.message;
}

/** The kinds that the status of Gateways and routes rests on. */
export const OF_GATEWAYS: readonly GroupKind[] = [
  ...ALWAYS,
  { group: "", kind: "Service" },
  ...["GatewayClass", "Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"].map(
    (kind) => ({
      group: GATEWAY_API,
      kind,
    }),
  ),
];

/** True if the status of Gateways and routes stays as it is, because something that it rests on cannot be read. `troubled`: as above. */
export const areGatewaysHeld = (world: World, troubled: ReadonlySet<KindId>): boolean =>
  OF_GATEWAYS.some((kind) => !isCompleteForAll(world.completeness, kind) || troubled.has(kindId(kind)));

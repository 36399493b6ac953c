import type { Attachment } from "../../attachment/resolved-targets.ts";
import { noneConflicted } from "../../merge/none-conflicted.ts";
import type { Policy } from "../../model/policy.ts";
import { formatRef, type PolicyId, parseObjectId } from "../../model/refs.ts";
import { formatTraffic } from "../../model/traffic.ts";
import { attachedIn } from "../world/attached-policies.ts";
import type { PolicyRecord, World } from "../world/world.ts";

/** A target on which a policy is Conflicted: another policy of a kind with the strategy None takes effect there. */
export interface Conflict {
  readonly by: PolicyId;
  readonly message: string;
}

/** Why a policy is Conflicted on one of its targets; undefined: it is not. */
export function findConflict(
  world: World,
  { kind, policy }: Pick<PolicyRecord, "kind" | "policy">,
  attachment: Attachment,
): Conflict | undefined {
  if (!kind.definition.merge.none || policy === undefined) return undefined;
  const established = noneConflicted(policiesOn(world, kind.index, attachment))?.established;
  if (established === undefined || established.id === policy.id) return undefined;
  return { by: established.id, message: conflictMessage(attachment, established, policy, kind.policyKind.kind) };
}

/** The policies that meet on a target: those for all requests and, for a consumer's policy, those of the same consumer namespace. */
const policiesOn = (
  world: World,
  kindIndex: number,
  { object, sectionName, consumer }: Attachment,
): readonly Policy[] =>
  attachedIn(world.attached[kindIndex]?.get(object))
    .filter((entry) => entry.sectionName === sectionName && (entry.consumer ?? consumer) === consumer)
    .map(({ policy }) => policy);

function conflictMessage(
  { object, sectionName, consumer }: Attachment,
  established: Policy,
  { createdAt }: Policy,
  kind: string,
): string {
  const requests = consumer === undefined ? "" : ` for requests from ${formatTraffic(consumer)}`;
  const why = established.createdAt === createdAt ? "comes first by namespace/name" : "is older";
  return `${formatRef(parseObjectId(object), sectionName)} already has ${formatRef(established.object.ref)}${requests}, which ${why}; only one ${kind} takes effect on a target`;
}

import type { Attachment } from "../../attachment/resolved-targets.ts";
import { precedenceReason } from "../../merge/precedence.ts";
import { conflictAmong, mayConflict, sharedFields, type TargetConflict } from "../../merge/settle-target.ts";
import type { Policy } from "../../model/policy.ts";
import { formatRef, type PolicyId, parseObjectId } from "../../model/refs.ts";
import { formatTraffic } from "../../model/traffic.ts";
import { fieldOfPointer } from "../fold/field-of-pointer.ts";
import { attachedIn } from "../world/attached-policies.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { PolicyRecord, World } from "../world/world.ts";

/** A target on which a policy is Conflicted: another policy takes effect there, or none does, or it is not defined which one does. */
export interface Conflict {
  readonly isUndefined: boolean;
  readonly by: PolicyId;
  readonly message: string;
}

/** Why a policy is Conflicted on one of its targets; undefined: it is not. */
export function findConflict(
  world: World,
  { kind, policy }: Pick<PolicyRecord, "kind" | "policy">,
  attachment: Attachment,
): Conflict | undefined {
  if (policy === undefined || !mayConflict(kind.definition.merge)) return undefined;
  const conflict = conflictAmong(policy, policiesOn(world, kind.index, attachment), kind.definition.merge);
  if (conflict === undefined) return undefined;
  return {
    isUndefined: conflict.because === "Undefined",
    by: conflict.by.id,
    message: conflictMessage(attachment, conflict, policy, kind),
  };
}

/** The policies that meet on a target: those for all requests and, for a consumer's policy, those of the same consumer namespace. */
const policiesOn = (
  world: World,
  kindIndex: number,
  { object, sectionName, consumer, isNamed = false, isMeshWide = false }: Attachment,
): readonly Policy[] =>
  attachedIn(world.attached[kindIndex]?.get(object))
    .filter((entry) => entry.sectionName === sectionName && entry.isNamed === isNamed)
    .filter((entry) => entry.isMeshWide === isMeshWide)
    .filter((entry) => (entry.consumer ?? consumer) === consumer)
    .map(({ policy }) => policy);

function conflictMessage(
  { object, sectionName, consumer }: Attachment,
  { by, because }: TargetConflict,
  policy: Policy,
  { definition: { merge }, policyKind: { kind } }: CompiledKind,
): string {
  const target = formatRef(parseObjectId(object), sectionName);
  const other = formatRef(by.object.ref);
  const requests = consumer === undefined ? "" : ` for requests from ${formatTraffic(consumer)}`;
  const why = precedenceReason(merge, by, policy);
  switch (because) {
    case "OneTakesEffect":
      return `${target} already has ${other}${requests}, which ${why}; only one ${kind} takes effect on a target`;
    case "BothSet": {
      const fields = sharedFields(by, policy).map(fieldOfPointer);
      return `${target} already has ${other}, which ${why} and sets ${listFields(fields)}, too; of two ${kind} on a target that set the same field, the second is not accepted`;
    }
    case "NoneTakesEffect":
      return `${target} also has ${other}; of several ${kind} on one target none takes effect`;
    case "Undefined":
      return `${target} also has ${other}; of several ${kind} on one target one takes effect, and it is not defined which`;
    case "Limit":
      return `${target} already has ${merge.limit} ${kind}, the first of which is ${other}; at most ${merge.limit} take effect on a target`;
  }
}

const SHOWN_FIELDS = 3;

const listFields = (fields: readonly string[]): string =>
  fields.length <= SHOWN_FIELDS
    ? fields.join(", ")
    : `${fields.slice(0, SHOWN_FIELDS).join(", ")} and ${fields.length - SHOWN_FIELDS} more`;

/** Withdraws what the controller has written into objects that it does not report on. */
import { isConflict } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { listObjects } from "../../adapters/cluster/client/list-objects.ts";
import {
  type ApiObjectName,
  getObject,
  nameOf,
  type UpdateOptions,
  updateObject,
  updateStatus,
} from "../../adapters/cluster/client/object-requests.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { COVERAGE_RULE } from "../../core/check/coverage/check-coverage.ts";
import { type JsonObject, objectAt, objectsIn, ownValue } from "../../core/model/json.ts";
import { kinds as builtInKinds } from "../../core/model/kinds.ts";
import { type GroupKind, type KindId, kindId } from "../../core/model/refs.ts";
import { isAffectedTypeOf } from "../../core/status/affected-type.ts";
import { conditionsWrittenBy, hasConditionOf, withoutConditions } from "../../core/status/former-conditions.ts";
import { type MergedStatus, type MergeOptions, mergeStatus } from "../../core/status/merge-status.ts";
import type { WantedStatus } from "../../core/status/wanted-status.ts";
import { hasTargetField } from "../../sources/cluster/choose-resources.ts";
import { isExtension } from "../../sources/cluster/find-policy-kinds.ts";
import { fieldManagerOf } from "./field-manager-of.ts";

const MAX_CONFLICTS = 8;
/** One for the object, one for its status, and one more. */
const MAX_WRITES = 3;

/** Another writer, such as a mutating webhook, puts back with each write what is withdrawn. */
export class RestoredError extends Error {
  override readonly name = "RestoredError";

  constructor() {
    super("what is withdrawn is put back with each write, as a mutating webhook may do");
  }
}

/** Kinds whose conditions are not those of a policy. */
const NO_POLICIES: ReadonlySet<KindId> = new Set([...builtInKinds.map(kindId), COVERAGE_RULE]);

/** True if the kind may be one of policies, also if no definition describes it any more. */
export const mayBePolicyKind = (kind: GroupKind): boolean => isExtension(kind.group) && !NO_POLICIES.has(kindId(kind));

/** True if objects of the resource may have something of this controller although their kind is not followed. */
export const mayBeWritten = (resource: ApiResource): boolean =>
  mayBePolicyKind(resource) && resource.verbs.includes("list") && resource.verbs.includes("update");

/** The objects of a resource in which the controller has written something. Only their metadata is read. */
export async function findWritten(
  client: KubeClient,
  resource: ApiResource,
  controllerName: string,
  signal: AbortSignal,
): Promise<readonly ApiObjectName[]> {
  const manager = fieldManagerOf(controllerName);
  const { items } = await listObjects(client, resource, { only: "Metadata", signal });
  return items.flatMap((item) => {
    const metadata = objectAt(item, "metadata");
    if (!objectsIn(ownValue(metadata, "managedFields")).some((entry) => entry["manager"] === manager)) return [];
    return [nameOf(item)];
  });
}

export interface WithdrawOptions {
  readonly client: KubeClient;
  readonly controllerName: string;
  readonly resource: ApiResource;
  readonly name: ApiObjectName;
  /** The status that stays. Undefined: only conditions of a policy are withdrawn; others do the rest. */
  readonly wanted: WantedStatus | undefined;
  /** True if the kind is known to be one of policies. */
  readonly isPolicyKind: boolean;
  /** True for kinds whose objects get `Affected` conditions although they are not of Gateway API. */
  readonly isReported: (kind: GroupKind) => boolean;
  /** The part of the object that is withdrawn. Absent: all of it. */
  readonly part?: "status" | "annotations";
  /** Called before each write. Undefined: it may not be written now. */
  readonly beforeWrite: () => Promise<Pick<UpdateOptions, "deadlineMs"> | undefined>;
  readonly now: () => string;
  readonly signal: AbortSignal;
}

/**
 * Reads the object and removes what is this controller's: entries of its name, its `Affected` conditions and annotations, and conditions of a policy that its
 * field manager wrote alone. `Withheld`: `beforeWrite` did not allow the write. Throws a `RestoredError` where writes do not help.
 */
export async function withdrawObject(options: WithdrawOptions): Promise<"Withdrawn" | "Nothing" | "Withheld"> {
  const { client, controllerName, resource, name, part, beforeWrite, signal } = options;
  const isAffected = isAffectedTypeOf(controllerName);
  let isTarget = options.isReported(resource);
  let conflicts = 0;
  for (let writes = 0; ; ) {
    // The whole object: what is listed and watched has no managed fields.
    const object = await getObject(client, resource, name, { signal });
    const outcome = writes > 0 ? "Withdrawn" : "Nothing";
    if (object === undefined) return outcome;
    // After the first write it is not in the list any more.
    isTarget ||= hasConditionOf(object, isAffected);
    const { object: next, changes } = withdrawnFrom(object, options, isTarget);
    const isOfObject = changes.annotations && part !== "status";
    // The status of an object without the subresource is not written.
    const isOfStatus = changes.status && part !== "annotations" && resource.hasStatus;
    if (next === undefined || !(isOfObject || isOfStatus)) return outcome;
    if (writes === MAX_WRITES) throw new RestoredError();
    const limits = await beforeWrite();
    if (limits === undefined) return "Withheld";
    try {
      // A change of annotations is one of the object itself; its status follows with the new version.
      const put = isOfObject ? updateObject : updateStatus;
      await put(client, resource, next, { ...limits, fieldManager: fieldManagerOf(controllerName) });
      writes++;
    } catch (error) {
      if (!isConflict(error) || ++conflicts >= MAX_CONFLICTS) throw error;
    }
  }
}

/** The object without what is this controller's; undefined if there is nothing. */
function withdrawnFrom(
  object: JsonObject,
  { controllerName, resource, wanted, isPolicyKind, now }: WithdrawOptions,
  isTarget: boolean,
): Pick<MergedStatus, "object" | "changes"> {
  const { object: merged, changes } =
    wanted === undefined ? UNCHANGED : mergeStatus(object, wanted, withdrawalOptions(controllerName, now()));
  if (!mayBePolicyKind(resource)) return { object: merged, changes };
  const isPolicy = isPolicyKind || hasTargetField(ownValue(object, "spec"));
  const former = conditionsWrittenBy(object, fieldManagerOf(controllerName), {
    isPolicy,
    isTarget,
    isAffected: isAffectedTypeOf(controllerName),
  });
  if (former.length === 0) return { object: merged, changes };
  return { object: withoutConditions(merged ?? object, former), changes: { ...changes, status: true } };
}

const UNCHANGED: Pick<MergedStatus, "object" | "changes"> = {
  object: undefined,
  changes: { status: false, annotations: false },
};

/** Everything is ours to withdraw. */
export const withdrawalOptions = (controllerName: string, now: string): MergeOptions => ({
  controllerName,
  isOurs: isAffectedTypeOf(controllerName),
  mayChangeAncestors: true,
  // Entries of routes that this controller wrote as that of a GatewayClass; the status of Gateways stays.
  implementsGatewayApi: true,
  now,
});

/** The status report of the controller, by object. */
import type { ObjectId } from "../model/refs.ts";
import type { AncestorStatus, Condition, StatusReport, TargetStatus } from "./status-report.ts";

/** The status that the controller reports about one object. It withdraws what it reported before and is not here. */
export interface WantedStatus {
  /** The entries of `status.ancestors`; empty for objects that are not policies of an owned kind. */
  readonly ancestors: readonly AncestorStatus[];
  /** `status.conditions` of a policy of an owned kind whose status has no ancestors; empty: none any more. Absent for all other objects. */
  readonly conditions?: readonly Condition[];
  /** The `Affected` conditions; for an object of this controller's GatewayClasses also its own. */
  readonly targets: readonly TargetStatus[];
  /** True: the status as a whole is this controller's, as that of a Gateway of its class: it lists the listeners and writes the fields. */
  readonly isOwn?: boolean;
}

/** Nothing is reported about the object. */
export const NOTHING_WANTED: WantedStatus = { ancestors: [], targets: [] };

/** `isReported`: whether the conditions of a target are written at all. */
export function wantedStatuses(
  { policies, targets }: Pick<StatusReport, "policies" | "targets">,
  isReported: (target: TargetStatus) => boolean,
): ReadonlyMap<ObjectId, WantedStatus> {
  const wanted = new Map<ObjectId, Omit<WantedStatus, "targets"> & { targets: TargetStatus[] }>();
  for (const { policy, ancestors, conditions } of policies)
    wanted.set(policy, { ancestors, ...(conditions === undefined ? {} : { conditions }), targets: [] });
  for (const target of targets) {
    if (!isReported(target)) continue;
    const known = wanted.get(target.object);
    if (known === undefined) wanted.set(target.object, { ancestors: [], targets: [target] });
    else known.targets.push(target);
  }
  return wanted;
}

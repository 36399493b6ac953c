import type { PolicyDefinition } from "../../core/model/definition.ts";
import type { GroupKind } from "../../core/model/refs.ts";

export interface KindOwner {
  readonly controllerName: string;
  /** The policy kinds that the operator gives to the controller. */
  readonly isOwned: (kind: GroupKind) => boolean;
}

/** True if the controller writes the status of the kind: the operator says so, or the definition names it as the owner. One of several kinds stands for all. */
export const ownsKind = ({ controllerName, isOwned }: KindOwner, { policies, status }: PolicyDefinition): boolean =>
  status.owner === controllerName || policies.some(isOwned);

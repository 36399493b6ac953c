import { type GroupKind, type ObjectId, type ObjectRef, objectId } from "./refs.ts";

/** A kind of which the snapshot has every object, in all namespaces or in some. */
export interface CompleteKind extends GroupKind {
  readonly namespaces: "All" | readonly string[];
}

/**
 * The kinds that a snapshot is known to have every object of. What is absent where the snapshot is complete does not exist; what is absent
 * elsewhere is not known. Files are a part of the world unless their author says otherwise; a cluster is complete for what may be listed.
 *
 * @example
 * ```ts
 * const completeness: Completeness = [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespaces: "All" }];
 * console.log(findings(evaluate(buildSnapshot(objects, { completeness }))).length);
 * ```
 */
export type Completeness = "Complete" | "Partial" | readonly CompleteKind[];

/** True for objects of a cluster: only of those is it known which kinds are complete. */
export const isFromCluster = (completeness: Completeness): boolean => typeof completeness !== "string";

/** True if an object of this kind and namespace that is not in the snapshot does not exist. */
export function isCompleteFor(completeness: Completeness, { group, kind }: GroupKind, namespace: string): boolean {
  switch (completeness) {
    case "Complete":
      return true;
    case "Partial":
      return false;
    default:
      return completeness.some(
        (one) =>
          one.kind === kind && one.group === group && (one.namespaces === "All" || one.namespaces.includes(namespace)),
      );
  }
}

/** True if the snapshot has every object of the kind. */
export const isCompleteForAll = (completeness: Completeness, { group, kind }: GroupKind): boolean =>
  typeof completeness === "string"
    ? completeness === "Complete"
    : completeness.some((one) => one.kind === kind && one.group === group && one.namespaces === "All");

/** The known facts about objects that a snapshot does not have. */
export interface KnownAbsence {
  /** Where an absent object does not exist, and where it is not known. */
  readonly completeness: Completeness;
  /** Objects that do not exist, because a planned change deletes them. */
  readonly deleted: ReadonlySet<ObjectId>;
}

/** True if an object that is not in the snapshot does not exist. */
export const isKnownAbsent = ({ completeness, deleted }: KnownAbsence, ref: ObjectRef): boolean =>
  isCompleteFor(completeness, ref, ref.namespace) || (deleted.size > 0 && deleted.has(objectId(ref)));

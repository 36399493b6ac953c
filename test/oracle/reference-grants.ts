/** ReferenceGrant (GEP-709): the namespace of the referent allows references from elsewhere. */
import type { ObjectRef } from "../../src/core/model/refs.ts";
import type { ClusterObject } from "./cluster-objects.ts";
import { fieldAt, mapsIn, textField } from "./json-value.ts";
import { gatewayGroup, isSameKind } from "./kind-table.ts";

export function isGranted(objects: readonly ClusterObject[], from: ObjectRef, to: ObjectRef): boolean {
  return objects.some(({ ref, raw }) => {
    if (!isSameKind(ref, { group: gatewayGroup, kind: "ReferenceGrant" }) || ref.namespace !== to.namespace)
      return false;
    const allowsFrom = mapsIn(fieldAt(raw, "spec.from")).some(
      (item) =>
        (textField(item, "group") ?? "") === from.group &&
        textField(item, "kind") === from.kind &&
        textField(item, "namespace") === from.namespace,
    );
    const allowsTo = mapsIn(fieldAt(raw, "spec.to")).some(
      (item) =>
        (textField(item, "group") ?? "") === to.group &&
        textField(item, "kind") === to.kind &&
        (!textField(item, "name") || textField(item, "name") === to.name),
    );
    return allowsFrom && allowsTo;
  });
}

import { isJsonObject, type JsonObject, ownValue } from "../../../core/model/json.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** An object without what is never read: `managedFields` and the copy that `kubectl apply` keeps are often the larger half of it. */
export function trimObject(object: JsonObject): JsonObject {
  const metadata = ownValue(object, "metadata");
  if (!isJsonObject(metadata)) return object;
  const annotations = ownValue(metadata, "annotations");
  const hasCopy = isJsonObject(annotations) && Object.hasOwn(annotations, LAST_APPLIED);
  if (!Object.hasOwn(metadata, "managedFields") && !hasCopy) return object;
  const { managedFields: _, ...kept } = metadata;
  if (!hasCopy) return { ...object, metadata: kept };
  const { [LAST_APPLIED]: __, ...others } = annotations;
  if (Object.keys(others).length > 0) return { ...object, metadata: { ...kept, annotations: others } };
  const { annotations: ___, ...bare } = kept;
  return { ...object, metadata: bare };
}

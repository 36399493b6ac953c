import { isJsonObject, type JsonObject, ownValue } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";

const NO_LABELS: JsonObject = {};

export function labelsOf(object: KubeObject | undefined): JsonObject {
  const metadata = object === undefined ? undefined : ownValue(object.raw, "metadata");
  const labels = isJsonObject(metadata) ? ownValue(metadata, "labels") : undefined;
  return isJsonObject(labels) ? labels : NO_LABELS;
}

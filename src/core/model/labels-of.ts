import { isJsonObject, type JsonObject, ownValue } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";

const NO_LABELS: JsonObject = {};

/** The labels of a Namespace, defined or not: the API server gives each one its name. */
export const namespaceLabelsOf = (object: KubeObject | undefined, name: string): JsonObject => ({
  ...labelsOf(object),
  "kubernetes.io/metadata.name": name,
});

export function labelsOf(object: Pick<KubeObject, "raw"> | undefined): JsonObject {
  const metadata = object === undefined ? undefined : ownValue(object.raw, "metadata");
  const labels = isJsonObject(metadata) ? ownValue(metadata, "labels") : undefined;
  return isJsonObject(labels) ? labels : NO_LABELS;
}

import { labelsOf } from "../model/kube-object.ts";
import type { ViewMetadata } from "./view-types.ts";
import type { ViewedObject } from "./viewed-objects.ts";

export function viewMetadata({ name, namespace, object }: ViewedObject): ViewMetadata {
  const labels = Object.entries(labelsOf(object)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return {
    name,
    ...(namespace === "" ? {} : { namespace }),
    ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
  };
}

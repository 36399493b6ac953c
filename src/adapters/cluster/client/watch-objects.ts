import { isJsonObject, type JsonObject, ownValue } from "../../../core/model/json.ts";
import { ClusterError } from "../cluster-error.ts";
import { apiError } from "./api-error.ts";
import type { KubeClient } from "./kube-client.ts";
import { type ApiResource, resourcePath } from "./resource.ts";
import { splitLines } from "./split-lines.ts";
import { trimObject } from "./trim-object.ts";

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: JsonObject; readonly resourceVersion: string }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly endsInitialEvents: boolean };

export interface WatchRequest {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Undefined: the stream begins with every object that exists, followed by a bookmark (`sendInitialEvents`). */
  readonly resourceVersion: string | undefined;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Called when the server has accepted the watch. */
  readonly onOpen?: () => void;
}

/**
 * The events of one watch request, until the server ends it. Throws an `ApiError` for an event of type ERROR (410: the version has expired) and
 * a `ClusterError` for anything that is not an event; a last line that was cut off is dropped, because the next watch repeats it.
 */
export async function* watchObjects(
  client: KubeClient,
  resource: ApiResource,
  options: WatchRequest,
): AsyncGenerator<WatchEvent> {
  const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, signal } = options;
  const initial = resourceVersion === undefined;
  const path = resourcePath(resource, namespace);
  const chunks = await client.stream({
    path,
    query: {
      watch: "1",
      allowWatchBookmarks: "true",
      timeoutSeconds: String(timeoutSeconds),
      labelSelector,
      fieldSelector,
      ...(initial ? { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" } : { resourceVersion }),
    },
    signal,
  });
  options.onOpen?.();
  for await (const line of splitLines(chunks)) yield parseEvent(line, path);
}

function parseEvent(line: string, path: string): WatchEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new ClusterError(`the watch of ${path} sent something that is not JSON: ${line.slice(0, 80)}`, {
      cause: error,
    });
  }
  const type = String(isJsonObject(value) && typeof value["type"] === "string" ? value["type"] : "");
  const object = isJsonObject(value) ? ownValue(value, "object") : undefined;
  if (!isJsonObject(object)) throw new ClusterError(`the watch of ${path} sent an event without an object`);
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: trimObject(object), resourceVersion: versionOf(object) };
    case "BOOKMARK":
      return {
        type,
        resourceVersion: versionOf(object),
        endsInitialEvents: annotationOf(object, "k8s.io/initial-events-end") === "true",
      };
    case "ERROR": {
      const code = ownValue(object, "code");
      throw apiError(typeof code === "number" ? code : 500, JSON.stringify(object), `watch of ${path}`);
    }
    default:
      throw new ClusterError(`the watch of ${path} sent an event of unknown type '${type}'`);
  }
}

export function versionOf(object: JsonObject): string {
  const metadata = ownValue(object, "metadata");
  const version = isJsonObject(metadata) ? ownValue(metadata, "resourceVersion") : undefined;
  return typeof version === "string" ? version : "";
}

function annotationOf(object: JsonObject, name: string): unknown {
  const metadata = ownValue(object, "metadata");
  const annotations = isJsonObject(metadata) ? ownValue(metadata, "annotations") : undefined;
  return isJsonObject(annotations) ? ownValue(annotations, name) : undefined;
}

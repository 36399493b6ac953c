import { isJsonObject, type JsonObject, objectsIn, ownValue } from "../../../core/model/json.ts";
import { isExpired } from "./api-error.ts";
import type { KubeClient } from "./kube-client.ts";
import { type ApiResource, resourcePath } from "./resource.ts";
import { trimObject } from "./trim-object.ts";

export interface ListOptions {
  /** All namespaces if undefined. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Only the metadata of objects, with their managed fields. Otherwise whole objects without these. */
  readonly only?: "Metadata" | undefined;
  /** Called after each page with the number of objects so far. */
  readonly onPage?: ((count: number) => void) | undefined;
}

export interface ObjectList {
  readonly items: readonly JsonObject[];
  readonly resourceVersion: string;
}

/** Kubernetes, API Concepts, "Alternate representations of resources" */
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const PAGE = 500;
/** A list that takes longer than the server keeps its version begins anew, this many times. */
const MAX_STARTS = 3;

/** Every object of a resource, in pages. Items get the apiVersion and kind that lists leave out. */
export async function listObjects(
  client: KubeClient,
  resource: ApiResource,
  options: ListOptions = {},
): Promise<ObjectList> {
  for (let start = 1; ; start++) {
    try {
      return await listPages(client, resource, options);
    } catch (error) {
      if (!isExpired(error) || start === MAX_STARTS) throw error;
    }
  }
}

async function listPages(client: KubeClient, resource: ApiResource, options: ListOptions): Promise<ObjectList> {
  const { namespace, labelSelector, fieldSelector, signal, only, onPage } = options;
  const items: JsonObject[] = [];
  let next: string | undefined;
  for (;;) {
    const page = await client.request({
      path: resourcePath(resource, namespace),
      query: { limit: String(PAGE), continue: next, labelSelector, fieldSelector },
      deadlineMs: 60_000,
      ...(only === "Metadata" ? { accept: METADATA } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    for (const item of objectsIn(ownValue(page, "items")))
      items.push(only === "Metadata" ? item : trimObject(withType(item, resource)));
    onPage?.(items.length);
    const metadata = ownValue(page, "metadata");
    const token = isJsonObject(metadata) ? ownValue(metadata, "continue") : undefined;
    if (typeof token !== "string" || token === "") {
      const version = isJsonObject(metadata) ? ownValue(metadata, "resourceVersion") : undefined;
      return { items, resourceVersion: typeof version === "string" ? version : "" };
    }
    next = token;
  }
}

function withType(item: JsonObject, { group, version, kind }: ApiResource): JsonObject {
  if (typeof item["kind"] === "string" && typeof item["apiVersion"] === "string") return item;
  return { ...item, apiVersion: group === "" ? version : `${group}/${version}`, kind };
}

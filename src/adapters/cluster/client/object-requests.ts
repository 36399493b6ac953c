/** Requests about one object. Objects are returned whole, so that they can be changed and sent back. */
import { type JsonObject, objectAt, textAt } from "../../../core/model/json.ts";
import { isNotFound } from "./api-error.ts";
import type { ApiRequest } from "./api-request.ts";
import type { KubeClient } from "./kube-client.ts";
import { type AddressedResource, resourcePath } from "./resource.ts";

/** The name of an object within its resource. Without a namespace for cluster-scoped objects. */
export interface ApiObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export type CallOptions = Pick<ApiRequest, "deadlineMs" | "signal">;

/** Undefined if there is no such object. */
export async function getObject(
  client: KubeClient,
  resource: AddressedResource,
  { namespace, name }: ApiObjectName,
  options: CallOptions = {},
): Promise<JsonObject | undefined> {
  try {
    return await client.request({ path: resourcePath(resource, namespace, name), ...options });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Rejects with a conflict if the object exists. */
export const createObject = (
  client: KubeClient,
  resource: AddressedResource,
  object: JsonObject,
  options: CallOptions = {},
): Promise<JsonObject> =>
  client.request({
    method: "POST",
    path: resourcePath(resource, nameOf(object).namespace),
    body: object,
    ...options,
  });

export interface UpdateOptions extends CallOptions {
  /** The owner of the changed fields; absent: by the name of the program. */
  readonly fieldManager?: string;
}

/** Replaces an object. It has the resourceVersion that was read: if the object has changed since, the server responds with a conflict. */
export const updateObject = (
  client: KubeClient,
  resource: AddressedResource,
  object: JsonObject,
  options: UpdateOptions = {},
): Promise<JsonObject> => put(client, resource, object, "", options);

/** Replaces the status of an object, and nothing else of it. Conflicts as for `updateObject`. */
export const updateStatus = (
  client: KubeClient,
  resource: AddressedResource,
  object: JsonObject,
  options: UpdateOptions = {},
): Promise<JsonObject> => put(client, resource, object, "/status", options);

async function put(
  client: KubeClient,
  resource: AddressedResource,
  object: JsonObject,
  subresource: string,
  { fieldManager, ...options }: UpdateOptions,
): Promise<JsonObject> {
  const { namespace, name } = nameOf(object);
  // Without a version the server would overwrite what others have written.
  if (textAt(objectAt(object, "metadata"), "resourceVersion") === "")
    throw new Error(`an update of ${name} needs the resourceVersion that was read`);
  return client.request({
    method: "PUT",
    path: `${resourcePath(resource, namespace, name)}${subresource}`,
    query: { fieldManager },
    body: object,
    ...options,
  });
}

export interface ApplyOptions extends CallOptions {
  /** The owner of the applied fields. */
  readonly fieldManager: string;
  /** Take fields over from other managers, where the server would respond with a conflict. */
  readonly force?: boolean;
}

/** Kubernetes, "Server-Side Apply": creates the object, or changes the fields that it has. */
export function applyObject(
  client: KubeClient,
  resource: AddressedResource,
  object: JsonObject,
  { fieldManager, force = false, ...options }: ApplyOptions,
): Promise<JsonObject> {
  const { namespace, name } = nameOf(object);
  return client.request({
    method: "PATCH",
    path: resourcePath(resource, namespace, name),
    query: { fieldManager, ...(force ? { force: "true" } : {}) },
    // JSON is YAML.
    contentType: "application/apply-patch+yaml",
    body: object,
    ...options,
  });
}

/** Deletes the object that was read: a newer version, or another object of the same name, stays and is a conflict. */
export async function deleteObject(
  client: KubeClient,
  resource: AddressedResource,
  object: JsonObject,
  options: CallOptions = {},
): Promise<void> {
  const { namespace, name } = nameOf(object);
  const metadata = objectAt(object, "metadata");
  const preconditions = { uid: textAt(metadata, "uid"), resourceVersion: textAt(metadata, "resourceVersion") };
  const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions };
  await client.request({ method: "DELETE", path: resourcePath(resource, namespace, name), body, ...options });
}

/** The name of an object as the API server returned it. */
export function nameOf(object: JsonObject): ApiObjectName {
  const metadata = objectAt(object, "metadata");
  const namespace = textAt(metadata, "namespace");
  return { name: textAt(metadata, "name"), ...(namespace === "" ? {} : { namespace }) };
}

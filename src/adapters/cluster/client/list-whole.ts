import { type JsonObject, objectsIn, ownValue } from "../../../core/model/json.ts";
import { type KindId, kindId, type ObjectId, parseObjectId } from "../../../core/model/refs.ts";
import { ApiError } from "./api-error.ts";
import type { KubeClient } from "./kube-client.ts";
import { type ApiResource, resourcePath } from "./resource.ts";

/**
 * Objects as the cluster has them, with their managed fields. A list of one name needs only the right to list, which a controller that follows the kind has. Objects that
 * are gone, or may not be read, are left out.
 */
export async function listWhole(
  client: KubeClient,
  resources: ReadonlyMap<KindId, ApiResource>,
  ids: readonly ObjectId[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ObjectId, JsonObject>> {
  const found = new Map<ObjectId, JsonObject>();
  await Promise.all(
    ids.map(async (id) => {
      const { group, kind, namespace, name } = parseObjectId(id);
      const resource = resources.get(kindId({ group, kind }));
      if (resource === undefined) return;
      try {
        const path = resourcePath(resource, namespace);
        const response = await client.request({ path, query: { fieldSelector: `metadata.name=${name}` }, signal });
        const [object] = objectsIn(ownValue(response, "items"));
        if (object !== undefined) found.set(id, object);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }),
  );
  return found;
}

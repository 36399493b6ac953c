/** The last version of each resource that an Envoy accepted. An Envoy that rejects a newer version gets this one. */
import type { EncodedResources } from "../encode/encode-resources.ts";
import type { EncodedResource } from "../encode/encoded-resource.ts";
import type { ResourceType } from "../encode/resource-type.ts";

export interface AcceptedVersions {
  readonly accept: (type: ResourceType, resource: EncodedResource) => void;
  readonly find: (type: ResourceType, name: string) => EncodedResource | undefined;
  /** Resources that are not wanted any more are removed eventually. */
  readonly keep: (wanted: EncodedResources) => void;
}

/** Below this size nothing is removed. */
const LEAST = 1000;

export function createAcceptedVersions(): AcceptedVersions {
  const good = new Map<string, { readonly type: ResourceType; readonly resource: EncodedResource }>();
  const keyOf = (type: ResourceType, name: string): string => `${type} ${name}`;
  let limit = LEAST;
  return {
    accept: (type, resource) => {
      good.set(keyOf(type, resource.name), { type, resource });
    },
    find: (type, name) => good.get(keyOf(type, name))?.resource,
    keep: (wanted) => {
      // Searched only when the size has doubled, so that the amortized cost of a change is constant.
      if (good.size < limit) return;
      for (const [key, { type, resource }] of good) {
        if (wanted[type].get(resource.name) === undefined) good.delete(key);
      }
      limit = Math.max(LEAST, 2 * good.size);
    },
  };
}

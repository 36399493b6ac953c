/** Of each resource the version that some Envoy last took: what those get that refuse the next one. */
import type { EncodedResources } from "./encode-resources.ts";
import type { EncodedResource } from "./encoded-resource.ts";
import type { ResourceType } from "./resource-type.ts";

export interface GoodVersions {
  readonly accept: (type: ResourceType, resource: EncodedResource) => void;
  readonly find: (type: ResourceType, name: string) => EncodedResource | undefined;
  /** Only these are there now: others are forgotten, sooner or later. */
  readonly keep: (wanted: EncodedResources) => void;
}

/** Below this, forgetting is not worth the while. */
const LEAST = 1000;

export function createGoodVersions(): GoodVersions {
  const good = new Map<string, { readonly type: ResourceType; readonly resource: EncodedResource }>();
  const keyOf = (type: ResourceType, name: string): string => `${type} ${name}`;
  let limit = LEAST;
  return {
    accept: (type, resource) => {
      good.set(keyOf(type, resource.name), { type, resource });
    },
    find: (type, name) => good.get(keyOf(type, name))?.resource,
    keep: (wanted) => {
      // Looked through only when it has doubled, so that a change costs what it touches.
      if (good.size < limit) return;
      for (const [key, { type, resource }] of good) {
        if (wanted[type].get(resource.name) === undefined) good.delete(key);
      }
      limit = Math.max(LEAST, 2 * good.size);
    },
  };
}

/** Of each resource the version that some Envoy last took: what those get that refuse the next one. */
import type { EncodedResource } from "./encoded-resource.ts";
import type { ResourceType } from "./resource-type.ts";

export interface GoodVersions {
  readonly accept: (type: ResourceType, resource: EncodedResource) => void;
  readonly find: (type: ResourceType, name: string) => EncodedResource | undefined;
}

export function createGoodVersions(): GoodVersions {
  const good = new Map<string, { readonly type: ResourceType; readonly resource: EncodedResource }>();
  const keyOf = (type: ResourceType, name: string): string => `${type} ${name}`;
  return {
    accept: (type, resource) => {
      good.set(keyOf(type, resource.name), { type, resource });
    },
    find: (type, name) => good.get(keyOf(type, name))?.resource,
  };
}

/** Joins the resources of several gateways, for an Envoy that serves all of them. */
import { type EncodedResources, NO_RESOURCES } from "./encode-resources.ts";
import type { EncodedResource, ResourceTable } from "./encoded-resource.ts";
import { RESOURCE_TYPES, type ResourceType } from "./resource-type.ts";

/**
 * Joins resources repeatedly. A table whose parts have not changed stays the same object.
 *
 * Names of listeners and routes begin with that of their gateway. Resources of other types that have the same name in several gateways are equal.
 */
export function createResourceJoiner(): (parts: readonly EncodedResources[]) => EncodedResources {
  const last = new Map<ResourceType, { readonly parts: readonly ResourceTable[]; readonly joined: ResourceTable }>();
  const join = (type: ResourceType, parts: readonly ResourceTable[]): ResourceTable => {
    const before = last.get(type);
    const isSame = before?.parts.length === parts.length && parts.every((part, index) => part === before.parts[index]);
    const joined = before !== undefined && isSame ? before.joined : joinTables(parts);
    last.set(type, { parts, joined });
    return joined;
  };
  return (parts) => {
    const joined: Record<ResourceType, ResourceTable> = { ...NO_RESOURCES };
    for (const type of RESOURCE_TYPES)
      joined[type] = join(
        type,
        parts.map((part) => part[type]),
      );
    return joined;
  };
}

function joinTables(parts: readonly ResourceTable[]): ResourceTable {
  const owners = new Map<string, ResourceTable>();
  for (const part of parts) for (const name of part.keys()) if (!owners.has(name)) owners.set(name, part);
  const findIn = (name: string): EncodedResource | undefined => {
    for (const part of parts) {
      const found = part.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return { get: (name) => owners.get(name)?.get(name) ?? findIn(name), keys: () => owners.keys() };
}

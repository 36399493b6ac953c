/** Joins the resources of several gateways, for an Envoy that serves all of them. */
import { type EncodedResources, NO_RESOURCES } from "./encode-resources.ts";
import { changesBetween, type EncodedResource, type ResourceTable, type TableEdition } from "./encoded-resource.ts";
import { RESOURCE_TYPES, type ResourceType } from "./resource-type.ts";

/** The tables of one type, joined. */
interface Joined {
  readonly parts: readonly ResourceTable[];
  readonly table: ResourceTable;
}

/**
 * Joins resources repeatedly. A table whose parts have not changed stays the same object, and one whose parts say what has changed says so, too.
 *
 * Names of listeners and routes begin with that of their gateway. Resources of other types that have the same name in several gateways are equal.
 */
export function createResourceJoiner(): (parts: readonly EncodedResources[]) => EncodedResources {
  const last = new Map<ResourceType, Joined>();
  const join = (type: ResourceType, parts: readonly ResourceTable[]): ResourceTable => {
    const joined = joinNext(last.get(type), parts);
    last.set(type, joined);
    return joined.table;
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

function joinNext(before: Joined | undefined, parts: readonly ResourceTable[]): Joined {
  const isAlike = before?.parts.length === parts.length;
  if (isAlike && parts.every((part, index) => part === before.parts[index])) return before;
  const { edition } = before?.table ?? {};
  const changes = isAlike ? parts.map((part, index) => changesBetween(before.parts[index], part)) : [undefined];
  const known = changes.filter((names) => names !== undefined);
  const next: TableEdition =
    edition === undefined || known.length < changes.length
      ? { of: {}, number: 0, changed: [] }
      : { of: edition.of, number: edition.number + 1, changed: known.flat() };
  return { parts, table: { ...joinTables(parts), edition: next } };
}

/** Most Envoys serve few gateways; with many, the owner of a name is looked up. */
const FEW = 8;

function joinTables(parts: readonly ResourceTable[]): ResourceTable {
  const findIn = (name: string): EncodedResource | undefined => {
    for (const part of parts) {
      const found = part.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  let owners: Map<string, ResourceTable> | undefined;
  const ownersOf = (): Map<string, ResourceTable> => {
    if (owners !== undefined) return owners;
    owners = new Map();
    for (const part of parts) for (const name of part.keys()) if (!owners.has(name)) owners.set(name, part);
    return owners;
  };
  return {
    get: (name) => (parts.length <= FEW ? findIn(name) : (ownersOf().get(name)?.get(name) ?? findIn(name))),
    keys: () => ownersOf().keys(),
  };
}

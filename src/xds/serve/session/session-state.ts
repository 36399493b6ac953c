/** The state of one connected Envoy, per type of resource. */
import { routeConfigOf, scopesOf } from "../../compile/resource-names.ts";
import type { EncodedResources } from "../encode/encode-resources.ts";
import type { EncodedResource } from "../encode/encoded-resource.ts";
import type { ResourceType } from "../encode/resource-type.ts";

export interface Refusal {
  readonly type: ResourceType;
  readonly name: string;
  readonly version: string;
  readonly reason: string;
}

export interface Pending {
  readonly nonce: string;
  readonly resources: ReadonlyMap<string, EncodedResource>;
  readonly removed: readonly string[];
}

interface Held {
  readonly version: string;
  readonly resource: EncodedResource | undefined;
  readonly sinceMs: number;
}

export interface TypeState {
  /** Undefined: it has not requested this type yet. */
  names: Set<string> | undefined;
  takesAll: boolean;
  /** The resources that it has accepted. `resource` is unknown for those of an earlier connection. */
  readonly held: Map<string, Held>;
  /** Names that must be part of the next response. */
  readonly owed: Set<string>;
  pending: Pending | undefined;
  /** Resources that were rejected together. They are sent in smaller and smaller parts to find the invalid one. */
  readonly suspects: Set<string>;
  lot: number;
  readonly refusals: Map<string, Refusal>;
  /** The resources to send and to remove. Undefined: must be recomputed. */
  lists: { readonly due: ReadonlyMap<string, EncodedResource>; readonly obsolete: ReadonlySet<string> } | undefined;
}

export type SessionStates = Readonly<Record<ResourceType, TypeState>>;

export const emptyStates = (): SessionStates => ({
  Secret: emptyState(),
  Cluster: emptyState(),
  Endpoints: emptyState(),
  Listener: emptyState(),
  Scope: emptyState(),
  Route: emptyState(),
  VirtualHost: emptyState(),
});

const emptyState = (): TypeState => ({
  names: undefined,
  takesAll: false,
  held: new Map(),
  owed: new Set(),
  pending: undefined,
  suspects: new Set(),
  lot: 1,
  refusals: new Map(),
  lists: undefined,
});

/** The requested resources that exist, and the requested names that do not. */
export function* namesAskedFor(type: ResourceType, states: SessionStates, wanted: EncodedResources): Iterable<string> {
  const { names, takesAll } = states[type];
  if (!takesAll && type !== "Scope") yield* names ?? [];
  else for (const name of wanted[type].keys()) if (isAskedFor(type, name, states)) yield name;
}

export function isAskedFor(type: ResourceType, name: string, states: SessionStates): boolean {
  const { names, takesAll } = states[type];
  // The scopes of a route configuration are requested as a collection.
  if (type === "Scope") return names?.has(scopesOf(name)) === true;
  // All virtual hosts; Envoy drops those whose route configuration it does not have.
  if (type === "VirtualHost" && takesAll) return states.Route.names?.has(routeConfigOf(name)) === true;
  return takesAll || names?.has(name) === true;
}

/** The names that a text contains. Longer names are searched first, because a name may be a prefix of another. */
export function namedIn(text: string, resources: readonly EncodedResource[]): readonly EncodedResource[] {
  let rest = text;
  return resources
    .toSorted((a, b) => b.name.length - a.name.length)
    .filter(({ name }) => {
      const isNamed = rest.includes(name);
      if (isNamed) rest = rest.replaceAll(name, "");
      return isNamed;
    });
}

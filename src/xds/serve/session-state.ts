/** What is known of one connected Envoy, for each type of resources. */
import { routeConfigOf, scopesOf } from "../compile/resource-names.ts";
import type { EncodedResources } from "./encode-resources.ts";
import type { EncodedResource } from "./encoded-resource.ts";
import type { ResourceType } from "./resource-type.ts";

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
  /** Undefined: nothing was asked for yet. */
  names: Set<string> | undefined;
  takesAll: boolean;
  /** What it has taken; `resource` is unknown for what it had before. */
  readonly held: Map<string, Held>;
  /** Asked for, and to be answered whatever comes before. */
  readonly owed: Set<string>;
  pending: Pending | undefined;
  /** Refused together: one of them is at fault. Sent in ever smaller lots, it will be alone and named. */
  readonly suspects: Set<string>;
  lot: number;
  readonly refusals: Map<string, Refusal>;
  /** What is to be sent and what is to go; undefined: to be worked out anew. */
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

/** Of what there is, what the Envoy asked for; and what it asked for and there is not. */
export function* namesAskedFor(type: ResourceType, states: SessionStates, wanted: EncodedResources): Iterable<string> {
  const { names, takesAll } = states[type];
  if (!takesAll && type !== "Scope") yield* names ?? [];
  else for (const name of wanted[type].keys()) if (isAskedFor(type, name, states)) yield name;
}

export function isAskedFor(type: ResourceType, name: string, states: SessionStates): boolean {
  const { names, takesAll } = states[type];
  // All scopes of a route configuration are asked for at once.
  if (type === "Scope") return names?.has(scopesOf(name)) === true;
  // All virtual hosts there are; those whose route configuration it does not have would be dropped.
  if (type === "VirtualHost" && takesAll) return states.Route.names?.has(routeConfigOf(name)) === true;
  return takesAll || names?.has(name) === true;
}

/** Those that a text names. Names may begin with others: the longer ones are looked for first, and are not taken for the shorter. */
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

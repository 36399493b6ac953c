import { MapDraft } from "../../model/collections/map-draft.ts";
import type { PersistentMap } from "../../model/collections/persistent-map.ts";
import type { DataplaneParts } from "../dataplane.ts";

type Tables = Omit<DataplaneParts, "options">;

/** The next version of every table in the making. */
export type DataplaneDraft = {
  readonly [K in keyof Tables]: Tables[K] extends PersistentMap<infer Key, infer Value> ? MapDraft<Key, Value> : never;
};

export const draftOf = (parts: Tables): DataplaneDraft => ({
  slices: new MapDraft(parts.slices),
  routes: new MapDraft(parts.routes),
  gateways: new MapDraft(parts.gateways),
  gatewayOf: new MapDraft(parts.gatewayOf),
  hosts: new MapDraft(parts.hosts),
  listeners: new MapDraft(parts.listeners),
  served: new MapDraft(parts.served),
  backends: new MapDraft(parts.backends),
  endpoints: new MapDraft(parts.endpoints),
  backendsOf: new MapDraft(parts.backendsOf),
  users: new MapDraft(parts.users),
  routesMissing: new MapDraft(parts.routesMissing),
  grantReaders: new MapDraft(parts.grantReaders),
  problems: new MapDraft(parts.problems),
});

export const partsOf = (draft: DataplaneDraft, { options }: Pick<DataplaneParts, "options">): DataplaneParts => ({
  options,
  slices: draft.slices.build(),
  routes: draft.routes.build(),
  gateways: draft.gateways.build(),
  gatewayOf: draft.gatewayOf.build(),
  hosts: draft.hosts.build(),
  listeners: draft.listeners.build(),
  served: draft.served.build(),
  backends: draft.backends.build(),
  endpoints: draft.endpoints.build(),
  backendsOf: draft.backendsOf.build(),
  users: draft.users.build(),
  routesMissing: draft.routesMissing.build(),
  grantReaders: draft.grantReaders.build(),
  problems: draft.problems.build(),
});

import type { LayeredMap } from "../../model/collections/layered-map.ts";
import type { DataplaneParts } from "../dataplane.ts";
import { TableDraft } from "./table-draft.ts";

type Tables = Omit<DataplaneParts, "options">;

/** The next version of every table in the making. */
export type DataplaneDraft = {
  readonly [K in keyof Tables]: Tables[K] extends LayeredMap<infer Key, infer Value> ? TableDraft<Key, Value> : never;
};

export const draftOf = (parts: Tables): DataplaneDraft => ({
  slices: new TableDraft(parts.slices),
  routes: new TableDraft(parts.routes),
  gateways: new TableDraft(parts.gateways),
  gatewayOf: new TableDraft(parts.gatewayOf),
  hosts: new TableDraft(parts.hosts),
  listeners: new TableDraft(parts.listeners),
  served: new TableDraft(parts.served),
  backends: new TableDraft(parts.backends),
  endpoints: new TableDraft(parts.endpoints),
  backendsOf: new TableDraft(parts.backendsOf),
  users: new TableDraft(parts.users),
  routesMissing: new TableDraft(parts.routesMissing),
  grantReaders: new TableDraft(parts.grantReaders),
  problems: new TableDraft(parts.problems),
});

export const partsOf = (draft: DataplaneDraft, { options }: Pick<DataplaneParts, "options">): DataplaneParts => ({
  options,
  slices: draft.slices.done(),
  routes: draft.routes.done(),
  gateways: draft.gateways.done(),
  gatewayOf: draft.gatewayOf.done(),
  hosts: draft.hosts.done(),
  listeners: draft.listeners.done(),
  served: draft.served.done(),
  backends: draft.backends.done(),
  endpoints: draft.endpoints.done(),
  backendsOf: draft.backendsOf.done(),
  users: draft.users.done(),
  routesMissing: draft.routesMissing.done(),
  grantReaders: draft.grantReaders.done(),
  problems: draft.problems.done(),
});

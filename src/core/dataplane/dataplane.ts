/** A configuration, and the tables that the next one is made from. */
import type { IdSet } from "../model/collections/id-set.ts";
import { PersistentMap } from "../model/collections/persistent-map.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { ObjectId, ObjectRef, TargetId } from "../model/refs.ts";
import type { CompiledGateway } from "./compile/compile-gateway.ts";
import type { CompiledRoute } from "./compile/compile-route.ts";
import type { EndpointOptions } from "./compile/endpoints-of.ts";
import type {
  BackendConfig,
  BackendId,
  ConfigProblem,
  DataplaneConfig,
  Endpoint,
  EndpointsId,
  GatewayConfig,
  ListenerConfig,
} from "./gateway-config.ts";
import type { HostTable } from "./update/host-table.ts";

/** To be read as a DataplaneConfig; the rest is for `updateDataplane`. */
export interface Dataplane extends DataplaneConfig {
  readonly parts: DataplaneParts;
}

/** The differences from the configuration before: parts that came, went or are another object. */
export interface DataplaneDelta {
  readonly gateways: readonly ObjectRef[];
  readonly backends: readonly BackendId[];
  readonly endpoints: readonly EndpointsId[];
}

export interface DataplaneParts {
  readonly options: EndpointOptions;
  /** EndpointSlices by Service, there or not. */
  readonly slices: PersistentMap<ObjectId, readonly KubeObject[]>;
  readonly routes: PersistentMap<ObjectId, CompiledRoute>;
  readonly gateways: PersistentMap<ObjectId, CompiledGateway>;
  /** The Gateway of each ListenerSet, and of itself. */
  readonly gatewayOf: PersistentMap<ObjectId, ObjectId>;
  readonly hosts: PersistentMap<TargetId, HostTable>;
  readonly listeners: PersistentMap<TargetId, ListenerConfig>;
  readonly served: PersistentMap<ObjectId, GatewayConfig>;
  readonly backends: PersistentMap<BackendId, BackendConfig>;
  readonly endpoints: PersistentMap<EndpointsId, readonly Endpoint[]>;
  /** The backends of each Service that are used, and the routes that use each. */
  readonly backendsOf: PersistentMap<ObjectId, IdSet<BackendId>>;
  readonly users: PersistentMap<BackendId, IdSet<ObjectId>>;
  /** Routes that name a Service that does not exist. */
  readonly routesMissing: PersistentMap<ObjectId, IdSet<ObjectId>>;
  /** Routes and Gateways that asked for the ReferenceGrants of a namespace. */
  readonly grantReaders: PersistentMap<string, IdSet<ObjectId>>;
  /** By the route, Gateway or Service that they were found at. */
  readonly problems: PersistentMap<ObjectId, readonly ConfigProblem[]>;
}

const empty = <K extends string, V>(): PersistentMap<K, V> => PersistentMap.from<K, V>(new Map());

export const emptyParts = (options: EndpointOptions): DataplaneParts => ({
  options,
  slices: empty(),
  routes: empty(),
  gateways: empty(),
  gatewayOf: empty(),
  hosts: empty(),
  listeners: empty(),
  served: empty(),
  backends: empty(),
  endpoints: empty(),
  backendsOf: empty(),
  users: empty(),
  routesMissing: empty(),
  grantReaders: empty(),
  problems: empty(),
});

/** The data plane of the Gateways of the controller: Envoys, or the embedded gateway. */
import type { MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { ReplicaLeasesOptions } from "../../controller/gateways/replica-leases.ts";
import type { DataplaneConfig } from "../../core/dataplane/gateway-config.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { AssignedAddress } from "../../core/gateway-status/assign-addresses.ts";
import type { DataplaneLimits, DataplaneState } from "../../core/gateway-status/dataplane-state.ts";
import type { ObjectId } from "../../core/model/refs.ts";
import type { RetryKnowledge } from "../../core/retry/retry-counts.ts";
import type { KeyMaterial } from "../../sources/key-material.ts";
import type { EnvoySecrets } from "../../xds/compile/envoy-secrets.ts";

export interface DataplaneContext {
  /** GatewayClasses with this name are ours. */
  readonly controllerName: string;
  /** The address of a Gateway; undefined: that of its data plane. */
  readonly addressOf: (gateway: ObjectId) => AssignedAddress | undefined;
  /** The evaluation that is served, and the Gateways of this controller in it. Undefined: none yet. */
  readonly served: () => { readonly world: World; readonly gateways: readonly ObjectId[] } | undefined;
  /** How replicas report to each other what their data planes acknowledge. */
  readonly replicas: Omit<ReplicaLeasesOptions, "report" | "onChange">;
  readonly note: (message: string) => void;
  /** Called when acknowledged, applied or refused configurations may have changed. */
  readonly onChange: () => void;
}

/** Certificates and authorities, as they were read and as they can be used. */
export interface DataplaneSecrets {
  readonly keyMaterial: KeyMaterial;
  /** Without those that no data plane can use. */
  readonly usable: EnvoySecrets;
}

export interface GatewayDataplane {
  readonly families: readonly MetricFamily[];
  /** Features of Gateway API that it has, without those about addresses. */
  readonly supportedFeatures: readonly string[];
  /** The parts of Gateway API that the data plane does not serve. */
  readonly limits: DataplaneLimits;
  /** Opens what it needs, and returns what is served where. Rejects if that is not possible. */
  open(): Promise<string>;
  /** Serves this configuration from now on. */
  replace(config: DataplaneConfig, secrets: DataplaneSecrets): void;
  /** The state of each Gateway. The configuration of the evaluation must have been passed to it. */
  read(world: World): (gateway: ObjectId) => DataplaneState;
  /** The counted retries of requests through these Gateways. */
  retries(gateways: readonly ObjectId[]): RetryKnowledge;
  /** Forgets Gateways that are gone. */
  keep(isThere: (gateway: ObjectId) => boolean): void;
  /** Learns what the data planes of other replicas acknowledge, until the signal of `replicas` aborts. */
  exchange(): Promise<void>;
  close(): Promise<void>;
}

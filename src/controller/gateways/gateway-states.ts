/** What the data planes of Gateways say, for their status: the condition Programmed follows it. */
import type { World } from "../../core/effective/world/world.ts";
import type { AssignedAddress } from "../../core/gateway-status/assign-addresses.ts";
import type { DataplaneState } from "../../core/gateway-status/dataplane-state.ts";
import { LISTENER_SETS } from "../../core/gateway-status/listener-statuses.ts";
import { OwnedGateways } from "../../core/gateway-status/owned-gateways.ts";
import type { InfrastructureState } from "../../core/infrastructure/infrastructure-state.ts";
import { type JsonObject, objectAt, objectsIn, ownValue } from "../../core/model/json.ts";
import { type ObjectId, parseObjectId } from "../../core/model/refs.ts";

/** What the Envoys of one Gateway have acknowledged. */
export interface EnvoyReport {
  readonly envoys: number;
  /** Envoys that have acknowledged or refused everything that they must have. */
  readonly current: number;
  readonly refusals: readonly { readonly type: string; readonly name: string; readonly reason: string }[];
}

export interface GatewayStatesOptions {
  readonly controllerName: string;
  /** By `namespace/name`; a Gateway that is not served is not there. */
  readonly acknowledgements: () => ReadonlyMap<string, EnvoyReport>;
  /** The address of a Gateway; undefined: that of its Envoys. */
  readonly addressOf: (gateway: ObjectId) => AssignedAddress | undefined;
  /** What the objects of a Gateway say, where the controller runs its Envoys. */
  readonly infrastructureOf?: (world: World, gateway: ObjectId) => InfrastructureState | undefined;
  readonly monotonicMs: () => number;
}

/** How long after the last Envoy of a Gateway is gone, or after the start, what was written about it stays. */
const ABSENCE_MS = 60_000;

/** Programmed says that the data plane has this of the Gateway. */
interface Remembered {
  /** The Gateway as it was when an Envoy acknowledged it. */
  acknowledged: string | undefined;
  /** When an Envoy was last connected. */
  seenMs: number;
}

/**
 * Programmed follows acknowledgements
 *
 * A Gateway is Programmed when an Envoy has acknowledged a configuration that has the Gateway as it is now, and none has refused a part of it. After an edit the
 * condition stays as it was until then. So does it while the Envoys are away for a short time, and after a restart of this process.
 * Gateway API, "GatewayConditionProgrammed"
 */
export class GatewayStates {
  readonly #options: GatewayStatesOptions;
  readonly #known = new Map<ObjectId, Remembered>();

  constructor(options: GatewayStatesOptions) {
    this.#options = options;
  }

  /** The state of each Gateway in this evaluation. The configuration of the evaluation must have been passed to the data plane. */
  read(world: World): (gateway: ObjectId) => DataplaneState {
    const acknowledgements = this.#options.acknowledgements();
    return (gateway) => {
      const { namespace, name } = parseObjectId(gateway);
      return this.#stateOf(world, gateway, acknowledgements.get(`${namespace}/${name}`));
    };
  }

  /** Forgets Gateways that are gone. */
  keep(isThere: (gateway: ObjectId) => boolean): void {
    for (const id of this.#known.keys()) if (!isThere(id)) this.#known.delete(id);
  }

  #stateOf(world: World, gateway: ObjectId, given: EnvoyReport | undefined): DataplaneState {
    const assigned = this.#options.addressOf(gateway);
    if (assigned !== undefined && "problem" in assigned)
      return { state: "AddressNotUsable", message: assigned.problem };
    const infrastructure = this.#options.infrastructureOf?.(world, gateway);
    if (infrastructure?.state === "AddressNotUsable" || infrastructure?.state === "AddressNotAssigned")
      return infrastructure;
    const nowMs = this.#options.monotonicMs();
    const known = this.#known.get(gateway) ?? { acknowledged: undefined, seenMs: nowMs };
    this.#known.set(gateway, known);
    if (given === undefined) return { state: "Pending", message: "no listener of the Gateway is served yet" };
    const unready = infrastructure?.state === "Unready" ? infrastructure.message : undefined;
    const { current, refusals } = given;
    const envoys = unready === undefined ? given.envoys : 0;
    if (envoys > 0) known.seenMs = nowMs;
    const addresses = infrastructure?.state === "Ready" ? infrastructure.addresses : addressList(assigned);
    if (refusals.length > 0) return { state: "Refused", addresses, ...refusalOf(refusals) };
    const edition = editionOf(world, gateway, new OwnedGateways(world, this.#options.controllerName));
    if (current > 0 && envoys > 0) known.acknowledged = edition;
    if (envoys > 0 && known.acknowledged === edition) return { state: "Serving", addresses };
    if (nowMs - known.seenMs < ABSENCE_MS && (known.acknowledged !== undefined || isProgrammed(world, gateway)))
      return { state: "Updating" };
    const message =
      unready !== undefined
        ? unready
        : envoys === 0
          ? "no Envoy is connected"
          : "no Envoy has acknowledged the configuration of the Gateway yet";
    return { state: "Pending", message };
  }
}

const addressList = (assigned: { readonly address: string } | undefined): readonly JsonObject[] =>
  assigned === undefined ? [] : [{ type: "IPAddress", value: assigned.address }];

/** What the condition Programmed is about: the Gateway and its ListenerSets, in this generation. */
function editionOf(world: World, gateway: ObjectId, owned: OwnedGateways): string {
  const sets = LISTENER_SETS.flatMap((kind) => world.objects.ofKind(kind)).filter(
    (set) => owned.gatewayOf(set)?.id === gateway,
  );
  return [world.objects.get(gateway), ...sets]
    .map((object) => {
      const metadata = object === undefined ? {} : objectAt(object.raw, "metadata");
      return JSON.stringify([object?.id, metadata["uid"], metadata["generation"]]);
    })
    .join("\n");
}

/** True if a process before this one has reported that the Gateway is Programmed. */
function isProgrammed(world: World, gateway: ObjectId): boolean {
  const raw = world.objects.get(gateway)?.raw;
  const conditions = raw === undefined ? [] : objectsIn(ownValue(objectAt(raw, "status"), "conditions"));
  return conditions.some(({ type, status }) => type === "Programmed" && status === "True");
}

/** Names of listeners and of routes begin with the Gateway and its port: `infra/prod:80`, `infra/prod:53/udp`. */
const PORT = /^[^/]+\/[^/:]+:(\d+)/;
/** Scopes are named by a URL. */
const SCOPES = "xdstp:///envoy.config.route.v3.ScopedRouteConfiguration/";

function refusalOf(refusals: EnvoyReport["refusals"]): {
  readonly message: string;
  readonly ports: readonly number[] | "All";
} {
  const ports = refusals.map(({ type, name }) => {
    if (!["Listener", "Route", "VirtualHost", "Scope"].includes(type)) return undefined;
    const [, port] = PORT.exec(name.startsWith(SCOPES) ? name.slice(SCOPES.length) : name) ?? [];
    return port === undefined ? undefined : Number(port);
  });
  const [first] = refusals;
  const more = refusals.length === 1 ? "" : `; and ${refusals.length - 1} more`;
  const message = `an Envoy refuses ${first?.type ?? ""} ${first?.name ?? ""}: ${first?.reason ?? ""}${more}`;
  const known = ports.filter((port) => port !== undefined);
  return { message, ports: known.length === ports.length ? [...new Set(known)].sort((a, b) => a - b) : "All" };
}

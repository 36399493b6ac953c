/** Reports of the data planes of Gateways, for their status: the condition Programmed is computed from them. */
import type { World } from "../../core/effective/world/world.ts";
import { SCOPE_URL } from "../../core/envoy/scope-url.ts";
import type { AssignedAddress } from "../../core/gateway-status/assign-addresses.ts";
import type { DataplaneState } from "../../core/gateway-status/dataplane-state.ts";
import type { InfrastructureState } from "../../core/infrastructure/infrastructure-state.ts";
import { type JsonObject, objectAt, objectsIn, ownValue } from "../../core/model/json.ts";
import { type ObjectId, parseObjectId } from "../../core/model/refs.ts";
import { type GatewayEdition, GatewayEditions } from "./gateway-editions.ts";
import type { EnvoyRefusal, HeardReport, ReplicaGateway, ReplicaReport } from "./replica-report.ts";

/** The acknowledgements of the Envoys of one Gateway that are connected to this replica. */
export interface EnvoyReport {
  readonly envoys: number;
  /** Envoys that have acknowledged or refused everything that they must have. */
  readonly current: number;
  readonly refusals: readonly EnvoyRefusal[];
}

export interface GatewayStatesOptions {
  readonly controllerName: string;
  /** By `namespace/name`; a Gateway that is not served is not there. */
  readonly acknowledgements: () => ReadonlyMap<string, EnvoyReport>;
  /** The reports of the other replicas about their Envoys. Absent: there are no other replicas. */
  readonly others?: () => readonly HeardReport[];
  /** The address of a Gateway; undefined: that of its Envoys. */
  readonly addressOf: (gateway: ObjectId) => AssignedAddress | undefined;
  /** The state of the objects of a Gateway, where the controller runs its Envoys. */
  readonly infrastructureOf?: (world: World, gateway: ObjectId) => InfrastructureState | undefined;
  readonly monotonicMs: () => number;
}

/** How long after the last Envoy of a Gateway is gone, or after the start, what was written about it stays. */
const ABSENCE_MS = 60_000;

/** The reports of the other replicas about the Envoys of one Gateway. */
interface Elsewhere {
  readonly known: readonly ReplicaGateway[];
  /** True if Envoys may be connected to a replica that has no room to report them. */
  readonly mayBeLeftOut: boolean;
}

const LEFT_OUT =
  "it is not known whether an Envoy has the configuration: another replica of the controller serves more Gateways than it has room to report";

interface Remembered {
  /** The edition that an Envoy of any replica has acknowledged. */
  acknowledged: GatewayEdition | undefined;
  /** The edition that an Envoy of this replica has acknowledged. */
  acknowledgedHere: GatewayEdition | undefined;
  /** When an Envoy was last connected. */
  seenMs: number;
}

/**
 * Programmed follows acknowledgements
 *
 * A Gateway is Programmed when an Envoy has acknowledged a configuration that has the Gateway as it is now, and none has refused a part of it, whichever
 * replica these Envoys are connected to. After an edit the condition stays as it was until then. So does it while the Envoys are away for a short time, and
 * after a restart of this process. Where a replica has no room to report a Gateway, the condition is Unknown.
 * Gateway API, "GatewayConditionProgrammed"
 */
export class GatewayStates {
  readonly #options: GatewayStatesOptions;
  readonly #known = new Map<ObjectId, Remembered>();
  readonly #editions: GatewayEditions;

  constructor(options: GatewayStatesOptions) {
    this.#options = options;
    this.#editions = new GatewayEditions(options.controllerName);
  }

  /** The state of each Gateway in this evaluation. The configuration of the evaluation must have been passed to the data plane. */
  read(world: World): (gateway: ObjectId) => DataplaneState {
    const acknowledgements = this.#options.acknowledgements();
    const others = this.#options.others?.() ?? [];
    return (gateway) => {
      const key = keyOf(gateway);
      const known = others.flatMap(({ gateways }) => gateways.get(key) ?? []);
      const mayBeLeftOut = others.some(({ gateways, isWhole }) => !isWhole && !gateways.has(key));
      return this.#stateOf(world, gateway, acknowledgements.get(key), { known, mayBeLeftOut });
    };
  }

  /** The report for the other replicas about the Envoys of this one. */
  report(world: World, gateways: Iterable<ObjectId>): ReplicaReport {
    const acknowledgements = this.#options.acknowledgements();
    const report = new Map<string, ReplicaGateway>();
    for (const gateway of gateways) {
      const given = acknowledgements.get(keyOf(gateway));
      const edition = this.#editions.editionOf(world, gateway);
      const { acknowledgedHere } = this.#remembered(gateway, given, edition);
      if (given === undefined || given.envoys === 0) continue;
      const isAcknowledged = acknowledgedHere === edition;
      report.set(keyOf(gateway), { edition, isAcknowledged, refusals: given.refusals });
    }
    return report;
  }

  /** Forgets Gateways that are gone. */
  keep(isThere: (gateway: ObjectId) => boolean): void {
    for (const id of this.#known.keys()) if (!isThere(id)) this.#known.delete(id);
    this.#editions.keep(isThere);
  }

  #stateOf(
    world: World,
    gateway: ObjectId,
    given: EnvoyReport | undefined,
    { known: elsewhere, mayBeLeftOut }: Elsewhere,
  ): DataplaneState {
    const assigned = this.#options.addressOf(gateway);
    if (assigned !== undefined && "problem" in assigned)
      return { state: "AddressNotUsable", message: assigned.problem };
    const infrastructure = this.#options.infrastructureOf?.(world, gateway);
    if (infrastructure?.state === "AddressNotUsable" || infrastructure?.state === "AddressNotAssigned")
      return infrastructure;
    const edition = this.#editions.editionOf(world, gateway);
    const known = this.#remembered(gateway, given, edition);
    if (given === undefined) return { state: "Pending", message: "no listener of the Gateway is served yet" };
    const nowMs = this.#options.monotonicMs();
    const unready = infrastructure?.state === "Unready" ? infrastructure.message : undefined;
    const envoys = unready === undefined ? given.envoys + elsewhere.length : 0;
    if (envoys > 0) known.seenMs = nowMs;
    const addresses = infrastructure?.state === "Ready" ? infrastructure.addresses : addressList(assigned);
    // A replica that has not read the newest edition yet reports on an earlier one.
    const same = elsewhere.filter((one) => one.edition === edition);
    const refusals = [...given.refusals, ...same.flatMap((one) => one.refusals)];
    if (refusals.length > 0) return { state: "Refused", addresses, ...refusalOf(refusals) };
    const isAcknowledged = known.acknowledgedHere === edition || same.some((one) => one.isAcknowledged);
    if (envoys > 0 && isAcknowledged) known.acknowledged = edition;
    if (envoys > 0 && known.acknowledged === edition) return { state: "Serving", addresses };
    if (nowMs - known.seenMs < ABSENCE_MS && (known.acknowledged !== undefined || isProgrammed(world, gateway)))
      return { state: "Updating" };
    if (unready === undefined && mayBeLeftOut) return { state: "Unknown", message: LEFT_OUT, addresses };
    const message =
      unready !== undefined
        ? unready
        : envoys === 0
          ? "no Envoy is connected"
          : "no Envoy has acknowledged the configuration of the Gateway yet";
    return { state: "Pending", message };
  }

  /** The remembered state of a Gateway, with the current report of the Envoys of this replica. */
  #remembered(gateway: ObjectId, given: EnvoyReport | undefined, edition: GatewayEdition): Remembered {
    const known = this.#known.get(gateway) ?? {
      acknowledged: undefined,
      acknowledgedHere: undefined,
      seenMs: this.#options.monotonicMs(),
    };
    this.#known.set(gateway, known);
    if (given === undefined || given.envoys === 0) known.acknowledgedHere = undefined;
    else if (given.current > 0 && given.refusals.length === 0) known.acknowledgedHere = edition;
    return known;
  }
}

const addressList = (assigned: { readonly address: string } | undefined): readonly JsonObject[] =>
  assigned === undefined ? [] : [{ type: "IPAddress", value: assigned.address }];

function keyOf(gateway: ObjectId): string {
  const { namespace, name } = parseObjectId(gateway);
  return `${namespace}/${name}`;
}

/** True if a process before this one has reported that the Gateway is Programmed. */
function isProgrammed(world: World, gateway: ObjectId): boolean {
  const raw = world.objects.get(gateway)?.raw;
  const conditions = raw === undefined ? [] : objectsIn(ownValue(objectAt(raw, "status"), "conditions"));
  return conditions.some(({ type, status }) => type === "Programmed" && status === "True");
}

/** Names of listeners and of routes begin with the Gateway and its port: `infra/prod:80`, `infra/prod:53/udp`. */
const PORT = /^[^/]+\/[^/:]+:(\d+)/;

function refusalOf(refusals: EnvoyReport["refusals"]): {
  readonly message: string;
  readonly ports: readonly number[] | "All";
} {
  const ports = refusals.map(({ type, name }) => {
    if (!["Listener", "Route", "VirtualHost", "Scope"].includes(type)) return undefined;
    const [, port] = PORT.exec(name.startsWith(SCOPE_URL) ? name.slice(SCOPE_URL.length) : name) ?? [];
    return port === undefined ? undefined : Number(port);
  });
  const [first] = refusals;
  const more = refusals.length === 1 ? "" : `; and ${refusals.length - 1} more`;
  const message = `an Envoy refuses ${first?.type ?? ""} ${first?.name ?? ""}: ${first?.reason ?? ""}${more}`;
  const known = ports.filter((port) => port !== undefined);
  return { message, ports: known.length === ports.length ? [...new Set(known)].sort((a, b) => a - b) : "All" };
}

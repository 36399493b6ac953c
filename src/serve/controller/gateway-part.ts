/** The part of the controller that implements Gateway API: it configures Envoys, and knows the status of the Gateways that they serve. */
import { readFileSync } from "node:fs";
import type { MetricFamily } from "../../adapters/admin/metric-families.ts";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { GatewaySettings } from "../../cli/controller/gateway-settings.ts";
import { DEFAULT_SYSTEM_AUTHORITIES } from "../../cli/xds/settings.ts";
import { GatewayStates } from "../../controller/gateways/gateway-states.ts";
import type { GatewayNeeds, LiveState, LiveStep } from "../../controller/live-evaluation.ts";
import { compileDataplane, updateDataplane } from "../../core/compile.ts";
import type { Dataplane } from "../../core/dataplane/dataplane.ts";
import type { GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import type { World } from "../../core/effective/world/world.ts";
import { formatXdsAddress } from "../../core/envoy/xds-address.ts";
import { worldOf } from "../../core/evaluation.ts";
import { type AssignedAddress, assignAddresses } from "../../core/gateway-status/assign-addresses.ts";
import { gatewayStatuses } from "../../core/gateway-status/gateway-statuses.ts";
import { NAMING_KINDS, neededMaterial } from "../../core/gateway-status/needed-material.ts";
import { OwnedGateways } from "../../core/gateway-status/owned-gateways.ts";
import { ADDRESS_FEATURES, SUPPORTED_FEATURES } from "../../core/gateway-status/supported-features.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { kindId, type ObjectId, type ObjectRef, objectId } from "../../core/model/refs.ts";
import type { TargetStatus } from "../../core/status/status-report.ts";
import type { KeyMaterial } from "../../sources/key-material.ts";
import type { EnvoySecrets } from "../../xds/compile/envoy-secrets.ts";
import { type ControlPlane, startControlPlane } from "../../xds/serve/control-plane.ts";
import { createSecretFilter } from "../../xds/serve/valid-secrets.ts";
import { createXdsMetrics, type XdsMetrics } from "../../xds/serve/xds-metrics.ts";
import type { XdsEvent } from "../../xds/serve/xds-server.ts";
import { formatEvent } from "../xds/format-event.ts";
import { slackMs } from "../xds/timer-slack.ts";
import { envoySecrets } from "../xds-secrets.ts";

export interface GatewayPartOptions {
  readonly settings: GatewaySettings;
  /** GatewayClasses with this name are ours. */
  readonly controllerName: string;
  readonly note: (message: string) => void;
  /** What data planes say has changed: the status must be computed again. */
  readonly onChange: () => void;
}

const GATEWAY = kindId({ group: GATEWAY_API, kind: "Gateway" });
const ENDPOINT_SLICE = { group: "discovery.k8s.io", kind: "EndpointSlice" };
/** How often the absence of Envoys is looked at. */
const LOOK_MS = 15_000;

/** What is served at present. */
interface Served {
  readonly world: World;
  readonly dataplane: Dataplane;
  readonly keyMaterial: KeyMaterial;
  readonly secrets: EnvoySecrets;
  readonly addresses: ReadonlyMap<ObjectId, AssignedAddress>;
}

export class GatewayPart {
  readonly #options: GatewayPartOptions;
  readonly #states: GatewayStates;
  readonly #metrics: XdsMetrics;
  readonly #filterSecrets = createSecretFilter();
  #plane: ControlPlane | undefined;
  #served: Served | undefined;
  /** Every address that was assigned, also to Gateways that are gone. The pool bounds it. */
  readonly #assigned = new Map<ObjectId, AssignedAddress>();
  #looking: NodeJS.Timeout | undefined;
  #generation = 0;
  /** The states that were last reported. */
  #reported = "";

  constructor(options: GatewayPartOptions) {
    this.#options = options;
    this.#metrics = createXdsMetrics({ nodes: () => this.#plane?.nodes() ?? [], nowMs: Date.now });
    this.#states = new GatewayStates({
      controllerName: options.controllerName,
      acknowledgements: () => this.#plane?.acknowledgements() ?? new Map(),
      addressOf: (gateway) => this.#served?.addresses.get(gateway),
      monotonicMs: () => performance.now(),
    });
  }

  get families(): readonly MetricFamily[] {
    return this.#metrics.families;
  }

  /** What must be followed for Gateways. */
  get needs(): GatewayNeeds {
    const { controllerName } = this.#options;
    return {
      also: [ENDPOINT_SLICE],
      named: (evaluation) => neededMaterial(worldOf(evaluation), controllerName),
      isNaming: (kind) => NAMING_KINDS.has(kind),
    };
  }

  /** Opens the port for Envoys, and returns where it is. They wait until the cluster has been read. Rejects if it cannot be opened. */
  async open(): Promise<string> {
    const { xds, tls, addresses } = this.#options.settings;
    this.#plane = await startControlPlane({
      address: xds,
      tls: tls === undefined ? undefined : readTls(tls),
      onEvent: (event) => this.#note(event),
      sharesEnvoys: addresses !== undefined,
      compile: {
        bind: (gateway, port) => ({ host: this.#hostOf(gateway), port }),
        slackMs: slackMs("coarse"),
        systemAuthorities: DEFAULT_SYSTEM_AUTHORITIES,
        matchRegex: createRegex(),
      },
    });
    this.#looking = setInterval(() => this.#look(), LOOK_MS);
    this.#looking.unref();
    return formatXdsAddress("host" in xds ? { ...xds, port: this.#plane.port } : xds);
  }

  /** Serves the configuration of this state. To be called before its status is computed. */
  useState(state: LiveState, step: LiveStep | undefined): void {
    const before = this.#served;
    const world = worldOf(state.evaluation);
    const { keyMaterial } = state;
    const addresses = this.#assign(world);
    const isSameMaterial = keyMaterial === before?.keyMaterial;
    const secrets =
      before !== undefined && isSameMaterial ? before.secrets : this.#filterSecrets(envoySecrets(keyMaterial));
    const { dataplane, isChanged } = nextDataplane(before?.dataplane, state, step);
    this.#served = { world, dataplane, keyMaterial, secrets, addresses };
    if (before !== undefined && !isChanged && isSameMaterial && hasSame(before.addresses, addresses)) return;
    const owned = new OwnedGateways(world, this.#options.controllerName);
    const gateways = dataplane.gateways.filter((config) => this.#isServed(world, config, owned));
    this.#plane?.replace({ ...dataplane, gateways }, secrets);
    this.#states.keep((id) => world.objects.has(id));
    this.#metrics.noteConfig({ generation: ++this.#generation });
    // What is wrong with the content of a Secret is part of the status.
    if (!isSameMaterial) this.#options.onChange();
  }

  /** The status of GatewayClasses, Gateways, ListenerSets and routes. */
  statuses(world: World): readonly TargetStatus[] {
    const { controllerName } = this.#options;
    const statuses = gatewayStatuses(world, {
      controllerName,
      dataplaneOf: this.#states.read(world),
      supportedFeatures:
        this.#options.settings.addresses === undefined
          ? SUPPORTED_FEATURES
          : [...SUPPORTED_FEATURES, ...ADDRESS_FEATURES],
      secretProblem: (secret) => this.#secretProblem(secret),
    });
    this.#reported = this.#stateText(world);
    return statuses;
  }

  /** True if the Gateway is one of this controller. */
  isOwn(world: World, gateway: ObjectId): boolean {
    const object = world.objects.get(gateway);
    return object?.family.kindId === GATEWAY && new OwnedGateways(world, this.#options.controllerName).isOwned(object);
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await this.#plane?.close();
  }

  #assign(world: World): Served["addresses"] {
    const { settings, controllerName } = this.#options;
    if (settings.addresses === undefined) return NO_ADDRESSES;
    const owned = new OwnedGateways(world, controllerName);
    const assigned = assignAddresses(
      world.objects.ofKind(GATEWAY).filter((object) => owned.isOwned(object)),
      settings.addresses,
      this.#assigned,
    );
    this.#remember(assigned);
    return assigned;
  }

  /** An address that was assigned again is no longer that of the Gateway that is gone. */
  #remember(assigned: Served["addresses"]): void {
    const taken = new Set(Array.from(assigned.values(), (one) => ("address" in one ? one.address : undefined)));
    for (const [gateway, known] of this.#assigned)
      if ("problem" in known || taken.has(known.address)) this.#assigned.delete(gateway);
    for (const [gateway, address] of assigned) this.#assigned.set(gateway, address);
  }

  /** Where Envoys share a machine each Gateway has an address of its own, and one without is not served. */
  #isServed(world: World, { gateway }: GatewayConfig, owned: OwnedGateways): boolean {
    const object = world.objects.get(objectId(gateway));
    if (object === undefined || !owned.isOwned(object)) return false;
    const assigned = this.#served?.addresses.get(object.id);
    return this.#options.settings.addresses === undefined || (assigned !== undefined && "address" in assigned);
  }

  #hostOf(gateway: ObjectRef): string {
    const assigned = this.#served?.addresses.get(objectId(gateway));
    return assigned !== undefined && "address" in assigned ? assigned.address : ALL_INTERFACES;
  }

  #secretProblem(secret: ObjectRef): string | undefined {
    const isUsable = this.#served?.secrets.findCertificate(secret) !== undefined;
    return isUsable ? undefined : "has no certificate with its private key that can be used (tls.crt, tls.key)";
  }

  #note(event: XdsEvent): void {
    this.#metrics.observe(event);
    const line = formatEvent(event);
    if (line !== undefined) this.#options.note(line);
    if (event.type === "Current" || event.type === "Refused" || event.type === "Connected") this.#look();
  }

  /** The status is computed again only if data planes say something else than at the last time. */
  #look(): void {
    if (this.#served !== undefined && this.#stateText(this.#served.world) !== this.#reported) this.#options.onChange();
  }

  #stateText(world: World): string {
    const stateOf = this.#states.read(world);
    const owned = new OwnedGateways(world, this.#options.controllerName);
    const gateways = world.objects.ofKind(GATEWAY).filter((object) => owned.isOwned(object));
    return JSON.stringify(gateways.map(({ id }) => [id, stateOf(id)]));
  }
}

const NO_ADDRESSES: Served["addresses"] = new Map();
const ALL_INTERFACES = "0.0.0.0";

function nextDataplane(
  before: Dataplane | undefined,
  { evaluation }: LiveState,
  step: LiveStep | undefined,
): { readonly dataplane: Dataplane; readonly isChanged: boolean } {
  if (before === undefined || step === undefined)
    return { dataplane: compileDataplane(evaluation, { endpointAnnotations: "Ignored" }), isChanged: true };
  const { dataplane, delta } = updateDataplane(before, step.applied);
  const { gateways, backends, endpoints } = delta;
  return { dataplane, isChanged: gateways.length + backends.length + endpoints.length > 0 };
}

const hasSame = (a: Served["addresses"], b: Served["addresses"]): boolean =>
  a.size === b.size && [...a].every(([id, one]) => JSON.stringify(one) === JSON.stringify(b.get(id)));

function readTls({ certificateFile, keyFile, authorityFile }: NonNullable<GatewaySettings["tls"]>) {
  const read = (path: string): string => readFileSync(path, "utf8");
  return { certificate: read(certificateFile), privateKey: read(keyFile), authorities: read(authorityFile) };
}

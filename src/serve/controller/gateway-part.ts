/** The part of the controller that implements Gateway API: it configures the data plane, and knows the status of the Gateways that it serves. */
import type { MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import type { EnvoySettings, GatewaySettings } from "../../cli/controller/gateway-settings.ts";
import { ClassFinalizers } from "../../controller/gateways/class-finalizers.ts";
import { ENDPOINT_SLICE, findUnreadKinds } from "../../controller/gateways/unread-kinds.ts";
import type { GatewayNeeds, LiveState, LiveStep } from "../../controller/live-evaluation.ts";
import { compileDataplane, updateDataplane } from "../../core/compile.ts";
import type { Dataplane } from "../../core/dataplane/dataplane.ts";
import type { GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import type { World } from "../../core/effective/world/world.ts";
import { worldOf } from "../../core/evaluation.ts";
import { type AssignedAddress, assignAddresses } from "../../core/gateway-status/assign-addresses.ts";
import { classesInUse } from "../../core/gateway-status/class-finalizer.ts";
import type { DataplaneState, GatewayStatusOptions } from "../../core/gateway-status/dataplane-state.ts";
import { GatewayStatusTracker, type OwnStatusChanges } from "../../core/gateway-status/gateway-status-tracker.ts";
import { NAMING_KINDS, neededMaterial } from "../../core/gateway-status/needed-material.ts";
import { OwnedGateways } from "../../core/gateway-status/owned-gateways.ts";
import { ADDRESS_FEATURES } from "../../core/gateway-status/supported-features.ts";
import { GATEWAY_PARAMETERS } from "../../core/infrastructure/gateway-parameters.ts";
import { GATEWAY } from "../../core/model/kinds.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { type ObjectId, type ObjectRef, objectId } from "../../core/model/refs.ts";
import type { RetryKnowledge } from "../../core/retry/retry-counts.ts";
import type { StatusScope } from "../../core/status/status-tracker.ts";
import type { KeyMaterial } from "../../sources/key-material.ts";
import type { EnvoySecrets } from "../../xds/compile/envoy-secrets.ts";
import { createSecretFilter } from "../../xds/serve/valid-secrets.ts";
import type { XdsServerTls } from "../../xds/serve/xds-port.ts";
import { envoySecrets } from "../xds-secrets.ts";
import { EmbeddedDataplane } from "./embedded-dataplane.ts";
import { EnvoysDataplane } from "./envoys-dataplane.ts";
import type { DataplaneContext, GatewayDataplane } from "./gateway-dataplane.ts";
import { InfrastructurePart } from "./infrastructure-part.ts";

export interface GatewayPartOptions {
  readonly client: KubeClient;
  /** The namespace of the controller. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** How much longer this replica may write. */
  readonly remainingMs: () => number;
  readonly trouble: (what: string, message: string) => void;
  readonly over: (what: string) => void;
  readonly settings: GatewaySettings;
  /** GatewayClasses with this name are ours. */
  readonly controllerName: string;
  readonly note: (message: string) => void;
  /** Called when reports of data planes have changed: the status must be computed again. */
  readonly onChange: () => void;
  readonly replicas: DataplaneContext["replicas"];
}

/** How often the absence of data planes is looked at. */
const LOOK_MS = 15_000;

/** The configuration that is served at present. */
interface Served {
  readonly world: World;
  readonly dataplane: Dataplane;
  readonly keyMaterial: KeyMaterial;
  readonly secrets: EnvoySecrets;
  readonly addresses: ReadonlyMap<ObjectId, AssignedAddress>;
}

export class GatewayPart {
  readonly #options: GatewayPartOptions;
  readonly #dataplane: GatewayDataplane;
  /** Undefined: the data plane runs already. */
  readonly #infrastructure: InfrastructurePart | undefined;
  readonly #finalizers: ClassFinalizers;
  readonly #filterSecrets = createSecretFilter();
  #served: Served | undefined;
  /** Every address that was assigned, also to Gateways that are gone. The pool bounds it. */
  readonly #assigned = new Map<ObjectId, AssignedAddress>();
  #looking: NodeJS.Timeout | undefined;
  /** The states that were last reported. */
  #reported = "";
  /** The kinds that cannot be read, and without which nothing is served anew. */
  #unread: readonly string[] = [];
  readonly #tracker = new GatewayStatusTracker();
  /** The Secrets whose content the status that was last computed is about. */
  #judged: EnvoySecrets | undefined;

  constructor(options: GatewayPartOptions) {
    this.#options = options;
    const { settings, controllerName, note, replicas } = options;
    this.#finalizers = createFinalizers(options);
    const context: DataplaneContext = {
      controllerName,
      addressOf: (gateway) => this.#served?.addresses.get(gateway),
      served: () =>
        this.#served && {
          world: this.#served.world,
          gateways: this.#ownGateways(this.#served.world).map(({ id }) => id),
        },
      replicas,
      note,
      onChange: () => this.#look(),
    };
    if (settings.dataplane === "Embedded") this.#dataplane = new EmbeddedDataplane(context);
    else {
      this.#infrastructure = this.#createInfrastructure(settings, (tls) => envoys.useTls(tls));
      const envoys = new EnvoysDataplane(settings, context, this.#infrastructure);
      this.#dataplane = envoys;
    }
  }

  get families(): readonly MetricFamily[] {
    return this.#dataplane.families;
  }

  /** The resources that must be followed for Gateways. */
  buildNeeds(): GatewayNeeds {
    const { controllerName } = this.#options;
    return {
      also: this.#infrastructure === undefined ? [ENDPOINT_SLICE] : [ENDPOINT_SLICE, GATEWAY_PARAMETERS],
      named: (evaluation) => neededMaterial(worldOf(evaluation), controllerName),
      isNaming: (kind) => NAMING_KINDS.has(kind),
    };
  }

  /** Opens what the data plane needs, and returns what is served where. Rejects if that is not possible. */
  async open(): Promise<string> {
    const opened = await this.#dataplane.open();
    this.#looking = setInterval(() => this.#look(), LOOK_MS);
    this.#looking.unref();
    return opened;
  }

  /** Serves the configuration of this state. To be called before its status is computed. */
  useState(state: LiveState, step: LiveStep | undefined): void {
    const before = this.#served;
    const world = worldOf(state.evaluation);
    const wasHeld = this.#unread.length > 0;
    this.#noteUnread(findUnreadKinds(world));
    if (this.#unread.length > 0) return;
    this.#finalizers.want(classesInUse(world, new OwnedGateways(world, this.#options.controllerName)));
    const { keyMaterial } = state;
    const addresses = this.#assign(world);
    const hasNewPorts = this.#infrastructure?.useState(world, this.#ownGateways(world)) === true;
    const isSameMaterial = keyMaterial === before?.keyMaterial;
    const secrets =
      before !== undefined && isSameMaterial ? before.secrets : this.#filterSecrets(envoySecrets(keyMaterial));
    const { dataplane, isChanged } = nextDataplane(before?.dataplane, state, wasHeld ? undefined : step);
    this.#served = { world, dataplane, keyMaterial, secrets, addresses };
    if (before !== undefined && !isChanged && isSameMaterial && !hasNewPorts && hasSame(before.addresses, addresses))
      return;
    const owned = new OwnedGateways(world, this.#options.controllerName);
    const gateways = dataplane.gateways.filter((config) => this.#isServed(world, config, owned));
    this.#dataplane.replace({ ...dataplane, gateways }, { keyMaterial, usable: secrets });
    this.#dataplane.keep((id) => world.objects.has(id));
    // The problems of the content of a Secret are part of the status.
    if (!isSameMaterial) this.#options.onChange();
  }

  /** Reports that the part is not ready as long as data planes get no configuration. */
  readiness(): { readonly isReady: boolean; readonly reason: string } {
    if (this.#unread.length > 0) return { isReady: false, reason: `${formatKinds(this.#unread)} cannot be read` };
    return this.#served === undefined
      ? { isReady: false, reason: "the cluster is being read" }
      : { isReady: true, reason: "the configuration is that of the cluster" };
  }

  /** The status of GatewayClasses, Gateways, ListenerSets and routes, in steps. */
  *statuses(world: World, scope: StatusScope): Generator<void, OwnStatusChanges> {
    const { controllerName, settings } = this.#options;
    const run = settings.dataplane === "Envoy" ? settings.run : undefined;
    const { supportedFeatures, limits } = this.#dataplane;
    const hasAddresses = settings.addresses !== undefined || this.#infrastructure !== undefined;
    const stateOf = this.#unread.length > 0 ? isHeld : this.#dataplane.read(world);
    const states = new Map(this.#ownGateways(world).map(({ id }) => [id, stateOf(id)]));
    this.#reported = textOf(states);
    const isAnew = this.#judged !== this.#served?.secrets;
    this.#judged = this.#served?.secrets;
    const options: GatewayStatusOptions = {
      controllerName,
      dataplaneOf: (gateway) => states.get(gateway) ?? stateOf(gateway),
      limits,
      supportedFeatures: hasAddresses ? [...supportedFeatures, ...ADDRESS_FEATURES] : supportedFeatures,
      parameters: run?.rights,
      infrastructureKeys: run?.infrastructureKeys,
      secretProblem: (secret) => this.#secretProblem(secret),
    };
    return yield* this.#tracker.update(world, scope, options, { isAnew });
  }

  /** The worth of retries to the requests through the Gateways that are served. Undefined until the cluster has been read. */
  retries(): RetryKnowledge | undefined {
    const served = this.#served;
    if (served === undefined) return undefined;
    const owned = new OwnedGateways(served.world, this.#options.controllerName);
    const gateways = served.world.objects.ofKind(GATEWAY).filter((object) => owned.isOwned(object));
    return this.#dataplane.retries(gateways.map(({ id }) => id));
  }

  /** True if the Gateway is one of this controller. */
  isOwn(world: World, gateway: ObjectId): boolean {
    const object = world.objects.get(gateway);
    return object?.family.kindId === GATEWAY && new OwnedGateways(world, this.#options.controllerName).isOwned(object);
  }

  /** Runs the Envoys, if the controller does, and exchanges acknowledgements with the other replicas, until the signal aborts. */
  async run(): Promise<void> {
    this.#finalizers.open();
    await Promise.all([this.#infrastructure?.run(), this.#dataplane.exchange()]);
  }

  /** This replica is the one that writes from now on. */
  lead(): void {
    this.#infrastructure?.lead();
    this.#finalizers.lead();
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await Promise.all([this.#dataplane.close(), this.#finalizers.close()]);
  }

  #createInfrastructure(
    { run, xds }: EnvoySettings,
    onTls: (tls: XdsServerTls) => void,
  ): InfrastructurePart | undefined {
    const { controllerName, client, namespace, signal, remainingMs, note, trouble, over } = this.#options;
    if (run === undefined || "socketPath" in xds) return undefined;
    return new InfrastructurePart({
      client,
      settings: run,
      controllerName,
      namespace,
      xdsPort: xds.port,
      signal,
      remainingMs,
      onChange: () => this.#look(),
      onTls,
      note,
      trouble,
      over,
    });
  }

  #noteUnread(unread: readonly string[]): void {
    const { trouble, over } = this.#options;
    if (unread.length === 0 && this.#unread.length > 0) over(CONFIGURATION);
    else if (unread.length > 0)
      trouble(CONFIGURATION, `${formatKinds(unread)} cannot be read; gateways keep the configuration that they have`);
    this.#unread = unread;
  }

  #ownGateways(world: World): readonly KubeObject[] {
    const owned = new OwnedGateways(world, this.#options.controllerName);
    return world.objects.ofKind(GATEWAY).filter((object) => owned.isOwned(object));
  }

  #assign(world: World): Served["addresses"] {
    const { settings } = this.#options;
    if (settings.addresses === undefined) return NO_ADDRESSES;
    const assigned = assignAddresses(this.#ownGateways(world), settings.addresses, this.#assigned);
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

  #secretProblem(secret: ObjectRef): string | undefined {
    const isUsable = this.#served?.secrets.findCertificate(secret) !== undefined;
    return isUsable ? undefined : "has no certificate with its private key that can be used (tls.crt, tls.key)";
  }

  /** The status is computed again only if data planes say something else than at the last time. */
  #look(): void {
    if (this.#served !== undefined && this.#stateText(this.#served.world) !== this.#reported) this.#options.onChange();
  }

  #stateText(world: World): string {
    const stateOf = this.#dataplane.read(world);
    return textOf(new Map(this.#ownGateways(world).map(({ id }) => [id, stateOf(id)])));
  }
}

const createFinalizers = ({ client, remainingMs, trouble, over }: GatewayPartOptions): ClassFinalizers =>
  new ClassFinalizers({
    client,
    remainingMs,
    onTrouble: (error) => (error === undefined ? over(FINALIZERS) : trouble(FINALIZERS, error.message)),
    monotonicMs: () => performance.now(),
  });

const textOf = (states: ReadonlyMap<ObjectId, DataplaneState>): string => JSON.stringify([...states]);

const CONFIGURATION = "the configuration of gateways";
const FINALIZERS = "finalizers of GatewayClasses";
const formatKinds = (kinds: readonly string[]): string => kinds.join(", ");
/** The status of Gateways stays as written while their configuration does. */
const isHeld = (): DataplaneState => ({ state: "Updating" });

const NO_ADDRESSES: Served["addresses"] = new Map();

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

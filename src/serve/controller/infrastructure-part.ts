/** The part of the controller that runs an Envoy for each Gateway: their objects, and the certificates of both sides of xDS. */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import type { RunSettings } from "../../cli/controller/gateway-settings.ts";
import { ensureCertificates, type OwnCertificates } from "../../controller/certificates/own-certificates.ts";
import {
  InfrastructureWriter,
  type WantedInfrastructure,
} from "../../controller/infrastructure/infrastructure-writer.ts";
import type { World } from "../../core/effective/world/world.ts";
import { BOOTSTRAP_FOLDER, CERTIFICATE_FOLDER } from "../../core/infrastructure/build-deployment.ts";
import { desiredInfrastructure, listenerPorts } from "../../core/infrastructure/desired-infrastructure.ts";
import { parametersOfGateway } from "../../core/infrastructure/gateway-parameters.ts";
import { type InfrastructureState, infrastructureState } from "../../core/infrastructure/infrastructure-state.ts";
import type { InfrastructureSettings } from "../../core/infrastructure/infrastructure-types.ts";
import { ADMIN_PORT, podPorts, STATUS_PORT } from "../../core/infrastructure/pod-ports.ts";
import { isCompleteForAll } from "../../core/model/completeness.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import type { ObjectId, ObjectRef } from "../../core/model/refs.ts";
import { bootstrapJson, responseJson } from "../../xds/bootstrap-json.ts";
import { compileBootstrap } from "../../xds/compile/compile-bootstrap.ts";
import { compileSecretFiles } from "../../xds/compile/compile-secret-files.ts";
import { gatewayUri, replicasUri } from "../../xds/serve/node-certificate.ts";
import type { XdsServerTls } from "../../xds/serve/xds-port.ts";
import type { RunEnvoys } from "./envoys-dataplane.ts";

export interface InfrastructurePartOptions {
  readonly client: KubeClient;
  readonly settings: RunSettings;
  readonly controllerName: string;
  /** The namespace of the controller, and of what it creates. */
  readonly namespace: string;
  /** The port of the xDS server. */
  readonly xdsPort: number;
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
  /** The objects of a Gateway have changed: its status must be computed again. */
  readonly onChange: () => void;
  readonly onTls: (tls: XdsServerTls) => void;
  readonly note: (message: string) => void;
  readonly trouble: (what: string, message: string) => void;
  readonly over: (what: string) => void;
}

/** The Secret with the authority of xDS and the certificate of its server, and the Service of that server. */
const XDS = "prevail-xds";
const CERTIFICATES = "certificates of xDS";
/** How long it takes until the kubelet has written a changed Secret into the Pods of Envoys. */
const TRUST_MS = 5 * 60_000;
const LOOK_MS = 30_000;
const RETRY_MS = 2000;

const FILES = {
  certificateFile: `${CERTIFICATE_FOLDER}/tls.crt`,
  keyFile: `${CERTIFICATE_FOLDER}/tls.key`,
  authorityFile: `${CERTIFICATE_FOLDER}/ca.crt`,
  secretFiles: {
    certificate: `${BOOTSTRAP_FOLDER}/certificate.json`,
    authorities: `${BOOTSTRAP_FOLDER}/authorities.json`,
  },
};

export class InfrastructurePart implements RunEnvoys {
  readonly #options: InfrastructurePartOptions;
  readonly #writer: InfrastructureWriter;
  readonly #desired: InfrastructureSettings;
  /** The last wanted objects of each Gateway, with their text: equal ones are the same object. */
  readonly #known = new Map<string, { readonly text: string; readonly wanted: WantedInfrastructure }>();
  #ports: ReadonlyMap<ObjectId, ReadonlyMap<number, number>> = new Map();
  #tls: XdsServerTls | undefined;
  #authorities = "";

  constructor(options: InfrastructurePartOptions) {
    this.#options = options;
    const { settings, controllerName, namespace, client, remainingMs, onChange, note, trouble, over } = options;
    const { image, portMode, infrastructureKeys } = settings;
    this.#desired = { controllerName, namespace, image, portMode, infrastructureKeys };
    this.#writer = new InfrastructureWriter({
      client,
      controllerName,
      namespace,
      remainingMs,
      certificateOf: ({ gateway, name }) => ({
        commonName: name,
        uriNames: [replicasUri(name), gatewayUri(`${gateway.namespace}/${gateway.name}`)],
      }),
      onChange,
      note,
      onTrouble: (what, error) => (error === undefined ? over(what) : trouble(what, error.message)),
      nowMs: Date.now,
      monotonicMs: () => performance.now(),
    });
  }

  /** The certificate of the xDS server, as soon as the API server responds. Undefined if the signal aborts before. */
  async loadTls(): Promise<XdsServerTls | undefined> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      await this.#renew();
      if (this.#tls !== undefined) return this.#tls;
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** Computes the objects that this state needs. To be called before the configuration is compiled. True if a port of a Pod has changed. */
  useState(world: World, gateways: readonly KubeObject[]): boolean {
    const wanted = new Map<string, WantedInfrastructure>();
    const ports = new Map<ObjectId, ReadonlyMap<number, number>>();
    for (const gateway of gateways) {
      const { namespace, name } = gateway.ref;
      const key = `${namespace}/${name}`;
      wanted.set(key, this.#same(key, this.#wantedFor(world, gateway)));
      const own = listenerPorts(world, gateway).map(({ port }) => port);
      ports.set(gateway.id, podPorts(own, this.#desired.portMode));
    }
    for (const key of this.#known.keys()) if (!wanted.has(key)) this.#known.delete(key);
    const hasNewPorts = textOf(ports) !== textOf(this.#ports);
    this.#ports = ports;
    const isComplete = ["Gateway", "GatewayClass"].every((kind) =>
      isCompleteForAll(world.completeness, { group: GATEWAY_API, kind }),
    );
    this.#writer.want(wanted, { isComplete });
    return hasNewPorts;
  }

  /** The port that Envoys open for a port of a listener. */
  podPort(gateway: ObjectId, port: number): number {
    return this.#ports.get(gateway)?.get(port) ?? port;
  }

  stateOf(world: World, gateway: ObjectId): InfrastructureState | undefined {
    const object = world.objects.get(gateway);
    return object === undefined ? undefined : infrastructureState(object, this.#writer.observe(object.ref));
  }

  lead(): void {
    this.#writer.lead();
  }

  /** Follows and writes until the signal aborts. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    await Promise.all([this.#writer.run(signal), this.#followCertificates(signal)]);
  }

  #wantedFor(world: World, gateway: KubeObject): WantedInfrastructure {
    const found = parametersOfGateway(world, gateway, this.#options.settings.rights);
    if ("problem" in found) return { kept: found.problem };
    const request = {
      gateway: gateway.ref,
      parameters: found.parameters,
      bootstrap: this.#bootstrapOf(gateway.ref),
    };
    return desiredInfrastructure(world, gateway, request, this.#desired);
  }

  #bootstrapOf({ namespace, name }: ObjectRef): Readonly<Record<string, string>> {
    const { settings, xdsPort } = this.#options;
    const serverName = this.#serverName();
    const bootstrap = compileBootstrap({
      // The command line has the name of the Pod.
      nodeId: "envoy",
      gateway: `${namespace}/${name}`,
      server: settings.endpoint ?? { host: serverName, port: xdsPort },
      tls: { ...FILES, serverName },
      adminPort: ADMIN_PORT,
      statusPort: STATUS_PORT,
    });
    const { certificate, authorities } = compileSecretFiles(FILES);
    return {
      "authorities.json": JSON.stringify(responseJson(authorities)),
      "certificate.json": JSON.stringify(responseJson(certificate)),
      "envoy.json": JSON.stringify(bootstrapJson(bootstrap)),
    };
  }

  #serverName(): string {
    return `${XDS}.${this.#options.namespace}.svc`;
  }

  #same(key: string, wanted: WantedInfrastructure): WantedInfrastructure {
    const text = JSON.stringify(wanted);
    const known = this.#known.get(key);
    if (known?.text === text) return known.wanted;
    this.#known.set(key, { text, wanted });
    return wanted;
  }

  async #followCertificates(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#renew();
    }
  }

  async #renew(): Promise<void> {
    const { client, namespace, note, trouble, over } = this.#options;
    try {
      const secret = { namespace, name: XDS };
      const names = [this.#serverName()] as const;
      const found = await ensureCertificates({ client, secret, dnsNames: names, nowMs: Date.now(), trustMs: TRUST_MS });
      if (found.made !== undefined) note(`made a new certificate for ${names[0]}, in Secret ${namespace}/${XDS}`);
      this.#use(found);
      over(CERTIFICATES);
    } catch (error) {
      trouble(CERTIFICATES, error instanceof Error ? error.message : String(error));
    }
  }

  /** A certificate of a new authority is used when Envoys trust it; certificates of Envoys that it has signed are accepted at once. */
  #use({ authority, authorities, serving, trustedFromMs }: OwnCertificates): void {
    const before = this.#tls;
    const isTrusted = before === undefined || Date.now() >= trustedFromMs;
    const { certificate, privateKey } = isTrusted ? serving : before;
    this.#tls = { certificate, privateKey, authorities };
    if (before?.certificate !== certificate || before.authorities !== authorities) this.#options.onTls(this.#tls);
    if (this.#authorities === authorities) return;
    this.#authorities = authorities;
    this.#writer.useAuthority({ key: authority, authorities });
  }
}

const textOf = (ports: ReadonlyMap<ObjectId, ReadonlyMap<number, number>>): string =>
  JSON.stringify(Array.from(ports, ([id, table]) => [id, [...table]]));

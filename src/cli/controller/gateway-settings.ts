/** The options of `controller` about Gateways that it serves. */
import { formatXdsAddress, isLocal, type XdsAddress } from "../../core/envoy/xds-address.ts";
import { type AddressPool, parseAddressPool } from "../../core/gateway-status/assign-addresses.ts";
import {
  PARAMETER_RIGHTS,
  type ParameterMaximum,
  type ParameterRights,
} from "../../core/infrastructure/gateway-parameters.ts";
import type { PortMode } from "../../core/infrastructure/pod-ports.ts";
import { parseQuantity } from "../../core/model/parse/parse-quantity.ts";
import type { Option, OptionValues } from "../args/option.ts";
import { parseXdsAddress } from "../args/parse-xds-address.ts";

export type GatewaySettings = EnvoySettings | EmbeddedSettings;

export interface EnvoySettings {
  readonly dataplane: "Envoy";
  /** Where Envoys get their configuration. */
  readonly xds: XdsAddress;
  /** The files of the TLS settings of that server. Undefined: plain text, on this machine only. */
  readonly tls:
    | { readonly certificateFile: string; readonly keyFile: string; readonly authorityFile: string }
    | undefined;
  /** The controller runs the Envoys. Undefined: they run already. */
  readonly run?: RunSettings | undefined;
  /** Each Gateway gets one of these addresses. Undefined: Envoys listen on all of their addresses. */
  readonly addresses: AddressPool | undefined;
}

/** The Envoys that the controller runs. */
export interface RunSettings {
  readonly image: string;
  readonly portMode: PortMode;
  /** The fields that parameters of Gateways may set. */
  readonly rights: ParameterRights;
  /** Keys of labels and annotations of Gateways that their objects may have, beside those without a prefix. */
  readonly infrastructureKeys: readonly string[];
  /** Where they connect. Undefined: the Service of that name in the namespace of the controller. */
  readonly endpoint?: { readonly host: string; readonly port: number };
}

/** The embedded gateway serves all Gateways, in the process of the controller. */
export interface EmbeddedSettings {
  readonly dataplane: "Embedded";
  readonly addresses: AddressPool;
}

const EXAMPLE = "127.0.0.1:18000";
const EXAMPLE_OPEN = "0.0.0.0:18000";
const EXAMPLE_IMAGE = "envoyproxy/envoy:distroless-v1.40.0";
const EXAMPLE_RESOURCES = "cpu=8,memory=16Gi";
const EXAMPLE_POOL = "127.1.0.0/24";

export const gatewayOptions: readonly Option[] = [
  {
    name: "xds",
    value: "ADDRESS:PORT|unix:PATH",
    help: `implement Gateway API for GatewayClasses with --controller-name: write the status of their Gateways and routes, and serve Envoys there, such as at ${EXAMPLE} (default: no Gateways are served)`,
  },
  {
    name: "dataplane",
    value: "DATAPLANE",
    choices: ["envoy", "embedded"],
    help: "what serves Gateways: 'envoy' needs --xds; 'embedded' implements Gateway API with the embedded gateway in this process, for development (default: envoy with --xds)",
  },
  {
    name: "xds-cert",
    value: "FILE",
    help: "with --xds: the certificate of that server; outside the loopback both sides need one",
  },
  { name: "xds-key", value: "FILE", help: "with --xds: the private key of --xds-cert" },
  { name: "xds-ca", value: "FILE", help: "with --xds: the authorities that sign the certificates of Envoys" },
  {
    name: "gateway-addresses",
    value: "NETWORK",
    help: `give each Gateway an IPv4 address of this network. With --xds: for Envoys that run already; one Envoy with the node cluster '*/*' serves all Gateways (default: an Envoy serves one Gateway, on all of its addresses). With --dataplane embedded: the addresses must be those of this machine (default: ${EXAMPLE_POOL}, which are reachable from this machine only)`,
  },
  {
    name: "envoy-image",
    value: "IMAGE",
    help: `with --xds: run the Envoys, with this image, such as ${EXAMPLE_IMAGE}: for each Gateway a Deployment and a Service in the namespace of --service. The controller makes the certificates of both sides (default: Envoys run already)`,
  },
  {
    name: "xds-endpoint",
    value: "HOST:PORT",
    help: "with --envoy-image: where these Envoys connect (default: the Service prevail-xds in the namespace of --service, at the port of --xds)",
  },
  {
    name: "privileged-ports",
    value: "MODE",
    choices: ["shift", "bind"],
    help: "with --envoy-image: how Envoys open listener ports below 1024. shift: 10000 higher, and the Service has the port of the listener; bind: as they are, which the sysctl net.ipv4.ip_unprivileged_port_start of the Pod allows (default: shift)",
  },
  {
    name: "max-replicas",
    value: "NUMBER",
    help: "with --envoy-image: the most replicas that GatewayParameters of a Gateway may have; those of a GatewayClass may have more (default: no maximum)",
  },
  {
    name: "max-resources",
    value: "RESOURCE=QUANTITY,…",
    help: `with --envoy-image: the most resources that GatewayParameters of a Gateway may request or have as a limit, such as ${EXAMPLE_RESOURCES}; limits that they leave out are the maximum, and other resources can then be set for a GatewayClass only (default: no maximum)`,
  },
  {
    name: "infrastructure-keys",
    value: "KEY,…",
    help: "with --envoy-image: labels and annotations in spec.infrastructure of Gateways that their objects get, beside those whose key has no prefix: a key, a prefix such as 'example.com/*', or '*' for all. Other controllers act upon such keys of objects in the namespace of --service (default: none)",
  },
];

const ABOUT_RUNNING = ["xds-endpoint", "privileged-ports", "max-replicas", "max-resources", "infrastructure-keys"];
const ABOUT_XDS = ["xds", "xds-cert", "xds-key", "xds-ca", "envoy-image", ...ABOUT_RUNNING];
/** Options for Envoys that run already. */
const NOT_WITH_RUNNING = ["gateway-addresses", "xds-cert", "xds-key", "xds-ca"];

/** Undefined: no Gateways are served. A text says what is wrong with the options. */
export function parseGatewaySettings(options: OptionValues): GatewaySettings | string | undefined {
  const isEmbedded = options.value("dataplane") === "embedded";
  const [stray] = [...ABOUT_XDS, "gateway-addresses", "dataplane"].filter((name) => options.has(name));
  if (!isEmbedded && !options.has("xds"))
    return stray === undefined
      ? undefined
      : `--${stray} is about Gateways that are served: add --xds ${EXAMPLE}, or --dataplane embedded`;
  if (options.has("view-only"))
    return `--${isEmbedded ? "dataplane" : "xds"} serves Gateways and writes their status: leave --view-only out`;
  const network = options.value("gateway-addresses");
  const addresses = network === undefined ? undefined : parseAddressPool(network);
  if (network !== undefined && addresses === undefined)
    return `--gateway-addresses is '${network}': give an IPv4 network with a prefix of 8 to 30 bits, such as ${EXAMPLE_POOL}`;
  return isEmbedded ? parseEmbedded(options, addresses) : parseEnvoy(options, addresses);
}

function parseEmbedded(options: OptionValues, addresses: AddressPool | undefined): EmbeddedSettings | string {
  const [stray] = ABOUT_XDS.filter((name) => options.has(name));
  if (stray !== undefined) return `--${stray} is about Envoys: leave it out, or --dataplane embedded`;
  const pool = addresses ?? parseAddressPool(EXAMPLE_POOL);
  if (pool === undefined) throw new Error(`${EXAMPLE_POOL} is not a network`);
  return { dataplane: "Embedded", addresses: pool };
}

function parseEnvoy(options: OptionValues, addresses: AddressPool | undefined): EnvoySettings | string {
  const text = options.value("xds") ?? "";
  const xds = parseXdsAddress(text);
  if (xds === undefined) return `--xds is '${text}': give an address and a port, such as ${EXAMPLE}, or unix:PATH`;
  const run = parseRun(options, xds);
  if (typeof run === "string") return run;
  const tls = run === undefined ? parseTls(options, xds) : undefined;
  return typeof tls === "string" ? tls : { dataplane: "Envoy", xds, tls, run, addresses };
}

function parseRun(options: OptionValues, xds: XdsAddress): RunSettings | string | undefined {
  const image = options.value("envoy-image");
  const [stray] = ABOUT_RUNNING.filter((name) => options.has(name));
  if (image === undefined)
    return stray === undefined
      ? undefined
      : `--${stray} is about Envoys that the controller runs: add --envoy-image ${EXAMPLE_IMAGE}`;
  const [other] = NOT_WITH_RUNNING.filter((name) => options.has(name));
  if (other !== undefined)
    return `--${other} is for Envoys that run already, and --envoy-image runs them: leave one out`;
  if (options.has("dry-run")) return "--envoy-image creates objects, and --dry-run writes nothing: leave one out";
  if (image === "" || /\s/.test(image)) return `--envoy-image is '${image}': give an image, such as ${EXAMPLE_IMAGE}`;
  if ("socketPath" in xds) return `--envoy-image needs a port that Pods can reach: give --xds ${EXAMPLE_OPEN}`;
  const text = options.value("xds-endpoint");
  const endpoint = text === undefined ? undefined : parseXdsAddress(text);
  if (text !== undefined && (endpoint === undefined || "socketPath" in endpoint))
    return `--xds-endpoint is '${text}': give a host and a port, such as prevail-xds.prevail-system.svc:18000`;
  const maximum = parseMaximum(options);
  if (typeof maximum === "string") return maximum;
  return {
    image,
    rights: { ...PARAMETER_RIGHTS, maximum },
    infrastructureKeys: (options.value("infrastructure-keys") ?? "").split(",").filter((key) => key !== ""),
    portMode: options.value("privileged-ports") === "bind" ? "AsListeners" : "Shifted",
    ...(endpoint === undefined || "socketPath" in endpoint ? {} : { endpoint }),
  };
}

/** A text says what is wrong. */
function parseMaximum(options: OptionValues): ParameterMaximum | string {
  const [count, list] = [options.value("max-replicas"), options.value("max-resources")];
  if (count !== undefined && !/^\d{1,4}$/.test(count))
    return `--max-replicas is '${count}': give a whole number, such as 10`;
  const resources = list?.split(",").map((one) => /^([^=\s]+)=([^=]+)$/.exec(one) ?? []);
  const amounts = resources?.map(([, , quantity]) => (quantity === undefined ? undefined : parseQuantity(quantity)));
  if (amounts?.includes(undefined))
    return `--max-resources is '${list ?? ""}': give resources with quantities, such as ${EXAMPLE_RESOURCES}`;
  // Every request would be above it, so that no parameters could be used.
  if (amounts?.some((amount) => amount !== undefined && amount < 0))
    return `--max-resources is '${list ?? ""}': a maximum is not negative; give quantities of at least 0, such as ${EXAMPLE_RESOURCES}`;
  return {
    ...(count === undefined ? {} : { replicas: Number(count) }),
    ...(resources === undefined
      ? {}
      : { resources: Object.fromEntries(resources.map(([, resource = "", quantity = ""]) => [resource, quantity])) }),
  };
}

function parseTls(options: OptionValues, address: XdsAddress): EnvoySettings["tls"] | string {
  const [certificateFile, keyFile, authorityFile] = ["xds-cert", "xds-key", "xds-ca"].map((name) =>
    options.value(name),
  );
  if (certificateFile !== undefined && keyFile !== undefined && authorityFile !== undefined)
    return { certificateFile, keyFile, authorityFile };
  if (certificateFile !== undefined || keyFile !== undefined || authorityFile !== undefined)
    return "--xds-cert, --xds-key and --xds-ca go together: a certificate, its key, and the authorities of Envoys";
  return isLocal(address)
    ? undefined
    : `${formatXdsAddress(address)} is not the loopback, and keys are sent there: give --xds-cert, --xds-key and --xds-ca`;
}

/** The options of `controller` about Gateways that it serves. */
import { formatXdsAddress, isLocal, type XdsAddress } from "../../core/envoy/xds-address.ts";
import { type AddressPool, parseAddressPool } from "../../core/gateway-status/assign-addresses.ts";
import type { Option, OptionValues } from "../args/option.ts";
import { parseXdsAddress } from "../args/parse-xds-address.ts";

export interface GatewaySettings {
  /** Where Envoys get their configuration. */
  readonly xds: XdsAddress;
  /** The files of the TLS settings of that server. Undefined: plain text, on this machine only. */
  readonly tls:
    | { readonly certificateFile: string; readonly keyFile: string; readonly authorityFile: string }
    | undefined;
  /** Each Gateway gets one of these addresses. Undefined: Envoys listen on all of their addresses. */
  readonly addresses: AddressPool | undefined;
}

const EXAMPLE = "127.0.0.1:18000";
const EXAMPLE_POOL = "127.1.0.0/24";

export const gatewayOptions: readonly Option[] = [
  {
    name: "xds",
    value: "ADDRESS:PORT|unix:PATH",
    help: `implement Gateway API for GatewayClasses with --controller-name: write the status of their Gateways and routes, and serve Envoys there, such as at ${EXAMPLE} (default: no Gateways are served)`,
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
    help: `with --xds: give each Gateway an IPv4 address of this network, such as ${EXAMPLE_POOL}, for Envoys that run already: one Envoy with the node cluster '*/*' serves all Gateways (default: an Envoy serves one Gateway, on all of its addresses)`,
  },
];

const ABOUT_GATEWAYS = ["xds-cert", "xds-key", "xds-ca", "gateway-addresses"];

/** Undefined: no Gateways are served. A text says what is wrong with the options. */
export function parseGatewaySettings(options: OptionValues): GatewaySettings | string | undefined {
  const text = options.value("xds");
  const [stray] = ABOUT_GATEWAYS.filter((name) => options.has(name));
  if (text === undefined)
    return stray === undefined ? undefined : `--${stray} is about Gateways that are served: add --xds ${EXAMPLE}`;
  if (options.has("view-only")) return "--xds serves Gateways and writes their status: leave --view-only out";
  const xds = parseXdsAddress(text);
  if (xds === undefined) return `--xds is '${text}': give an address and a port, such as ${EXAMPLE}, or unix:PATH`;
  const tls = parseTls(options, xds);
  if (typeof tls === "string") return tls;
  const network = options.value("gateway-addresses");
  const addresses = network === undefined ? undefined : parseAddressPool(network);
  if (network !== undefined && addresses === undefined)
    return `--gateway-addresses is '${network}': give an IPv4 network with a prefix of 8 to 30 bits, such as ${EXAMPLE_POOL}`;
  return { xds, tls, addresses };
}

function parseTls(options: OptionValues, address: XdsAddress): GatewaySettings["tls"] | string {
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

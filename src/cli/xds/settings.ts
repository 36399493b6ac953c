/** The checked options of `xds`. Each parser returns the settings, or an error message. */
import { formatXdsAddress, isLocal, type XdsAddress } from "../../core/envoy/xds-address.ts";
import { parseEnvoyHeap } from "../args/envoy-heap.ts";
import type { OptionValues } from "../args/option.ts";
import { parsePort, parsePortMap } from "../args/parse-port.ts";
import { parseXdsAddress } from "../args/parse-xds-address.ts";
import { parseTrustedHops } from "../args/trusted-hops.ts";
import type { BootstrapSettings, DumpSettings, XdsServeSettings } from "./xds-tools.ts";

export const DEFAULT_SERVER = "127.0.0.1:18000";
export const DEFAULT_STATUS_PORT = 18_001;
export const DEFAULT_ENVOY_ADDRESS = "0.0.0.0";
export const DEFAULT_SECRETS = "secrets";
/** The path in Debian, Alpine and the official Envoy images. */
export const DEFAULT_SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

export function parseDumpSettings(options: OptionValues): DumpSettings | string {
  const portMap = parsePortMap(options.values("map-port"));
  if (typeof portMap === "string") return portMap;
  const adminPort = parseAdminPort(options);
  if (typeof adminPort === "string") return adminPort;
  const heapMib = parseEnvoyHeap(options);
  if (typeof heapMib === "string") return heapMib;
  const trustedHops = parseTrustedHops(options);
  if (typeof trustedHops === "string") return trustedHops;
  return {
    bind: options.value("bind") ?? DEFAULT_ENVOY_ADDRESS,
    portMap,
    trustedHops,
    adminPort,
    heapMib,
    secretsFolder: options.value("secrets") ?? DEFAULT_SECRETS,
    systemAuthorities: options.value("system-ca") ?? DEFAULT_SYSTEM_AUTHORITIES,
    timer: options.value("timer") === "precise" ? "precise" : "coarse",
  };
}

function parseAdminPort(options: OptionValues): number | undefined | string {
  const text = options.value("admin-port");
  if (text === undefined) return undefined;
  return parsePort(text) ?? `--admin-port is '${text}': give a port number`;
}

export function parseXdsServeSettings(options: OptionValues): XdsServeSettings | string {
  const dump = parseDumpSettings(options);
  if (typeof dump === "string") return dump;
  const address = options.value("listen") ?? DEFAULT_SERVER;
  const listen = parseXdsAddress(address);
  if (listen === undefined) {
    return `--listen is '${address}': give an address and a port, such as 0.0.0.0:18000, or unix:PATH`;
  }
  const statusPort = parseStatusPort(options);
  if (typeof statusPort === "string") return statusPort;
  const tls = parseTls(options, listen);
  if (typeof tls === "string") return tls;
  const { bind, portMap, systemAuthorities, timer, trustedHops } = dump;
  return {
    paths: options.values("filename"),
    defaultNamespace: options.value("default-namespace"),
    completeness: options.has("complete") ? "Complete" : "Partial",
    isWatching: !options.has("no-watch"),
    bind,
    portMap,
    systemAuthorities,
    timer,
    trustedHops,
    listen,
    statusPort,
    serverTls: tls,
  };
}

export function parseStatusPort(options: OptionValues): number | string {
  const text = options.value("status-port");
  if (text === undefined) return DEFAULT_STATUS_PORT;
  return parsePort(text) ?? `--status-port is '${text}': give a port number`;
}

export function parseBootstrapSettings(gateway: string | undefined, options: OptionValues): BootstrapSettings | string {
  if (gateway === undefined || !/^[^/]+\/[^/]+$/.test(gateway)) {
    return `${gateway === undefined ? "bootstrap" : `'${gateway}'`}: give the gateway as NAMESPACE/NAME`;
  }
  const address = options.value("server") ?? DEFAULT_SERVER;
  const server = parseXdsAddress(address);
  if (server === undefined) {
    return `--server is '${address}': give a host and a port, such as xds.example:18000, or unix:PATH`;
  }
  const adminPort = parseAdminPort(options);
  if (typeof adminPort === "string") return adminPort;
  const heapMib = parseEnvoyHeap(options);
  if (typeof heapMib === "string") return heapMib;
  const tls = parseTls(options, server);
  if (typeof tls === "string") return tls;
  return { node: options.value("node") ?? gateway.replace("/", "-"), gateway, server, adminPort, heapMib, tls };
}

/** Undefined: plain text, which is allowed on this machine only. */
function parseTls(options: OptionValues, address: XdsAddress): BootstrapSettings["tls"] | string {
  const [certificateFile, keyFile, authorityFile] = ["cert", "key", "ca"].map((name) => options.value(name));
  if (certificateFile === undefined && keyFile === undefined && authorityFile === undefined) {
    return isLocal(address)
      ? undefined
      : `${formatXdsAddress(address)} is not the loopback, and keys are sent there: give --cert, --key and --ca`;
  }
  if (certificateFile === undefined || keyFile === undefined || authorityFile === undefined) {
    return "--cert, --key and --ca go together: a certificate, its key, and the authorities that sign the other side's";
  }
  const serverName = options.value("server-name") ?? ("host" in address ? address.host : "localhost");
  return { certificateFile, keyFile, authorityFile, serverName };
}

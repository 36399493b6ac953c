/** Where an xDS server listens. The stream contains private keys, so an address that others can reach needs certificates. */
import { isLoopbackIp, parseIp } from "../model/cel/library/addresses.ts";

export type XdsAddress =
  | { readonly host: string; readonly port: number }
  /** A Unix socket, which only its owner can use. */
  | { readonly socketPath: string };

/** True if the server is reachable from this machine only. */
export const isLocal = (address: XdsAddress): boolean => "socketPath" in address || isLoopback(address.host);

/** A name other than `localhost` does not count: `127.attacker.example` may resolve to any address. */
export function isLoopback(host: string): boolean {
  const address = parseIp(host);
  return address === undefined ? host === "localhost" : isLoopbackIp(address);
}

export function formatXdsAddress(address: XdsAddress): string {
  if ("socketPath" in address) return `unix:${address.socketPath}`;
  const { host, port } = address;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

import { isLoopbackIp, parseIp } from "../model/cel/library/addresses.ts";

/**
 * True if the host is reachable from this machine only. A name other than `localhost` is not: `127.attacker.example` may resolve to any
 * address.
 */
export function isLoopback(host: string): boolean {
  const address = parseIp(host);
  return address === undefined ? host === "localhost" : isLoopbackIp(address);
}

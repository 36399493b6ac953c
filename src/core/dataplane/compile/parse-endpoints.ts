/** Parses the addresses in the annotation `prevail.dev/endpoints`. */
import type { Endpoint } from "../gateway-config.ts";

export type ParsedEndpoints =
  | { readonly state: "endpoints"; readonly endpoints: readonly Endpoint[] }
  | { readonly state: "invalid"; readonly message: string };

/** Parses `127.0.0.1:8081, [::1]:8082`. Names are not allowed. */
export function parseEndpoints(text: string): ParsedEndpoints {
  const endpoints: Endpoint[] = [];
  for (const item of text.split(",")) {
    const endpoint = parseEndpoint(item.trim());
    if (endpoint === undefined) {
      const message = `'${item.trim().slice(0, 80)}' is not an address with a port; write 127.0.0.1:8081 or [::1]:8081, separated by commas`;
      return { state: "invalid", message };
    }
    endpoints.push(endpoint);
  }
  return { state: "endpoints", endpoints };
}

const ENDPOINT = /^(?:\[(?<ipv6>[^\]]+)\]|(?<ipv4>[^:]+)):(?<port>\d{1,5})$/;

function parseEndpoint(text: string): Endpoint | undefined {
  const { ipv6, ipv4, port: digits = "0" } = ENDPOINT.exec(text)?.groups ?? {};
  const port = Number(digits);
  if (port < 1 || port > 65_535) return undefined;
  if (ipv6 !== undefined) return isIpv6(ipv6) ? { address: ipv6.toLowerCase(), port } : undefined;
  return ipv4 !== undefined && isIpv4(ipv4) ? { address: ipv4, port } : undefined;
}

export const isIpAddress = (text: string): boolean => isIpv4(text) || isIpv6(text);

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** Eight groups, or fewer with one `::`. */
function isIpv6(text: string): boolean {
  const halves = text.split("::");
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8;
}

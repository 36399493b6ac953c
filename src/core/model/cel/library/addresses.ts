/** Kubernetes' IP address and CIDR libraries. */
import { CelError, CelOpaque, type CelValue } from "../values.ts";
import { type FunctionTable, opaqueArg, textArg } from "./arguments.ts";

/** The bytes of an address: 4 or 16. */
type Bytes = readonly number[];
interface Network {
  readonly address: Bytes;
  readonly prefix: number;
}

function parseIpv4(text: string): Bytes | undefined {
  if (!/^(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}$/.test(text)) return undefined;
  const bytes = text.split(".").map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

/** Kubernetes allows neither zones nor IPv4 addresses mapped to IPv6. */
function parseIpv6(text: string): Bytes | undefined {
  const tail = /^(.*:)([0-9]+\.[0-9.]+)$/.exec(text);
  const embedded = tail === null ? undefined : parseIpv4(tail[2] as string);
  if (tail !== null && embedded === undefined) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = embedded ?? [];
  const hex = tail === null ? text : `${tail[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const halves = hex.split("::");
  if (halves.length > 2) return undefined;
  const [left = [], right = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - left.length - right.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => "0"), ...right];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const bytes = groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return isMapped ? undefined : bytes;
}

export const parseIp = (text: string): Bytes | undefined => (text.includes(":") ? parseIpv6(text) : parseIpv4(text));

function parseCidr(text: string): Network | undefined {
  const parts = /^(.*)\/(0|[1-9][0-9]{0,2})$/.exec(text);
  const address = parts === null ? undefined : parseIp(parts[1] as string);
  const prefix = Number(parts?.[2]);
  return address === undefined || prefix > address.length * 8 ? undefined : { address, prefix };
}

function formatIp(bytes: Bytes): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === "0") length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return groups.join(":");
  return `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`;
}

type Ip = CelOpaque<"net.IP", Bytes>;
type Cidr = CelOpaque<"net.CIDR", Network>;

const ipValue = (bytes: Bytes): Ip => new CelOpaque("net.IP", bytes, formatIp(bytes));
const cidrValue = (network: Network): Cidr =>
  new CelOpaque("net.CIDR", network, `${formatIp(network.address)}/${network.prefix}`);

const ipOf = (value: CelValue | undefined): Bytes => opaqueArg<"net.IP", Bytes>("net.IP", value).content;
const networkOf = (value: CelValue | undefined): Network => opaqueArg<"net.CIDR", Network>("net.CIDR", value).content;

function readIp(text: string): Ip {
  const bytes = parseIp(text);
  if (bytes === undefined) throw new CelError(`IP address ${JSON.stringify(text)} is invalid`);
  return ipValue(bytes);
}

function readCidr(text: string): Cidr {
  const network = parseCidr(text);
  if (network === undefined) throw new CelError(`network address ${JSON.stringify(text)} is invalid`);
  return cidrValue(network);
}

function masked({ address, prefix }: Network): Network {
  const bytes = address.map((byte, at) => {
    const bits = Math.min(8, Math.max(0, prefix - 8 * at));
    return byte & (256 - 2 ** (8 - bits));
  });
  return { address: bytes, prefix };
}

const isInside = (network: Network, address: Bytes): boolean =>
  network.address.length === address.length &&
  masked({ address, prefix: network.prefix }).address.every((byte, at) => byte === masked(network).address[at]);

const isZeroUpTo = (bytes: Bytes, last: number): boolean =>
  bytes.every((byte, at) => (at === bytes.length - 1 ? byte === last : byte === 0));
const isUnspecified = (bytes: Bytes): boolean => bytes.every((byte) => byte === 0);
/** True for an address of this machine itself: 127.0.0.0/8 or ::1. */
export const isLoopbackIp = (bytes: Bytes): boolean => (bytes.length === 4 ? bytes[0] === 127 : isZeroUpTo(bytes, 1));
const isMulticast = (bytes: Bytes): boolean =>
  bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
const isLinkLocalMulticast = (bytes: Bytes): boolean =>
  bytes.length === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 0x02;
const isLinkLocalUnicast = (bytes: Bytes): boolean =>
  bytes.length === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
const isGlobalUnicast = (bytes: Bytes): boolean =>
  !isUnspecified(bytes) &&
  !isLoopbackIp(bytes) &&
  !isMulticast(bytes) &&
  !isLinkLocalUnicast(bytes) &&
  !(bytes.length === 4 && bytes.every((byte) => byte === 255));

/** A network, an address or the text of one. */
const addressArg = (value: CelValue | undefined): Bytes =>
  typeof value === "string" ? readIp(value).content : ipOf(value);
const networkArg = (value: CelValue | undefined): Network =>
  typeof value === "string" ? readCidr(value).content : networkOf(value);

export const addressFunctions: FunctionTable = {
  "isIP/1": ([text]) => parseIp(textArg(text)) !== undefined,
  "ip/1": ([text]) => readIp(textArg(text)),
  "ip.isCanonical/1": ([text]) => readIp(textArg(text)).key === text,
  ".family/0": ([ip]) => (ipOf(ip).length === 4 ? 4 : 6),
  ".isUnspecified/0": ([ip]) => isUnspecified(ipOf(ip)),
  ".isLoopback/0": ([ip]) => isLoopbackIp(ipOf(ip)),
  ".isLinkLocalMulticast/0": ([ip]) => isLinkLocalMulticast(ipOf(ip)),
  ".isLinkLocalUnicast/0": ([ip]) => isLinkLocalUnicast(ipOf(ip)),
  ".isGlobalUnicast/0": ([ip]) => isGlobalUnicast(ipOf(ip)),
  "isCIDR/1": ([text]) => parseCidr(textArg(text)) !== undefined,
  "cidr/1": ([text]) => readCidr(textArg(text)),
  ".containsIP/1": ([network, ip]) => isInside(networkOf(network), addressArg(ip)),
  ".containsCIDR/1": ([network, other]) => {
    const [outer, inner] = [networkOf(network), networkArg(other)];
    return outer.prefix <= inner.prefix && isInside(outer, inner.address);
  },
  ".ip/0": ([network]) => ipValue(networkOf(network).address),
  ".masked/0": ([network]) => cidrValue(masked(networkOf(network))),
  ".prefixLength/0": ([network]) => networkOf(network).prefix,
};

/** The proxy for a URL: the cluster's own `proxy-url`, else `HTTPS_PROXY` or `HTTP_PROXY` unless `NO_PROXY` names the host. Go reads them the same way. */
export function chooseProxy(
  server: URL,
  proxyUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  if (proxyUrl !== undefined && proxyUrl !== "") return new URL(proxyUrl);
  const name = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const found = env[name] ?? env[name.toLowerCase()] ?? "";
  if (found === "" || isExcepted(server, env["NO_PROXY"] ?? env["no_proxy"] ?? "")) return undefined;
  return new URL(found.includes("://") ? found : `http://${found}`);
}

/** Loopback hosts never go through a proxy of the environment. */
function isExcepted({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host)) return true;
  const ownPort = port !== "" ? port : protocol === "https:" ? "443" : "80";
  return noProxy
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "")
    .some((entry) => matches(entry, host, ownPort));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInRange(host, entry);
  const [, name = entry, wantedPort] =
    /^(.*?)(?::(\d+))?$/.exec(entry.startsWith("[") ? entry.replace(/[[\]]/g, "") : entry) ?? [];
  const isIpv6 = (entry.match(/:/g) ?? []).length > 1;
  const plain = isIpv6 ? entry.replace(/[[\]]/g, "") : name;
  if (!isIpv6 && wantedPort !== undefined && wantedPort !== port) return false;
  if (plain.startsWith("*.")) return host.endsWith(plain.slice(1));
  if (plain.startsWith(".")) return host.endsWith(plain) && host !== plain.slice(1);
  return host === plain || host.endsWith(`.${plain}`);
}

/** IPv4 ranges only: `10.0.0.0/8`. */
function isInRange(host: string, range: string): boolean {
  const [base = "", bits = ""] = range.split("/");
  const [address, network] = [ipv4(host), ipv4(base)];
  const length = Number(bits);
  if (address === undefined || network === undefined || !(length >= 0 && length <= 32)) return false;
  const mask = length === 0 ? 0 : (-1 << (32 - length)) >>> 0;
  return (address & mask) >>> 0 === (network & mask) >>> 0;
}

function ipv4(text: string): number | undefined {
  const parts = text.split(".").map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Session persistence: which endpoint a request belongs to, and how a response names it. */
import { hash } from "node:crypto";
import type {
  Endpoint,
  EndpointsId,
  SessionConfig,
  WeightedBackendConfig,
} from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { findHeader, type HeaderList, headerValues, withoutHeaders } from "../contract/header-list.ts";
import type { RequestHead } from "../contract/request-head.ts";
import type { BackendLookup } from "../upstream/backend-lookup.ts";

/** The backend and the endpoint of a request that has a session. */
interface FoundSession {
  readonly backend: WeightedBackendConfig;
  readonly endpoint: Endpoint;
}

export function hasSessions(backends: readonly WeightedBackendConfig[]): boolean {
  for (const { target } of backends) if (target.type === "Backend" && target.session !== undefined) return true;
  return false;
}

interface SessionRequest {
  readonly head: RequestHead;
  readonly lookup: BackendLookup;
  /** By the wall clock, because sessions outlive the process. */
  readonly nowMs: number;
}

/** Finds sessions across configurations. */
export interface Sessions {
  /** Undefined: the request has no session. */
  readonly find: (backends: readonly WeightedBackendConfig[], request: SessionRequest) => FoundSession | undefined;
}

export function createSessions(): Sessions {
  /** The endpoints by their names. A list of endpoints belongs to one backend. */
  const named = new WeakMap<readonly Endpoint[], ReadonlyMap<string, Endpoint>>();
  const endpointOf = (name: string, id: EndpointsId, list: readonly Endpoint[]): Endpoint | undefined => {
    const byName = remember(named, list, () => new Map(list.map((endpoint) => [nameOf(id, endpoint), endpoint])));
    return byName.get(name.split(".")[0] ?? "");
  };
  return { find: (backends, request) => findSession(backends, request, endpointOf) };
}

/**
 * Sessions before weights
 *
 * A request with a session goes to the endpoint that the session began with, whatever the weights of the backends are. If the endpoint, or its
 * backend, is not there any more, or if the session has ended, it is a request without a session.
 * GEP-1619, "Traffic Splitting"
 */
function findSession(
  backends: readonly WeightedBackendConfig[],
  { head, lookup, nowMs }: SessionRequest,
  endpointOf: (name: string, id: EndpointsId, list: readonly Endpoint[]) => Endpoint | undefined,
): FoundSession | undefined {
  for (const backend of backends) {
    const { target } = backend;
    if (target.type !== "Backend" || target.session === undefined) continue;
    const { endpoints } = target.backend;
    const list = lookup.endpointsOf(endpoints);
    for (const name of sessionNames(target.session, head)) {
      const endpoint = isOver(name, nowMs) ? undefined : endpointOf(name, endpoints, list);
      if (endpoint !== undefined) return { backend, endpoint };
    }
  }
  return undefined;
}

/** The response's headers with the name of a new session. */
export function withSession(
  headers: HeaderList,
  session: SessionConfig,
  { id, endpoint, path, nowMs }: { id: EndpointsId; endpoint: Endpoint; path: string; nowMs: number },
): HeaderList {
  const { absoluteTimeoutMs } = session;
  const hashed = nameOf(id, endpoint);
  const value = absoluteTimeoutMs === undefined ? hashed : `${hashed}.${(nowMs + absoluteTimeoutMs).toString(36)}`;
  if (session.type === "Header") return [...withoutHeaders(headers, new Set([session.name])), session.name, value];
  // The client would not send it for this path.
  if (!coversPath(session.path, path)) return headers;
  const { name, isPermanent } = session;
  const age = isPermanent && absoluteTimeoutMs !== undefined ? `; Max-Age=${Math.floor(absoluteTimeoutMs / 1000)}` : "";
  return [...headers, "set-cookie", `${name}="${value}"${age}; Path=${session.path}; HttpOnly`];
}

/** RFC 6265, 5.1.4. */
const coversPath = (cookiePath: string, path: string): boolean =>
  path === cookiePath || path.startsWith(cookiePath.endsWith("/") ? cookiePath : `${cookiePath}/`);

/** A cookie may occur several times. */
function sessionNames(session: SessionConfig, { headers }: RequestHead): readonly string[] {
  if (session.type === "Header") {
    const value = findHeader(headers, session.name);
    return value === undefined ? NO_NAMES : [value];
  }
  const prefix = `${session.name}=`;
  return headerValues(headers, "cookie")
    .flatMap((line) => line.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length).replace(/^"(.*)"$/, "$1"));
}

const NO_NAMES: readonly string[] = [];

function isOver(name: string, nowMs: number): boolean {
  const [, end] = name.split(".");
  return end !== undefined && !(Number.parseInt(end, 36) > nowMs);
}

/** Contains the backend, so that a session does not continue at another one. A hash, because addresses are not for clients. */
const nameOf = (id: EndpointsId, { address, port }: Endpoint): string =>
  hash("sha256", `${id} ${address} ${port}`, "base64url").slice(0, 22);

/** Compiles a port of a Service to a backend, with the Direct policies on it. */

import { NO_REFERENCES, type ResolvedReferences } from "../../attachment/resolve-references.ts";
import { foldPath } from "../../effective/fold/fold-path.ts";
import { PathFinder } from "../../effective/paths/path-finder.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import { isJsonList, isJsonObject, type JsonObject, objectsIn, ownValue } from "../../model/json.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, type GroupKind, kindId, type ObjectRef } from "../../model/refs.ts";
import { BACKEND_TRAFFIC_POLICY, backendBudget } from "../../retry/retry-budget.ts";
import type {
  BackendConfig,
  BackendId,
  BackendTlsConfig,
  ConfigProblem,
  EndpointsId,
  SubjectAltName,
} from "../gateway-config.ts";
import { ignoredOptions } from "./ignored-settings.ts";
import { type CompiledSession, compileSession } from "./session-persistence.ts";

export type CompiledBackend =
  | { readonly state: "found"; readonly backend: BackendConfig; readonly problems: readonly ConfigProblem[] }
  | { readonly state: "unavailable"; readonly reason: string };

/**
 * The user of the backend. A GRPCRoute always uses HTTP/2. `TCP`: a TCPRoute, or a TLSRoute at a listener that terminates TLS. `Passthrough`:
 * a TLSRoute at a listener that does not. `UDP`: a UDPRoute.
 */
export type BackendUser = "HTTPRoute" | "GRPCRoute" | "TCP" | "Passthrough" | "UDP";

/** The protocol of the Service's port. */
type Transport = "TCP" | "UDP";

/** A user that gets the same backend. */
export function userOf({ protocol, tls }: BackendConfig): BackendUser {
  switch (protocol) {
    case "HTTP/1.1":
      return "HTTPRoute";
    case "HTTP/2":
      return "GRPCRoute";
    case "TCP":
      return tls === undefined ? "Passthrough" : "TCP";
    case "UDP":
      return "UDP";
  }
}

export const BACKEND_TLS_POLICY: GroupKind = { group: GATEWAY_API, kind: "BackendTLSPolicy" };

const endpointsId = ({ ref }: KubeObject, port: number, transport: Transport): EndpointsId =>
  `${ref.namespace}/${ref.name}:${port}${transport === "UDP" ? "/udp" : ""}` as EndpointsId;

/** Each protocol is a separate backend, because connections cannot be shared. */
const BACKEND_SUFFIX: Readonly<Record<BackendConfig["protocol"], string>> = {
  "HTTP/1.1": "",
  "HTTP/2": "/h2",
  TCP: "/tcp",
  UDP: "",
};

/** Backends of TCP with and without TLS may be used side by side. */
const backendId = (endpoints: EndpointsId, { protocol, tls }: Pick<BackendConfig, "protocol" | "tls">): BackendId =>
  `${endpoints}${protocol === "TCP" && tls !== undefined ? "/tls" : BACKEND_SUFFIX[protocol]}` as BackendId;

/** The entry of `spec.ports` with that number. A number may occur twice: for TCP and for UDP. */
export function servicePort(
  { raw }: KubeObject,
  port: number,
  protocol: BackendConfig["protocol"],
): JsonObject | undefined {
  const spec = ownValue(raw, "spec");
  const ports = isJsonObject(spec) ? ownValue(spec, "ports") : undefined;
  const found = isJsonList(ports) ? ports.filter(isJsonObject).filter((one) => one["port"] === port) : [];
  return found.find((one) => transportOf(one) === (protocol === "UDP" ? "UDP" : "TCP")) ?? found[0];
}

const transportOf = ({ protocol }: JsonObject): string => (typeof protocol === "string" ? protocol : "TCP");

/** The policy that takes effect on a Service, and its effective spec. */
interface DirectPolicy {
  readonly policy: ObjectRef;
  readonly spec: JsonObject;
  readonly references: ResolvedReferences;
}

export interface DirectPolicies {
  readonly tlsOf: (service: KubeObject, port: number) => DirectPolicy | undefined;
  readonly trafficOf: (service: KubeObject, port: number) => DirectPolicy | undefined;
}

export function directPolicies(world: World): DirectPolicies {
  return { tlsOf: specReader(world, BACKEND_TLS_POLICY), trafficOf: specReader(world, BACKEND_TRAFFIC_POLICY) };
}

function specReader(world: World, policyKind: GroupKind): DirectPolicies["tlsOf"] {
  const kind: CompiledKind | undefined = world.rulebook.byPolicyKind.get(kindId(policyKind));
  if (kind === undefined) return () => undefined;
  const finder = new PathFinder(world, kind);
  return (service, port) => {
    let found: DirectPolicy | undefined;
    finder.forEachPathTo(service, (path) => {
      const { section } = path.node;
      const [policy] = path.stack.set?.policies ?? [];
      if (policy === undefined || (section !== undefined && section.raw["port"] !== port)) return;
      const references = world.policies.get(policy.id)?.references ?? NO_REFERENCES;
      found ??= { policy: policy.object.ref, spec: foldPath(path, kind).spec, references };
    });
    return found;
  };
}

export function compileBackend(
  service: KubeObject,
  port: number,
  user: BackendUser,
  policies: DirectPolicies,
): CompiledBackend {
  const name = formatRef(service.ref);
  const unavailable = (reason: string): CompiledBackend => ({ state: "unavailable", reason });
  const spec = ownValue(service.raw, "spec");
  // An ExternalName Service would let its author reach any host that the gateway can reach.
  if (isJsonObject(spec) && spec["type"] === "ExternalName")
    return unavailable(`${name} is of type ExternalName, which is not supported`);
  const transport: Transport = user === "UDP" ? "UDP" : "TCP";
  const raw = servicePort(service, port, transport);
  if (raw === undefined) return unavailable(`${name} has no port ${port}`);
  if (transportOf(raw) !== transport)
    return unavailable(`port ${port} of ${name} is for ${transportOf(raw)}, not for ${transport}`);
  const tls = tlsOf(service, port, user, policies);
  if (typeof tls === "string") return unavailable(tls);
  const protocol = protocolOf(raw, user, tls !== undefined);
  if (typeof protocol !== "object") return unavailable(`port ${port} of ${name} ${protocol}`);
  const endpoints = endpointsId(service, port, transport);
  const isHttp = user === "HTTPRoute" || user === "GRPCRoute";
  const traffic = isHttp ? policies.trafficOf(service, port) : undefined;
  const session = traffic && compileSession(traffic.spec["sessionPersistence"], service.ref);
  const backend: BackendConfig = {
    id: backendId(endpoints, { ...protocol, tls: tls?.config }),
    object: service.ref,
    port,
    ...protocol,
    tls: tls?.config,
    endpoints,
    budget: traffic && backendBudget(traffic.spec),
    session: session?.session,
  };
  return { state: "found", backend, problems: [...(tls?.problems ?? []), ...sessionProblems(traffic, session)] };
}

function sessionProblems(
  policy: DirectPolicy | undefined,
  session: CompiledSession | undefined,
): readonly ConfigProblem[] {
  if (policy === undefined || session?.problem === undefined) return [];
  const { field, message } = session.problem;
  return [{ object: policy.policy, field: `spec.sessionPersistence.${field}`, message }];
}

/**
 * TLS to backends
 *
 * A BackendTLSPolicy takes effect for all routes but two: TLS that the gateway does not terminate is forwarded as it is, and UDP carries no TLS, so
 * a backend with such a policy is not used. The returned text is the reason.
 * GEP-1897, "How a client behaves"
 */
function tlsOf(
  service: KubeObject,
  port: number,
  user: BackendUser,
  policies: DirectPolicies,
): FoundTls | string | undefined {
  if (user === "Passthrough") return undefined;
  const found = policies.tlsOf(service, port);
  if (user === "UDP" && found !== undefined) return `${formatRef(found.policy)} cannot take effect: UDP carries no TLS`;
  return tlsConfig(service, found);
}

/**
 * Backend protocol
 *
 * `appProtocol` of the Service's port selects the protocol of HTTP requests, in capital letters or not. A port with an unsupported
 * `appProtocol` is not used; the text is the reason. Other routes forward bytes, whatever `appProtocol` says.
 * Gateway API, "Backend Protocol"
 */
function protocolOf(raw: JsonObject, user: BackendUser, hasTls: boolean): Pick<BackendConfig, "protocol"> | string {
  if (user === "UDP") return { protocol: "UDP" };
  if (user === "TCP" || user === "Passthrough") return { protocol: "TCP" };
  const appProtocol = typeof raw["appProtocol"] === "string" ? raw["appProtocol"] : "";
  const app = APP_PROTOCOLS.get(appProtocol.toLowerCase());
  if (app === undefined) return `has appProtocol '${appProtocol}', which is not supported`;
  if (app.tls && !hasTls) return `has appProtocol '${appProtocol}', but no BackendTLSPolicy configures TLS for it`;
  return { protocol: user === "GRPCRoute" ? "HTTP/2" : app.protocol };
}

interface AppProtocol {
  readonly protocol: "HTTP/1.1" | "HTTP/2";
  readonly tls: boolean;
}

/** In lower case: the values of GEP-1911, and those of IANA's registry that mean HTTP. */
const APP_PROTOCOLS: ReadonlyMap<string, AppProtocol> = new Map([
  ["", { protocol: "HTTP/1.1", tls: false }],
  ["http", { protocol: "HTTP/1.1", tls: false }],
  ["kubernetes.io/ws", { protocol: "HTTP/1.1", tls: false }],
  ["https", { protocol: "HTTP/1.1", tls: true }],
  ["kubernetes.io/wss", { protocol: "HTTP/1.1", tls: true }],
  ["grpc", { protocol: "HTTP/2", tls: false }],
  ["kubernetes.io/h2c", { protocol: "HTTP/2", tls: false }],
]);

interface FoundTls {
  readonly config: BackendTlsConfig;
  readonly problems: readonly ConfigProblem[];
}

/**
 * An invalid BackendTLSPolicy disables its backend
 *
 * A backend with a BackendTLSPolicy is never reached in plain text. If the policy is invalid, or no reference to CA certificates is
 * valid, its requests get a 500. The returned text is the reason.
 * Gateway API, "BackendTLSPolicy"
 */
function tlsConfig(service: KubeObject, found: DirectPolicy | undefined): FoundTls | string | undefined {
  if (found === undefined) return undefined;
  const validation = validationOf(service, found);
  if (typeof validation === "string") return validation;
  const ignored = ignoredOptions(found.policy, "spec.options", found.spec["options"]);
  return ignored.length === 0 ? validation : { ...validation, problems: [...validation.problems, ...ignored] };
}

function validationOf({ ref }: KubeObject, found: DirectPolicy): FoundTls | string {
  const { policy, spec, references } = found;
  const validation = isJsonObject(spec["validation"]) ? spec["validation"] : {};
  const { hostname, wellKnownCACertificates } = validation;
  const name = formatRef(policy);
  if (typeof hostname !== "string" || hostname === "") return `${name} has no validation.hostname`;
  const names = objectsIn(validation["subjectAltNames"]).map(subjectAltName);
  const subjectAltNames = names.filter((one) => one !== undefined);
  if (subjectAltNames.length < names.length) return `${name} has a subjectAltName that is neither a Hostname nor a URI`;
  const refs = objectsIn(validation["caCertificateRefs"]);
  if (refs.length === 0) {
    if (wellKnownCACertificates === "System")
      return { config: { hostname, subjectAltNames, authorities: "System" }, problems: [] };
    return `${name} has neither validation.caCertificateRefs nor wellKnownCACertificates: System`;
  }
  const field = "spec.validation.caCertificateRefs";
  const isInvalid = (at: number): boolean => references.problems.some((problem) => problem.field === `${field}[${at}]`);
  const configMaps = refs.flatMap(({ group, kind, name: configMap }, at) => {
    const isConfigMap = (group ?? "") === "" && kind === "ConfigMap" && typeof configMap === "string";
    return isConfigMap ? [{ at, ref: { group: "", kind, namespace: ref.namespace, name: configMap } }] : [];
  });
  if (configMaps.length === 0) return `${name} has no ConfigMap in validation.caCertificateRefs`;
  if (references.noneValid !== undefined) return `${name} is not accepted: ${references.noneValid.message}`;
  const authorities = configMaps.filter(({ at }) => !isInvalid(at)).map((one) => one.ref);
  const config: BackendTlsConfig = { hostname, subjectAltNames, authorities };
  if (authorities.length === refs.length) return { config, problems: [] };
  const isMalformed = authorities.length < configMaps.length;
  const message = isMalformed
    ? "invalid references to CA certificates are ignored"
    : "only ConfigMaps are supported: other CA certificates are ignored";
  return { config, problems: [{ object: policy, field, message }] };
}

function subjectAltName({ type, hostname, uri }: JsonObject): SubjectAltName | undefined {
  if (type === "Hostname" && typeof hostname === "string") return { type, value: hostname };
  return type === "URI" && typeof uri === "string" ? { type, value: uri } : undefined;
}

/**
 * Builds valid Gateway API objects and policies in few words.
 * A target is written `Gateway/g1`, with a namespace `Gateway/infra/g1`, with a section `Gateway/infra/g1#http`.
 */
import type { Json, JsonObject } from "../../../src/core/model/json.ts";

const gatewayGroup = "gateway.networking.k8s.io";
const fruitGroup = "fruit.example.com";

/** The API group of each kind that tests write without a group. */
const groups: Readonly<Record<string, string>> = {
  Namespace: "",
  Service: "",
  GatewayClass: gatewayGroup,
  Gateway: gatewayGroup,
  ListenerSet: gatewayGroup,
  HTTPRoute: gatewayGroup,
  GRPCRoute: gatewayGroup,
  TLSRoute: gatewayGroup,
  TCPRoute: gatewayGroup,
  UDPRoute: gatewayGroup,
  ExternalService: "networking.acme.io",
};

/** Kinds that are not in the table belong to the fruit group: a hierarchy that the engine has no code for. */
export const groupOf = (kind: string): string => groups[kind] ?? fruitGroup;

interface ParsedTarget {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
}

/** `Gateway/infra/g1#http`. */
function parseTarget(text: string): ParsedTarget {
  const [object = "", sectionName] = text.split("#");
  const [kind = "", ...names] = object.split("/");
  const name = names.pop() ?? "";
  const namespace = names.pop();
  return {
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(sectionName === undefined ? {} : { sectionName }),
  };
}

interface ObjectOptions {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly generation?: number;
}

function metadata(name: string, options: ObjectOptions): JsonObject {
  const { namespace = "default", ...rest } = options;
  const { labels, annotations, generation } = rest;
  return {
    name,
    ...(namespace === "" ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(generation === undefined ? {} : { generation }),
  };
}

export interface ListenerOptions {
  readonly protocol?: string;
  readonly port?: number;
  readonly hostname?: string;
  /** `tls.mode` of protocol TLS. */
  readonly mode?: "Terminate" | "Passthrough";
  /** `Same` is Gateway API's default; a map of labels selects namespaces. */
  readonly from?: "All" | "Same" | "None" | Readonly<Record<string, string>>;
  readonly kinds?: readonly string[];
}

export function listener(name: string, options: ListenerOptions = {}): JsonObject {
  const { protocol = "HTTP", port = 80, hostname, mode = "Passthrough", from, kinds } = options;
  const isTerminated = protocol === "HTTPS" || (protocol === "TLS" && mode === "Terminate");
  const namespaces =
    typeof from === "object"
      ? { from: "Selector", selector: { matchLabels: from } }
      : from === undefined
        ? undefined
        : { from };
  const allowedRoutes = {
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(kinds === undefined ? {} : { kinds: kinds.map((kind) => ({ kind })) }),
  };
  return {
    name,
    port,
    protocol,
    ...(hostname === undefined ? {} : { hostname }),
    ...(Object.keys(allowedRoutes).length === 0 ? {} : { allowedRoutes }),
    ...(isTerminated ? { tls: { mode: "Terminate", certificateRefs: [{ name: "certificate" }] } } : {}),
    ...(protocol === "TLS" && !isTerminated ? { tls: { mode } } : {}),
  };
}

interface GatewayOptions extends ObjectOptions {
  readonly class?: string;
  readonly listeners?: readonly JsonObject[];
  /** The ListenerSets that may attach; Gateway API's default is None. */
  readonly allowedListeners?: "All" | "Same" | "None";
}

export function gateway(name: string, options: GatewayOptions = {}): JsonObject {
  return {
    apiVersion: `${gatewayGroup}/v1`,
    kind: "Gateway",
    metadata: metadata(name, options),
    spec: {
      gatewayClassName: options.class ?? "class",
      listeners: options.listeners ?? [listener("http")],
      ...(options.allowedListeners === undefined
        ? {}
        : { allowedListeners: { namespaces: { from: options.allowedListeners } } }),
    },
  };
}

export function listenerSet(
  name: string,
  parent: string,
  options: ObjectOptions & { readonly listeners?: readonly JsonObject[] } = {},
): JsonObject {
  return {
    apiVersion: `${gatewayGroup}/v1`,
    kind: "ListenerSet",
    metadata: metadata(name, options),
    spec: { parentRef: reference(parent), listeners: options.listeners ?? [listener("extra", { port: 8080 })] },
  };
}

/** A reference as in `parentRefs` and `targetRefs`. */
export function reference(text: string): JsonObject {
  const { kind, namespace, name, sectionName } = parseTarget(text);
  return {
    group: groupOf(kind),
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(sectionName === undefined ? {} : { sectionName }),
  };
}

interface RuleOptions {
  readonly name?: string;
  /** `b1`, or `Service/other/b1`. */
  readonly backends?: readonly (string | JsonObject)[];
  /** Further fields of the rule. */
  readonly fields?: JsonObject;
}

interface RouteOptions extends ObjectOptions {
  readonly kind?: string;
  readonly hostnames?: readonly string[];
  readonly rules?: readonly RuleOptions[];
  readonly spec?: JsonObject;
}

/** A route with its parents (`Gateway/g1`, or a whole parentRef). Without `rules` it has one rule without a backend. */
export function route(
  name: string,
  parents: string | readonly (string | JsonObject)[],
  options: RouteOptions = {},
): JsonObject {
  const { kind = "HTTPRoute", hostnames, rules = [{}], spec = {} } = options;
  const parentRefs = (typeof parents === "string" ? [parents] : parents).map((parent) =>
    typeof parent === "string" ? reference(parent) : parent,
  );
  return {
    apiVersion: `${gatewayGroup}/${kind === "HTTPRoute" || kind === "GRPCRoute" ? "v1" : "v1alpha2"}`,
    kind,
    metadata: metadata(name, options),
    spec: {
      parentRefs,
      ...(hostnames === undefined ? {} : { hostnames }),
      rules: rules.map((rule) => ({
        ...(rule.name === undefined ? {} : { name: rule.name }),
        ...backendRefs(rule, kind),
        ...rule.fields,
      })),
      ...spec,
    },
  };
}

/** A rule of a TLSRoute, TCPRoute or UDPRoute needs a backend. */
function backendRefs({ backends, fields }: RuleOptions, kind: string): JsonObject {
  if (backends !== undefined) return { backendRefs: backends.map(backend) };
  return ["HTTPRoute", "GRPCRoute"].includes(kind) || fields?.["backendRefs"] !== undefined
    ? {}
    : { backendRefs: [{ name: "backend", port: 80 }] };
}

/** A route with one rule and one backend. */
export const routeTo = (name: string, parent: string, ...backends: readonly string[]): JsonObject =>
  route(name, parent, { rules: [{ backends }] });

function backend(ref: string | JsonObject): JsonObject {
  if (typeof ref !== "string") return ref;
  if (!ref.includes("/")) return { name: ref, port: 80 };
  const { kind, namespace, name } = parseTarget(ref);
  return { group: groupOf(kind), kind, name, port: 80, ...(namespace === undefined ? {} : { namespace }) };
}

export function service(
  name: string,
  options: ObjectOptions & { readonly ports?: Readonly<Record<string, number>> } = {},
): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(name, options),
    spec: {
      ports: Object.entries(options.ports ?? { http: 80 }).map(([portName, port]) => ({ name: portName, port })),
    },
  };
}

export function namespace(name: string, labels: Readonly<Record<string, string>> = {}): JsonObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

export function gatewayClass(name: string, controllerName = "example.com/controller"): JsonObject {
  return {
    apiVersion: `${gatewayGroup}/v1`,
    kind: "GatewayClass",
    metadata: { name },
    spec: { controllerName },
  };
}

interface GrantEnds {
  /** `HTTPRoute` of namespace `client`. */
  readonly from: { readonly group?: string; readonly kind: string; readonly namespace: string };
  readonly to: { readonly group?: string; readonly kind: string; readonly name?: string };
}

export function referenceGrant(name: string, inNamespace: string, { from, to }: GrantEnds): JsonObject {
  return {
    apiVersion: `${gatewayGroup}/v1beta1`,
    kind: "ReferenceGrant",
    metadata: { name, namespace: inNamespace },
    spec: {
      from: [{ group: from.group ?? groupOf(from.kind), kind: from.kind, namespace: from.namespace }],
      to: [
        {
          group: to.group ?? groupOf(to.kind),
          kind: to.kind,
          ...(to.name === undefined ? {} : { name: to.name }),
        },
      ],
    },
  };
}

/** An object of a kind that only a definition describes: Orchard > Tree > Branch … */
export function fruit(target: string, spec: JsonObject = {}, options: ObjectOptions = {}): JsonObject {
  const { kind, name } = parseTarget(target);
  return { apiVersion: `${fruitGroup}/v1`, kind, metadata: metadata(name, options), spec };
}

/** The target of a policy: `Gateway/g1#http` as `targetRef`, a list as `targetRefs`, or the reference itself. */
type Target = string | JsonObject;

interface PolicyOptions extends ObjectOptions {
  readonly group?: string;
  /** Seconds after 2021-07-15T01:02:03Z. Without it the policy has no creation time, as in a file. */
  readonly created?: number;
}

export function policy(
  kind: string,
  name: string,
  on: Target | readonly Target[],
  spec: JsonObject,
  options: PolicyOptions = {},
): JsonObject {
  const { group = "example.com", created } = options;
  const refs = (isList(on) ? on : [on]).map((target) => (typeof target === "string" ? reference(target) : target));
  const targets: JsonObject = isList(on) ? { targetRefs: refs } : { targetRef: refs[0] as Json };
  return {
    apiVersion: `${group}/v1`,
    kind,
    metadata: {
      ...metadata(name, options),
      ...(created === undefined ? {} : { creationTimestamp: timestamp(created) }),
    },
    spec: { ...targets, ...spec },
  };
}

const isList = (on: Target | readonly Target[]): on is readonly Target[] => Array.isArray(on);

/** Policy attachment reference, "Conflict Resolution", counts seconds from 2021-07-15 01:02:03. */
const timestamp = (seconds: number): string =>
  new Date(Date.UTC(2021, 6, 15, 1, 2, 3 + seconds)).toISOString().replace(".000Z", "Z");

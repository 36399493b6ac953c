/**
 * The fields of the built-in kinds, as far as the engine or a data plane reads them, and what the API server would refuse
 * in them: wrong types, missing fields, closed sets of words, numbers out of range, too many items (which also keeps
 * hostile objects small). Fields not listed are ignored. Open on purpose: types of filters and protocols.
 * After Gateway API v1.7.0; what an older version leaves optional is optional here.
 */
import {
  choice,
  duration,
  flag,
  integer,
  type KubeShape,
  listOf,
  mapOf,
  name,
  nonEmpty,
  port,
  required,
  struct,
  text,
  textOrInteger,
  unread,
} from "./kube-shape.ts";

const metadata = required(
  struct({
    name: required(nonEmpty),
    namespace: text,
    labels: mapOf(text),
    annotations: mapOf(text),
    creationTimestamp: text,
    generation: integer(),
    managedFields: unread,
  }),
);

const selector = struct({
  matchLabels: mapOf(text),
  matchExpressions: listOf(struct({ key: required(text), operator: required(text), values: listOf(text) })),
});
const namespaces = struct({ from: choice("All", "Same", "Selector", "None"), selector });

const localRef = struct({ group: required(name), kind: required(nonEmpty), name: required(nonEmpty) });
const secretRef = struct({ group: name, kind: nonEmpty, name: required(nonEmpty), namespace: nonEmpty });
const backendObjectRef = struct({ group: name, kind: nonEmpty, name: required(nonEmpty), namespace: nonEmpty, port });
const gatewayRef = struct({ group: name, kind: nonEmpty, name: required(nonEmpty), namespace: nonEmpty });
const parentRef = struct({
  group: name,
  kind: nonEmpty,
  name: required(nonEmpty),
  namespace: nonEmpty,
  sectionName: name,
  port,
});
const parentRefs = listOf(parentRef, 32);

const externalAuth = struct({
  protocol: required(choice("HTTP", "GRPC")),
  backendRef: required(backendObjectRef),
  grpc: struct({ allowedHeaders: listOf(text, 64) }),
  http: struct({ path: text, allowedHeaders: listOf(text, 64), allowedResponseHeaders: listOf(text, 64) }),
  forwardBody: struct({ maxSize: integer() }),
});

const listenerWith = (listenerPort: KubeShape): KubeShape =>
  struct({
    name: required(nonEmpty),
    hostname: name,
    port: listenerPort,
    protocol: required(nonEmpty),
    tls: struct({
      mode: choice("Terminate", "Passthrough"),
      certificateRefs: listOf(secretRef, 64),
      options: mapOf(text),
    }),
    allowedRoutes: struct({ namespaces, kinds: listOf(struct({ group: name, kind: required(nonEmpty) }), 8) }),
    filters: struct({
      requests: listOf(struct({ type: required(nonEmpty), externalAuth, extensionRef: localRef }), 16),
    }),
  });
const listeners = required(listOf(listenerWith(required(port)), 64, 1));

const tlsValidation = struct({
  validation: struct({
    caCertificateRefs: required(listOf(secretRef, 16, 1)),
    mode: choice("AllowValidOnly", "AllowInsecureFallback"),
  }),
});

const gateway = struct({
  gatewayClassName: required(nonEmpty),
  listeners,
  addresses: listOf(struct({ type: nonEmpty, value: text, routability: text }), 16),
  allowedListeners: struct({ namespaces }),
  infrastructure: struct({ labels: mapOf(text), annotations: mapOf(text), parametersRef: localRef }),
  tls: struct({
    backend: struct({ clientCertificateRef: secretRef }),
    frontend: struct({
      default: required(tlsValidation),
      perPort: listOf(struct({ port: required(port), tls: required(tlsValidation) }), 64),
    }),
  }),
  defaultScope: choice("All", "None"),
});

const gatewayClass = struct({
  controllerName: required(nonEmpty),
  description: text,
  parametersRef: struct({
    group: required(name),
    kind: required(nonEmpty),
    name: required(nonEmpty),
    namespace: nonEmpty,
  }),
});

const listenerSet = struct({ parentRef: required(gatewayRef), listeners });
const xListenerSet = struct({
  parentRef: required(gatewayRef),
  listeners: required(listOf(listenerWith(integer(0, 65_535)), 64, 1)),
});

const headers = listOf(struct({ name: required(nonEmpty), value: required(text) }), 16);
const headerModifier = struct({ set: headers, add: headers, remove: listOf(text, 16) });
const pathModifier = struct({
  type: required(choice("ReplaceFullPath", "ReplacePrefixMatch")),
  replaceFullPath: text,
  replacePrefixMatch: text,
});
const requestMirror = struct({
  backendRef: required(backendObjectRef),
  percent: integer(0, 100),
  fraction: struct({ numerator: required(integer()), denominator: integer(1) }),
});

const httpFilters = listOf(
  struct({
    type: required(nonEmpty),
    requestHeaderModifier: headerModifier,
    responseHeaderModifier: headerModifier,
    requestMirror,
    requestRedirect: struct({
      scheme: choice("http", "https"),
      hostname: name,
      path: pathModifier,
      port,
      statusCode: integer(300, 399),
    }),
    urlRewrite: struct({ hostname: name, path: pathModifier }),
    cors: struct({
      allowOrigins: listOf(text, 64),
      allowCredentials: flag,
      allowMethods: listOf(text, 9),
      allowHeaders: listOf(text, 64),
      exposeHeaders: listOf(text, 64),
      maxAge: integer(1),
    }),
    externalAuth,
    extensionRef: localRef,
  }),
  16,
);
const grpcFilters = listOf(
  struct({
    type: required(nonEmpty),
    requestHeaderModifier: headerModifier,
    responseHeaderModifier: headerModifier,
    requestMirror,
    extensionRef: localRef,
  }),
  16,
);

const backendRefFields = {
  name: required(nonEmpty),
  port,
  weight: integer(0, 1_000_000),
  kind: nonEmpty,
  group: name,
  namespace: nonEmpty,
};
const backendRefs = listOf(struct(backendRefFields), 16);

const valueMatch = choice("Exact", "RegularExpression");
const httpMatch = struct({
  path: struct({ type: choice("Exact", "PathPrefix", "RegularExpression"), value: text }),
  headers: listOf(struct({ type: valueMatch, name: required(nonEmpty), value: required(text) }), 16),
  queryParams: listOf(struct({ type: valueMatch, name: required(nonEmpty), value: required(text) }), 16),
  method: choice("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"),
});
const grpcMatch = struct({
  method: struct({ type: valueMatch, service: text, method: text }),
  headers: listOf(struct({ type: valueMatch, name: required(nonEmpty), value: required(text) }), 16),
});

const sessionPersistence = struct({
  sessionName: text,
  type: choice("Cookie", "Header"),
  absoluteTimeout: duration,
  idleTimeout: duration,
  cookie: struct({ lifetimeType: choice("Permanent", "Session"), name: nonEmpty, path: text }),
  header: struct({ name: required(nonEmpty) }),
});

const route = (rules: KubeShape, more: Readonly<Record<string, KubeShape>>): KubeShape =>
  struct({ parentRefs, rules, useDefaultGateways: choice("All", "None"), ...more });

const httpRoute = route(
  listOf(
    struct({
      name,
      matches: listOf(httpMatch, 64),
      filters: httpFilters,
      backendRefs: listOf(struct({ ...backendRefFields, filters: httpFilters }), 16),
      timeouts: struct({ request: duration, backendRequest: duration }),
      // GEP-1731 allows codes from 100 to 999, the CRD fewer; which of them a gateway can retry is not a matter of types.
      retry: struct({ codes: listOf(integer(100, 999)), attempts: integer(), backoff: duration }),
      sessionPersistence,
    }),
    16,
    1,
  ),
  { hostnames: listOf(name, 16) },
);
const grpcRoute = route(
  listOf(
    struct({
      name,
      matches: listOf(grpcMatch, 64),
      filters: grpcFilters,
      backendRefs: listOf(struct({ ...backendRefFields, filters: grpcFilters }), 16),
      sessionPersistence,
    }),
    16,
  ),
  { hostnames: listOf(name, 16) },
);
const plainRules = required(listOf(struct({ name, backendRefs }), 16, 1));

const service = struct({
  type: text,
  clusterIP: text,
  externalName: text,
  selector: mapOf(text),
  ports: listOf(
    struct({
      name,
      port: required(port),
      protocol: choice("TCP", "UDP", "SCTP"),
      appProtocol: text,
      targetPort: textOrInteger,
      nodePort: integer(0, 65_535),
    }),
  ),
});

const grantFrom = struct({ group: required(name), kind: required(nonEmpty), namespace: required(nonEmpty) });
const grantTo = struct({ group: required(name), kind: required(nonEmpty), name });
const referenceGrant = struct({ from: required(listOf(grantFrom, 16, 1)), to: required(listOf(grantTo, 16, 1)) });

const endpointSlice = {
  addressType: required(choice("IPv4", "IPv6", "FQDN")),
  endpoints: listOf(
    struct({
      addresses: required(listOf(text)),
      conditions: struct({ ready: flag, serving: flag, terminating: flag }),
      hostname: name,
      nodeName: text,
      zone: text,
    }),
  ),
  ports: listOf(struct({ name, port: integer(0, 65_535), protocol: choice("TCP", "UDP", "SCTP"), appProtocol: text })),
};

/** What is read of a schema; below this depth, anything. */
const SCHEMA_DEPTH = 12;
const schema = (depth: number): KubeShape => {
  if (depth === 0) return struct({});
  const inner = schema(depth - 1);
  return struct({ type: text, properties: mapOf(inner), items: inner, required: listOf(text), nullable: flag });
};
const customResourceDefinition = struct({
  group: nonEmpty,
  scope: choice("Namespaced", "Cluster"),
  names: struct({ kind: nonEmpty, plural: text, singular: text, listKind: text }),
  versions: listOf(
    struct({
      name: nonEmpty,
      served: flag,
      storage: flag,
      schema: struct({ openAPIV3Schema: schema(SCHEMA_DEPTH) }),
    }),
  ),
});

const GATEWAY_API = "gateway.networking.k8s.io";

/** By kind. Kinds of other groups, and those not listed, are checked for their metadata only. */
export const builtInShapes: ReadonlyMap<string, { readonly group: string; readonly shape: KubeShape }> = new Map(
  Object.entries({
    GatewayClass: { group: GATEWAY_API, shape: struct({ metadata, status: unread, spec: required(gatewayClass) }) },
    Gateway: { group: GATEWAY_API, shape: struct({ metadata, status: unread, spec: required(gateway) }) },
    ListenerSet: { group: GATEWAY_API, shape: struct({ metadata, status: unread, spec: required(listenerSet) }) },
    XListenerSet: {
      group: "gateway.networking.x-k8s.io",
      shape: struct({ metadata, status: unread, spec: required(xListenerSet) }),
    },
    HTTPRoute: { group: GATEWAY_API, shape: struct({ metadata, status: unread, spec: required(httpRoute) }) },
    GRPCRoute: { group: GATEWAY_API, shape: struct({ metadata, status: unread, spec: required(grpcRoute) }) },
    TLSRoute: {
      group: GATEWAY_API,
      shape: struct({ metadata, status: unread, spec: required(route(plainRules, { hostnames: listOf(name, 1024) })) }),
    },
    TCPRoute: {
      group: GATEWAY_API,
      shape: struct({ metadata, status: unread, spec: required(route(plainRules, {})) }),
    },
    UDPRoute: {
      group: GATEWAY_API,
      shape: struct({ metadata, status: unread, spec: required(route(plainRules, {})) }),
    },
    ReferenceGrant: { group: GATEWAY_API, shape: struct({ metadata, status: unread, spec: required(referenceGrant) }) },
    Service: { group: "", shape: struct({ metadata, status: unread, spec: service }) },
    CustomResourceDefinition: {
      group: "apiextensions.k8s.io",
      shape: struct({ metadata, status: unread, spec: customResourceDefinition }),
    },
    EndpointSlice: { group: "discovery.k8s.io", shape: struct({ metadata, status: unread, ...endpointSlice }) },
  }),
);

export const anyObject: KubeShape = struct({ metadata, status: unread });

/**
 * Serves gateways to Envoys over gRPC. `node.cluster` of an Envoy is the gateway that it serves (`namespace/name`). Each Envoy has its own
 * session, so that a slow Envoy does not delay others.
 */
import type { Socket } from "node:net";
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { formatXdsAddress, isLocal, type XdsAddress } from "../../core/envoy/xds-address.ts";
import { remember } from "../../core/model/collections/remember.ts";
import type { NodeCounts } from "./counts/read-counts.ts";
import { takeCounts } from "./counts/take-counts.ts";
import { type DiscoveryStyle, type EncodedResources, NO_RESOURCES } from "./encode/encode-resources.ts";
import { refusalOf } from "./node-certificate.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";
import { type AcceptedVersions, createAcceptedVersions } from "./session/accepted-versions.ts";
import { type DiscoveryProtocol, deltaProtocol, sotwProtocol } from "./session/discovery-protocol.ts";
import type { Refusal } from "./session/session-state.ts";
import { type SessionRequest, XdsSession } from "./session/xds-session.ts";
import type { Acknowledgement, RejectionCause, XdsEvent } from "./xds-event.ts";
import { XDS_LIMITS, type XdsLimits } from "./xds-limits.ts";
import { openXdsPort, type XdsServerTls } from "./xds-port.ts";

export interface XdsServerOptions {
  /** Port 0: any free port. */
  readonly address: XdsAddress;
  /** Undefined: plain text, on the loopback or a Unix socket only. */
  readonly tls: XdsServerTls | undefined;
  readonly onEvent: (event: XdsEvent) => void;
  /** Counters of a connected Envoy. */
  readonly onCounts?: ((counts: NodeCounts) => void) | undefined;
  readonly limits?: Partial<XdsLimits>;
}

/** The interval of the search for unused clusters. */
const RETIRE_MS = 1000;

export interface NodeStatus {
  readonly node: string;
  readonly gateway: string;
  readonly protocol: DiscoveryStyle;
  /** True if it has accepted all its resources. */
  readonly isSettled: boolean;
  /** True if it has acknowledged or refused everything that it must have. */
  readonly isCurrent: boolean;
  /** Why it is not settled, as text. */
  readonly waitingFor: readonly string[];
  /** The resources that it rejected. */
  readonly refusals: readonly Refusal[];
}

export interface XdsServer {
  readonly port: number;
  /** By gateway (`namespace/name`). */
  readonly replace: (gateways: ServedGateways) => void;
  readonly nodes: () => readonly NodeStatus[];
  /** The acknowledgements of each connected Envoy: a part of `nodes`, at less cost. */
  readonly acknowledgements: () => readonly NodeAcknowledgement[];
  /** New streams get this certificate. Those that are open stay. */
  readonly useTls: (tls: XdsServerTls) => void;
  readonly close: () => Promise<void>;
}

export type NodeAcknowledgement = Pick<NodeStatus, "gateway" | "protocol" | "isCurrent" | "refusals">;

export type ServedGateways = ReadonlyMap<string, (style: DiscoveryStyle) => EncodedResources>;

type Call = ServerDuplexStream<Buffer, Buffer>;

interface Connection {
  /** The address and port of the client. */
  readonly peer: string;
  readonly node: string;
  readonly gateway: string;
  readonly protocol: NodeStatus["protocol"];
  readonly session: XdsSession;
  readonly close: () => void;
  /** The state that was last reported. */
  isCurrent: boolean;
}

interface Shared {
  readonly limits: XdsLimits;
  readonly hasTls: boolean;
  readonly onEvent: XdsServerOptions["onEvent"];
  readonly connections: Set<Connection>;
  /** Undefined: there is no configuration yet. */
  gateways: ServedGateways | undefined;
  readonly good: Map<string, AcceptedVersions>;
}

export async function startXdsServer(options: XdsServerOptions): Promise<XdsServer> {
  const { address, tls, onEvent } = options;
  if (tls === undefined && !isLocal(address)) {
    throw new Error(
      `${formatXdsAddress(address)} is not the loopback, and the stream contains private keys: use TLS with client certificates`,
    );
  }
  const limits = { ...XDS_LIMITS, ...options.limits };
  const shared: Shared = {
    limits,
    hasTls: tls !== undefined,
    onEvent,
    connections: new Set(),
    gateways: undefined,
    good: new Map(),
  };
  const server = createGrpcServer(shared, options.onCounts);
  const retiring = setInterval(() => {
    for (const { session } of shared.connections) session.retireLingering();
  }, RETIRE_MS);
  retiring.unref();
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
  /** Connections wait for the first configuration: an empty one would make an Envoy drop what it has. */
  const waiting: Socket[] = [];
  const { port, useTls, close } = await openXdsPort({
    address,
    tls,
    maxConnections: limits.maxNodes,
    handshakeMs: limits.handshakeMs,
    onConnection: (socket) => {
      if (shared.gateways === undefined) waiting.push(socket);
      else connections.injectConnection(socket);
    },
    onFailedHandshake: (failure) => onEvent({ type: "HandshakeFailed", failure }),
  });
  return {
    port,
    useTls,
    replace: (gateways) => {
      replace(gateways, shared);
      for (const socket of waiting.splice(0)) if (!socket.destroyed) connections.injectConnection(socket);
    },
    nodes: () => nodesOf(shared),
    acknowledgements: () => Array.from(shared.connections, acknowledgementOf),
    close: async () => {
      clearInterval(retiring);
      for (const connection of shared.connections) connection.close();
      server.forceShutdown();
      await close();
    },
  };
}

/** The services that Envoys call. The server listens nowhere: connections are injected. */
function createGrpcServer(shared: Shared, onCounts: XdsServerOptions["onCounts"]): Server {
  const { maxMessageBytes, keepaliveMs } = shared.limits;
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.keepalive_time_ms": keepaliveMs,
    "grpc.keepalive_timeout_ms": keepaliveMs,
    "grpc.max_concurrent_streams": 100,
  });
  server.addService(SERVICE, {
    DeltaAggregatedResources: (call: Call) => serveStream(call, "Delta", deltaProtocol(), shared),
    StreamAggregatedResources: (call: Call) => serveStream(call, "StateOfTheWorld", sotwProtocol(), shared),
  });
  server.addService(COUNTS_SERVICE, {
    Export: (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
      const problem = onCounts && takeCounts(call.request, call.getPeer(), shared.connections, onCounts);
      if (problem === undefined) callback(null, NO_BYTES);
      else callback({ code: status.PERMISSION_DENIED, details: problem });
    },
  });
  return server;
}

const asBytes = (value: Buffer): Buffer => value;

const method = (name: string) => ({
  path: `/envoy.service.discovery.v3.AggregatedDiscoveryService/${name}`,
  requestStream: true,
  responseStream: true,
  requestSerialize: asBytes,
  requestDeserialize: asBytes,
  responseSerialize: asBytes,
  responseDeserialize: asBytes,
});

/** OpenTelemetry, "OTLP/gRPC". An empty response is a success. */
const COUNTS_SERVICE: ServiceDefinition = {
  Export: {
    ...method(""),
    path: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
    requestStream: false,
    responseStream: false,
  },
};
const NO_BYTES = Buffer.alloc(0);

const SERVICE: ServiceDefinition = {
  DeltaAggregatedResources: method("DeltaAggregatedResources"),
  StreamAggregatedResources: method("StreamAggregatedResources"),
};

function replace(gateways: ServedGateways, shared: Shared): void {
  shared.gateways = gateways;
  for (const connection of shared.connections) {
    const { gateway, session, protocol } = connection;
    session.offer(resourcesOf(gateway, protocol, shared));
    connection.isCurrent = false;
    noteCurrent(connection, shared);
  }
}

/** Reports that an Envoy has everything, once. */
function noteCurrent(connection: Connection, { onEvent }: Shared): void {
  if (connection.isCurrent || !connection.session.isCurrent()) return;
  connection.isCurrent = true;
  onEvent({ type: "Current", node: connection.node, gateway: connection.gateway });
}

const resourcesOf = (gateway: string, style: DiscoveryStyle, { gateways }: Shared): EncodedResources =>
  gateways?.get(gateway)?.(style) ?? NO_RESOURCES;

const nodesOf = ({ connections }: Shared): readonly NodeStatus[] =>
  [...connections]
    .map((connection) => ({
      ...acknowledgementOf(connection),
      node: connection.node,
      isSettled: connection.session.isSettled(),
      waitingFor: connection.session.formatAwaited(),
    }))
    .sort((a, b) => (a.node < b.node ? -1 : 1));

const acknowledgementOf = ({ gateway, protocol, session }: Connection): NodeAcknowledgement => ({
  gateway,
  protocol,
  isCurrent: session.isCurrent(),
  refusals: session.collectRefusals(),
});

/** One connection of one Envoy, from its first message on. */
function serveStream(call: Call, style: DiscoveryStyle, protocol: DiscoveryProtocol, shared: Shared): void {
  let connection: Connection | undefined;
  const rate = createRateLimit(shared.limits.messageBurst, shared.limits.messagesPerSecond);
  const end = (): void => {
    if (connection === undefined || !shared.connections.delete(connection)) return;
    connection.close();
    shared.onEvent({ type: "Disconnected", node: connection.node, gateway: connection.gateway });
  };
  const refuse = (cause: RejectionCause, reason: string): void => {
    shared.onEvent({ type: "Rejected", node: connection?.node ?? call.getPeer(), cause, reason });
    end();
    call.emit("error", { code: CODES[cause], details: reason });
  };
  call.on("data", (bytes: Buffer) => {
    if (call.writableEnded) return;
    const problem = receive(bytes, rate, protocol);
    if (typeof problem === "string") return refuse("unreadable", problem);
    if (problem === undefined) return refuse("rate_limit", "too many messages");
    const { node, request } = problem;
    shared.onEvent({ type: "Received", bytes: bytes.length, acknowledgement: acknowledgementIn(request) });
    if (connection === undefined) {
      const why = whyNot(node?.id, node?.cluster, call, shared);
      if (why !== undefined || node === undefined) return refuse(why?.cause ?? "no_node", why?.reason ?? "");
      connection = connect(call, node.id, node.cluster, style, protocol, shared);
    }
    if (request === undefined) return;
    connection.session.receive(request);
    noteCurrent(connection, shared);
  });
  call.on("end", () => {
    end();
    call.end();
  });
  call.on("cancelled", end);
  call.on("error", end);
}

const CODES: Readonly<Record<RejectionCause, status>> = {
  no_node: status.INVALID_ARGUMENT,
  certificate: status.PERMISSION_DENIED,
  too_many_nodes: status.RESOURCE_EXHAUSTED,
  unreadable: status.INVALID_ARGUMENT,
  rate_limit: status.RESOURCE_EXHAUSTED,
};

const acknowledgementIn = (request: SessionRequest | undefined): Acknowledgement | undefined =>
  request === undefined || request.nonce === ""
    ? undefined
    : { resourceType: request.type, isTaken: request.refusal === undefined };

/** A text is the reason for refusing it. Undefined: there are too many connections. */
function receive(
  bytes: Buffer,
  rate: RateLimit,
  protocol: DiscoveryProtocol,
): ReturnType<DiscoveryProtocol["parse"]> | string | undefined {
  if (!rate.take(performance.now())) return undefined;
  try {
    return protocol.parse(bytes);
  } catch (error) {
    return `the message cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function whyNot(
  id: string | undefined,
  gateway: string | undefined,
  call: Call,
  { hasTls, connections, limits }: Shared,
): { readonly cause: RejectionCause; readonly reason: string } | undefined {
  if (id === undefined || !NODE_ID.test(id) || gateway === undefined || !GATEWAY.test(gateway)) {
    const reason =
      "the first message must say node.id, and in node.cluster the gateway: namespace/name, or */* for all";
    return { cause: "no_node", reason };
  }
  if (connections.size >= limits.maxNodes) {
    return { cause: "too_many_nodes", reason: `there are ${limits.maxNodes} nodes already` };
  }
  const refusal = hasTls ? refusalOf(call.getAuthContext().sslPeerCertificate, id, gateway) : undefined;
  return refusal === undefined ? undefined : { cause: "certificate", reason: refusal };
}

/** Printable, because logs contain them. */
const NODE_ID = /^[\x20-\x7e]{1,256}$/;
const GATEWAY = /^(?:[a-z0-9.-]{1,253}\/[a-z0-9.-]{1,253}|\*\/\*)$/;

function connect(
  call: Call,
  node: string,
  gateway: string,
  style: DiscoveryStyle,
  protocol: DiscoveryProtocol,
  shared: Shared,
): Connection {
  // Route configurations of the two styles have the same names and different contents.
  const key = `${style} ${gateway}`;
  const good = remember(shared.good, key, createAcceptedVersions);
  let patience: NodeJS.Timeout | undefined;
  const session = new XdsSession({
    wanted: resourcesOf(gateway, style, shared),
    good,
    send: (response) => {
      const bytes = Buffer.from(protocol.format(response));
      call.write(bytes);
      const { type: resourceType, resources, removed } = response;
      const counts = { resources: resources.length, removed: removed.length, bytes: bytes.length };
      shared.onEvent({ type: "Sent", resourceType, ...counts });
      if (!session.isAwaiting || patience !== undefined) return;
      patience = setTimeout(() => {
        patience = undefined;
        session.stopAwaiting();
      }, shared.limits.awaitEndpointsMs);
    },
    onRefusal: (refusal) => shared.onEvent({ type: "Refused", node, gateway, refusal }),
    nowMs: () => performance.now(),
    lingerMs: shared.limits.lingerMs,
  });
  const close = (): void => clearTimeout(patience);
  const connection: Connection = {
    peer: call.getPeer(),
    node,
    gateway,
    protocol: style,
    session,
    close,
    isCurrent: false,
  };
  shared.connections.add(connection);
  shared.onEvent({ type: "Connected", node, gateway });
  return connection;
}

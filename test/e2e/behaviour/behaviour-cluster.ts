/** All rows as one cluster: each has a host, a route, a Service and policies of its own, so that they can run side by side. */
import type { JsonObject } from "../../../src/core/model/json.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import type { BehaviourRow } from "./behaviour-row.ts";
import { type AttemptLog, type RecordingBackend, startBackend } from "./recording-backend.ts";
import { startHttp2Backend } from "./recording-http2-backend.ts";

export interface StartedRow {
  readonly row: BehaviourRow;
  readonly name: string;
  readonly host: string;
  readonly log: AttemptLog;
  readonly ports: ReadonlyArray<number | "Dead">;
}

export interface BehaviourCluster {
  readonly objects: readonly JsonObject[];
  readonly rows: readonly StartedRow[];
  close(): Promise<void>;
}

const OWN_DEEDS = { Stalled: { do: "Stall" }, Resetting: { do: "Reset" } } as const;

const NAMESPACE = "table";
const GATEWAY_API = "gateway.networking.k8s.io";

/** Starts the backends of all rows. The one Gateway listens at `port`. */
export async function startCluster(rows: readonly BehaviourRow[], port: number): Promise<BehaviourCluster> {
  const backends: RecordingBackend[] = [];
  const objects: JsonObject[] = [...gateway(port)];
  const started: StartedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const log: AttemptLog = { script: row.script, seen: [] };
    const name = `row-${index}`;
    const start = row.protocol === "HTTP/2" ? startHttp2Backend : startBackend;
    const ports: (number | "Dead")[] = [];
    for (const [endpoint, state] of (row.endpoints ?? ["Alive"]).entries()) {
      if (state === "Dead") {
        ports.push(state);
        continue;
      }
      const backend = await start(state === "Alive" ? log : { seen: log.seen, script: [OWN_DEEDS[state]] }, endpoint);
      backends.push(backend);
      ports.push(backend.port);
    }
    started.push({ row, name, host: `${name}.example`, log, ports });
  }
  // Chosen after all other ports: else a closed port could be given to another server.
  const dead = [
    ...(await findFreePorts(started.flatMap(({ ports }) => ports).filter((port) => port === "Dead").length)),
  ];
  for (const one of started) {
    objects.push(
      ...rowObjects(
        one,
        one.ports.map((port) => (port === "Dead" ? (dead.pop() ?? 0) : port)),
      ),
    );
  }
  return {
    objects,
    rows: started,
    close: async () => {
      await Promise.all(backends.map((backend) => backend.close()));
    },
  };
}

const gateway = (port: number): readonly JsonObject[] => [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "GatewayClass",
    metadata: { name: "house" },
    spec: { controllerName: "prevail.dev/gateway" },
  },
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "Gateway",
    metadata: { name: "table", namespace: NAMESPACE },
    spec: { gatewayClassName: "house", listeners: [{ name: "http", protocol: "HTTP", port }] },
  },
];

function rowObjects({ row, name, host }: StartedRow, ports: readonly number[]): readonly JsonObject[] {
  const metadata = { name, namespace: NAMESPACE };
  const { retry, timeouts, retryConstraint, kind = "HTTPRoute" } = row;
  const appProtocol = row.appProtocol ?? (row.protocol === "HTTP/2" ? "kubernetes.io/h2c" : undefined);
  const objects: JsonObject[] = [
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind,
      metadata,
      spec: {
        parentRefs: [{ name: "table" }],
        hostnames: [host],
        rules: [{ backendRefs: [{ name, port: 80 }], ...row.rule }],
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        ...metadata,
        annotations: { "prevail.dev/endpoints": ports.map((port) => `127.0.0.1:${port}`).join(",") },
      },
      spec: {
        ports: [{ name: "web", port: 80, ...(appProtocol === undefined ? {} : { appProtocol }) }],
      },
    },
  ];
  if (retry !== undefined || timeouts !== undefined) {
    objects.push({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "RetryPolicy",
      metadata,
      spec: {
        targetRefs: [{ group: GATEWAY_API, kind, name }],
        defaults: { ...(retry === undefined ? {} : { retry }), ...(timeouts === undefined ? {} : { timeouts }) },
      },
    });
  }
  if (retryConstraint !== undefined) {
    objects.push({
      apiVersion: "gateway.networking.x-k8s.io/v1alpha1",
      kind: "XBackendTrafficPolicy",
      metadata,
      spec: { targetRefs: [{ group: "", kind: "Service", name }], retryConstraint },
    });
  }
  return objects;
}

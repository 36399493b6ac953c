/** The Deployment of a Gateway's Envoys, and what its Pods need. */
import { type JsonObject, objectAt } from "../model/json.ts";
import { parseQuantity } from "../model/parse/parse-quantity.ts";
import type { InfrastructureRequest, InfrastructureSettings, ObjectMetadata } from "./infrastructure-types.ts";
import { fingerprint, selectorOf } from "./object-names.ts";
import type { GatewayParameters } from "./parse-gateway-parameters.ts";
import { STATUS_PORT } from "./pod-ports.ts";

/** Where the container finds its files. */
export const BOOTSTRAP_FOLDER = "/etc/prevail/bootstrap";
export const CERTIFICATE_FOLDER = "/etc/prevail/xds";

const USER = 65_532;
/** A Pod that is removed serves for so long, while it is taken out of Services and load balancers. */
const DEFAULT_DRAIN_SECONDS = 10;
/** The seconds that Envoy has to end when the time is over. */
const END_SECONDS = 5;
const DEFAULT_RESOURCES: JsonObject = { requests: { cpu: "100m", memory: "256Mi" } };
/** Owner and group may read: 0440. */
const READABLE = 0o440;

export function buildDeployment(
  metadata: ObjectMetadata,
  { gateway, parameters, bootstrap, podMetadata }: InfrastructureRequest & { readonly podMetadata: JsonObject },
  settings: InfrastructureSettings,
): JsonObject {
  const { replicas } = parameters;
  const selector = selectorOf(gateway);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: selector },
      // A new Pod is ready before an old one is removed.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "25%" } },
      template: { metadata: podMetadata, spec: podSpec(metadata.name, selector, parameters, bootstrap, settings) },
    },
  };
}

/** An annotation of Pods: a changed bootstrap needs new Pods, because Envoy reads it once. */
export const bootstrapAnnotation = (bootstrap: InfrastructureRequest["bootstrap"]): JsonObject => ({
  "prevail.dev/bootstrap": fingerprint(JSON.stringify(bootstrap)),
});

function podSpec(
  name: string,
  selector: JsonObject,
  parameters: GatewayParameters,
  bootstrap: InfrastructureRequest["bootstrap"],
  settings: InfrastructureSettings,
): JsonObject {
  const drainSeconds = parameters.drainSeconds ?? DEFAULT_DRAIN_SECONDS;
  return {
    serviceAccountName: name,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: drainSeconds + END_SECONDS,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: "RuntimeDefault" },
      ...(settings.portMode === "AsListeners"
        ? { sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] }
        : {}),
    },
    containers: [envoyContainer(parameters, drainSeconds, settings)],
    volumes: [
      { name: "bootstrap", configMap: { name, items: Object.keys(bootstrap).map((path) => ({ key: path, path })) } },
      { name: "xds", secret: { secretName: name, defaultMode: READABLE } },
    ],
    topologySpreadConstraints: ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: selector },
    })),
  };
}

function envoyContainer(
  { image, resources = DEFAULT_RESOURCES }: GatewayParameters,
  drainSeconds: number,
  settings: InfrastructureSettings,
): JsonObject {
  return {
    name: "envoy",
    image: image ?? settings.image,
    args: [
      "--config-path",
      `${BOOTSTRAP_FOLDER}/envoy.json`,
      "--service-node",
      "$(POD_NAME)",
      "--log-level",
      "warn",
      "--disable-hot-restart",
      // Connections of a listener that is removed end with their next response. By default they do so over ten minutes, and the Pod of a
      // Gateway that is removed ends before.
      "--drain-strategy",
      "immediate",
      ...concurrencyOf(resources),
    ],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      // Waits before retries are exact to 0.1 ms instead of 4 ms.
      { name: "EVENT_PRECISE_TIMER", value: "1" },
    ],
    resources,
    ports: [{ name: "status", containerPort: STATUS_PORT, protocol: "TCP" }],
    readinessProbe: {
      httpGet: { path: "/ready", port: STATUS_PORT },
      periodSeconds: 2,
      timeoutSeconds: 2,
      failureThreshold: 3,
    },
    // The image has no shell. Requests are served during the sleep; then Envoy ends.
    ...(drainSeconds === 0 ? {} : { lifecycle: { preStop: { sleep: { seconds: drainSeconds } } } }),
    volumeMounts: [
      { name: "bootstrap", mountPath: BOOTSTRAP_FOLDER, readOnly: true },
      { name: "xds", mountPath: CERTIFICATE_FOLDER, readOnly: true },
    ],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}

/** More threads than any node has CPUs would only take its memory: a tenant may write the limit. */
const MOST_WORKERS = 128;

/** The argument for as many workers as CPUs that the container may use: without it Envoy starts one for each CPU of the node. */
function concurrencyOf(resources: JsonObject): readonly string[] {
  const { cpu } = objectAt(resources, "limits");
  const count = parseQuantity(typeof cpu === "string" || typeof cpu === "number" ? `${cpu}` : "");
  return count === undefined ? [] : ["--concurrency", String(Math.min(Math.max(1, Math.ceil(count)), MOST_WORKERS))];
}

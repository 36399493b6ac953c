import { gatewayListeners } from "../effective/world/gateway-listeners.ts";
import type { World } from "../effective/world/world.ts";
import { type JsonObject, objectAt, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { ObjectRef } from "../model/refs.ts";
import { bootstrapAnnotation, buildDeployment } from "./build-deployment.ts";
import { buildService } from "./build-service.ts";
import { allowedKeys } from "./infrastructure-keys.ts";
import type {
  GatewayInfrastructure,
  InfrastructureRequest,
  InfrastructureSettings,
  ListenerPort,
  ObjectMetadata,
} from "./infrastructure-types.ts";
import {
  CONTROLLER_ANNOTATION,
  GATEWAY_ANNOTATION,
  infrastructureName,
  isOwnKey,
  labelsOf,
  selectorOf,
} from "./object-names.ts";
import type { GatewayParameters } from "./parse-gateway-parameters.ts";
import { podPorts } from "./pod-ports.ts";
import { strategicMerge } from "./strategic-merge.ts";

const PROTOCOLS: Readonly<Record<string, ListenerPort["transport"]>> = {
  HTTP: "TCP",
  HTTPS: "TCP",
  TLS: "TCP",
  TCP: "TCP",
  UDP: "UDP",
};

/** The ports of a Gateway and its ListenerSets. A listener whose references do not resolve keeps its port: a missing Secret must not change a load balancer. */
export function listenerPorts(world: World, gateway: KubeObject): readonly ListenerPort[] {
  const ports = new Map<string, ListenerPort>();
  for (const { listener } of gatewayListeners(world, gateway).accepted) {
    const { port } = listener;
    const transport = PROTOCOLS[listener.protocol];
    if (port !== undefined && transport !== undefined) ports.set(`${port}/${transport}`, { port, transport });
  }
  return [...ports.values()].sort((a, b) => a.port - b.port || (a.transport < b.transport ? -1 : 1));
}

/**
 * The objects of a Gateway
 *
 * ServiceAccount, ConfigMap, Deployment, PodDisruptionBudget where there are several replicas, and Service. They have the labels and annotations of `spec.infrastructure`,
 * except keys that the controller does not allow; the Secret of the Envoys has none of them. A Gateway without any valid listener gets no Service; one that it has
 * stays, because a load balancer that is made again may have another address.
 * Gateway API, "GatewaySpec.infrastructure"
 */
export function desiredInfrastructure(
  world: World,
  gateway: KubeObject,
  request: InfrastructureRequest,
  settings: InfrastructureSettings,
): GatewayInfrastructure {
  const { parameters, bootstrap } = request;
  const { namespace } = settings;
  const name = infrastructureName(gateway.ref);
  const ownLabels = labelsOf(gateway.ref, classNameOf(gateway));
  const labels = { ...allowedKeys(gateway, "labels", settings.infrastructureKeys), ...ownLabels };
  const own = {
    [GATEWAY_ANNOTATION]: `${gateway.ref.namespace}/${gateway.ref.name}`,
    [CONTROLLER_ANNOTATION]: settings.controllerName,
  };
  const given = allowedKeys(gateway, "annotations", settings.infrastructureKeys);
  const metadata: ObjectMetadata = { namespace, name, labels, annotations: { ...given, ...own } };
  const podMetadata = { labels, annotations: { ...given, ...own, ...bootstrapAnnotation(bootstrap) } };
  const ports = listenerPorts(world, gateway);
  const targets = podPorts(
    ports.map(({ port }) => port),
    settings.portMode,
  );
  const deployment = buildDeployment(metadata, { ...request, podMetadata }, settings);
  const service = buildService(metadata, gateway, ports, targets, parameters.serviceType ?? "LoadBalancer");
  const budget = disruptionBudget(metadata, gateway.ref);
  return {
    gateway: gateway.ref,
    name,
    namespace,
    // Controllers that copy Secrets look for labels and annotations of their own.
    secretMetadata: { namespace, name, labels: ownLabels, annotations: own },
    objects: [
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...metadata }, automountServiceAccountToken: false },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata }, data: bootstrap },
      patched(deployment, "deployment", parameters),
      ...((parameters.replicas ?? 1) > 1 ? [budget] : []),
      ...(ports.length === 0 ? [] : [patched(service, "service", parameters)]),
    ],
    keeps: ports.length === 0 ? ["Service"] : [],
  };
}

/** A patch changes everything but what identifies the object and its Pods. */
function patched(object: JsonObject, part: "deployment" | "service", { patches }: GatewayParameters): JsonObject {
  const result = patches.reduce((last, patch) => strategicMerge(last, patch[part] ?? {}), object);
  const spec = objectAt(result, "spec");
  const template = objectAt(spec, "template");
  const { selector } = objectAt(object, "spec");
  return {
    ...result,
    apiVersion: object["apiVersion"] ?? "",
    kind: object["kind"] ?? "",
    metadata: withIdentity(objectAt(result, "metadata"), objectAt(object, "metadata")),
    spec: {
      ...spec,
      selector: selector ?? {},
      ...(part === "deployment"
        ? {
            template: {
              ...template,
              metadata: withIdentity(
                objectAt(template, "metadata"),
                objectAt(objectAt(objectAt(object, "spec"), "template"), "metadata"),
              ),
            },
          }
        : {}),
    },
  };
}

/** Names, and the labels and annotations that are the controller's own, are as they were. */
function withIdentity(metadata: JsonObject, before: JsonObject): JsonObject {
  const { name, namespace } = before;
  return {
    ...metadata,
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...objectAt(metadata, "labels"), ...ownKeys(objectAt(before, "labels")) },
    annotations: { ...objectAt(metadata, "annotations"), ...ownKeys(objectAt(before, "annotations")) },
  };
}

const disruptionBudget = (metadata: ObjectMetadata, gateway: ObjectRef): JsonObject => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { ...metadata },
  spec: {
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: "AlwaysAllow",
    selector: { matchLabels: selectorOf(gateway) },
  },
});

const classNameOf = ({ raw }: KubeObject): string => {
  const name = ownValue(objectAt(raw, "spec"), "gatewayClassName");
  return typeof name === "string" ? name : "";
};

const ownKeys = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key, text]) => typeof text === "string" && isOwnKey(key)));

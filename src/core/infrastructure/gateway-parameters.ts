/** GatewayParameters: how the Envoys of a Gateway, or of the Gateways of a GatewayClass, are run. */
import type { World } from "../effective/world/world.ts";
import { isJsonObject, type Json, type JsonObject, objectAt, ownValue } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { parseDurationMs } from "../model/parse/parse-duration.ts";
import { formatRef, type GroupKind, kindId } from "../model/refs.ts";

export const GATEWAY_PARAMETERS: GroupKind = { group: "prevail.dev", kind: "GatewayParameters" };

export const SERVICE_TYPES = ["LoadBalancer", "NodePort", "ClusterIP"] as const;
export type ServiceType = (typeof SERVICE_TYPES)[number];

export interface GatewayParameters {
  /** Undefined: not applied, because something else may scale the Deployment. */
  readonly replicas?: number;
  readonly image?: string;
  readonly resources?: JsonObject;
  readonly serviceType?: ServiceType;
  readonly drainSeconds?: number;
  /** Strategic merge patches, in the order in which they are applied. */
  readonly patches: readonly { readonly deployment?: JsonObject; readonly service?: JsonObject }[];
}

/** Whether parameters of a Gateway may have the fields that decide what runs in the namespace of the controller: the image, and everything that a patch can change. */
export interface ParameterRights {
  /** True: Envoys run in the namespace of their Gateway, so parameters of a Gateway may have these fields too. */
  readonly gatewaysMaySetAll: boolean;
}

/** Parameters of a Gateway decide nothing about what else runs in the namespace of the controller. */
export const PARAMETER_RIGHTS: ParameterRights = { gatewaysMaySetAll: false };

export type FoundParameters = { readonly parameters: GatewayParameters } | { readonly problem: string };

/** The longest time in which connections end before an Envoy does. */
const LONGEST_DRAIN_SECONDS = 3600;
const CLASS_ONLY = ["image", "patches"];
const NO_PARAMETERS: GatewayParameters = { patches: [] };

/**
 * Parameters of a Gateway
 *
 * A Gateway has the parameters that it refers to; a field that they leave out comes from the parameters of its GatewayClass. Patches of the class are applied first.
 * Gateway API, "GatewayInfrastructure.parametersRef"
 */
export function parametersOfGateway(world: World, gateway: KubeObject, rights: ParameterRights): FoundParameters {
  const name = ownValue(objectAt(gateway.raw, "spec"), "gatewayClassName");
  const gatewayClass =
    typeof name === "string"
      ? world.objects.find(kindId({ group: GATEWAY_API, kind: "GatewayClass" }), "", name)
      : undefined;
  const ofClass =
    gatewayClass === undefined ? { parameters: NO_PARAMETERS } : ownParameters(world, gatewayClass, rights);
  if ("problem" in ofClass) return { problem: `GatewayClass ${gatewayClass?.name ?? ""}: ${ofClass.problem}` };
  const own = ownParameters(world, gateway, rights);
  if ("problem" in own) return own;
  const patches = [...ofClass.parameters.patches, ...own.parameters.patches];
  return { parameters: { ...ofClass.parameters, ...own.parameters, patches } };
}

/** The parameters that a GatewayClass or Gateway refers to itself. */
export function ownParameters(world: World, object: KubeObject, rights: ParameterRights): FoundParameters {
  const spec = objectAt(object.raw, "spec");
  const isClass = object.family.kind === "GatewayClass";
  const field = isClass ? "spec.parametersRef" : "spec.infrastructure.parametersRef";
  const ref = ownValue(isClass ? spec : objectAt(spec, "infrastructure"), "parametersRef");
  if (!isJsonObject(ref)) return { parameters: NO_PARAMETERS };
  const { group, kind, name } = ref;
  const namespace = isClass ? ref["namespace"] : object.family.namespace;
  const isOurs = group === GATEWAY_PARAMETERS.group && kind === GATEWAY_PARAMETERS.kind;
  if (!isOurs)
    return { problem: `${field}: ${textOf(kind)} is not a supported kind; supported: ${GATEWAY_PARAMETERS.kind}` };
  if (typeof name !== "string" || typeof namespace !== "string" || namespace === "")
    return { problem: `${field}: a reference to ${GATEWAY_PARAMETERS.kind} needs a namespace` };
  const target = { ...GATEWAY_PARAMETERS, namespace, name };
  const found = world.objects.find(kindId(GATEWAY_PARAMETERS), namespace, name);
  if (found === undefined) return { problem: `${field}: there is no ${formatRef(target)}` };
  const parsed = parseGatewayParameters(objectAt(found.raw, "spec"));
  if ("problem" in parsed) return { problem: `${field}: ${formatRef(target)}: ${parsed.problem}` };
  const [denied] =
    isClass || rights.gatewaysMaySetAll
      ? []
      : CLASS_ONLY.filter((key) => Object.hasOwn(objectAt(found.raw, "spec"), key));
  return denied === undefined
    ? parsed
    : {
        problem: `${field}: ${formatRef(target)}: spec.${denied} can be set for a GatewayClass only, because the Pods of Gateways are in the namespace of the controller`,
      };
}

/** The schema of the CRD has the same rules. */
function parseGatewayParameters(spec: JsonObject): FoundParameters {
  const { replicas, image, resources, drainTimeout } = spec;
  const type = ownValue(objectAt(spec, "service"), "type");
  const patches = objectAt(spec, "patches");
  const drainMs = typeof drainTimeout === "string" ? parseDurationMs(drainTimeout) : undefined;
  const serviceType = SERVICE_TYPES.find((one) => one === type);
  if (replicas !== undefined && !(Number.isInteger(replicas) && Number(replicas) >= 0))
    return { problem: "spec.replicas is not a whole number" };
  if (image !== undefined && (typeof image !== "string" || image === ""))
    return { problem: "spec.image is not an image" };
  if (resources !== undefined && !isJsonObject(resources)) return { problem: "spec.resources is not an object" };
  if (type !== undefined && serviceType === undefined)
    return { problem: `spec.service.type is '${textOf(type)}'; supported: ${SERVICE_TYPES.join(", ")}` };
  if (drainTimeout !== undefined && (drainMs === undefined || drainMs > LONGEST_DRAIN_SECONDS * 1000))
    return { problem: "spec.drainTimeout is not a duration of at most 1h, such as 30s" };
  const [deployment, service] = [ownValue(patches, "deployment"), ownValue(patches, "service")];
  const patch = {
    ...(isJsonObject(deployment) ? { deployment } : {}),
    ...(isJsonObject(service) ? { service } : {}),
  };
  return {
    parameters: {
      ...(typeof replicas === "number" ? { replicas } : {}),
      ...(typeof image === "string" ? { image } : {}),
      ...(isJsonObject(resources) ? { resources } : {}),
      ...(serviceType === undefined ? {} : { serviceType }),
      ...(drainMs === undefined ? {} : { drainSeconds: Math.ceil(drainMs / 1000) }),
      patches: Object.keys(patch).length === 0 ? [] : [patch],
    },
  };
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** GatewayParameters: how the Envoys of a Gateway, or of the Gateways of a GatewayClass, are run. */
import { isGatewayClass } from "../effective/world/gateway-controllers.ts";
import type { World } from "../effective/world/world.ts";
import { isJsonObject, type JsonObject, objectAt, ownValue, textOf } from "../model/json.ts";
import { GATEWAY_CLASS } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { parseQuantity } from "../model/parse/parse-quantity.ts";
import { formatRef, type GroupKind, kindId } from "../model/refs.ts";
import {
  amountsOf,
  type GatewayParameters,
  parameterErrors,
  parseGatewayParameters,
} from "./parse-gateway-parameters.ts";

export const GATEWAY_PARAMETERS: GroupKind = { group: "prevail.dev", kind: "GatewayParameters" };

/** The fields that parameters of a Gateway may set. Those of a GatewayClass may set all fields. */
export interface ParameterRights {
  /** True: Envoys run in the namespace of their Gateway, so its parameters may also decide the image, and everything that a patch can change. */
  readonly gatewaysMaySetAll: boolean;
  /** The most that parameters of a Gateway may ask for. */
  readonly maximum?: ParameterMaximum | undefined;
}

export interface ParameterMaximum {
  /** Undefined: there is no maximum. */
  readonly replicas?: number | undefined;
  /** By resource: the quantity as it is written. Undefined: there is no maximum; otherwise only these resources can be set. */
  readonly resources?: Readonly<Record<string, string>> | undefined;
}

/** Parameters of a Gateway decide nothing about what else runs in the namespace of the controller. Which maximum a controller has is not known here. */
export const PARAMETER_RIGHTS: ParameterRights = { gatewaysMaySetAll: false };

/** Why parameters cannot be used. */
export interface ParametersError {
  /** The field of the reference. */
  readonly field: string;
  readonly message: string;
}

type OwnParameters = { readonly parameters: GatewayParameters } | { readonly problem: ParametersError };
export type FoundParameters = { readonly parameters: GatewayParameters } | { readonly problem: string };

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
  const gatewayClass = typeof name === "string" ? world.objects.find(GATEWAY_CLASS, "", name) : undefined;
  const ofClass =
    gatewayClass === undefined ? { parameters: NO_PARAMETERS } : ownParameters(world, gatewayClass, rights);
  if ("problem" in ofClass)
    return { problem: `GatewayClass ${gatewayClass?.name ?? ""}: ${formatError(ofClass.problem)}` };
  const own = ownParameters(world, gateway, rights);
  if ("problem" in own) return { problem: formatError(own.problem) };
  const patches = [...ofClass.parameters.patches, ...own.parameters.patches];
  return { parameters: { ...ofClass.parameters, ...own.parameters, patches } };
}

/** The parameters that a GatewayClass or Gateway refers to itself. */
export function ownParameters(world: World, object: KubeObject, rights: ParameterRights): OwnParameters {
  const { field, ref } = parametersRefOf(object);
  if (ref === undefined) return { parameters: NO_PARAMETERS };
  const { group, kind, name } = ref;
  const isClass = isGatewayClass(object.ref);
  const namespace = isClass ? ref["namespace"] : object.family.namespace;
  const problem = (message: string): OwnParameters => ({ problem: { field, message } });
  if (group !== GATEWAY_PARAMETERS.group || kind !== GATEWAY_PARAMETERS.kind)
    return problem(`${textOf(kind)} is not a supported kind; supported: ${GATEWAY_PARAMETERS.kind}`);
  if (typeof name !== "string" || typeof namespace !== "string" || namespace === "")
    return problem(`a reference to a ${GATEWAY_PARAMETERS.kind} needs a namespace`);
  const target = { ...GATEWAY_PARAMETERS, namespace, name };
  const found = world.objects.find(kindId(GATEWAY_PARAMETERS), namespace, name);
  if (found === undefined) return problem(`there is no ${formatRef(target)}`);
  const spec = objectAt(found.raw, "spec");
  const [error] = parameterErrors(spec);
  const refusal = error?.message ?? (isClass ? undefined : notForGateways(spec, rights));
  if (refusal !== undefined) return problem(`${formatRef(target)}: ${refusal}`);
  const parameters = parseGatewayParameters(spec);
  return { parameters: isClass ? parameters : withLimits(parameters, rights.maximum?.resources) };
}

/** The reference of a GatewayClass or Gateway to its parameters, and the field that has it. */
export function parametersRefOf(object: KubeObject): { readonly field: string; readonly ref: JsonObject | undefined } {
  const spec = objectAt(object.raw, "spec");
  const isClass = isGatewayClass(object.ref);
  const ref = ownValue(isClass ? spec : objectAt(spec, "infrastructure"), "parametersRef");
  return {
    field: isClass ? "spec.parametersRef" : "spec.infrastructure.parametersRef",
    ref: isJsonObject(ref) ? ref : undefined,
  };
}

/**
 * Fields that parameters of a Gateway may not set
 *
 * Envoys run in the namespace of the controller, and every tenant may be the author of a Gateway: fields that decide what runs there are for GatewayClasses, and
 * no Gateway may ask for more than the maximum of the controller. With a maximum of resources, others than those in it cannot be asked for.
 * Gateway API, "GatewayReasonInvalidParameters"
 */
function notForGateways(spec: JsonObject, { gatewaysMaySetAll, maximum = {} }: ParameterRights): string | undefined {
  const denied = gatewaysMaySetAll ? undefined : CLASS_ONLY.find((key) => Object.hasOwn(spec, key));
  if (denied !== undefined)
    return `spec.${denied} can be set for a GatewayClass only, because the Pods of Gateways are in the namespace of the controller`;
  const replicas = Number(spec["replicas"] ?? 0);
  if (maximum.replicas !== undefined && replicas > maximum.replicas)
    return `spec.replicas is ${replicas}; the controller allows a Gateway at most ${maximum.replicas}`;
  if (maximum.resources === undefined) return undefined;
  for (const { field, resource, text, amount = 0 } of amountsOf(spec)) {
    const most = Object.hasOwn(maximum.resources, resource) ? maximum.resources[resource] : undefined;
    if (most === undefined)
      return `${field} cannot be set for a Gateway; the controller allows ${Object.keys(maximum.resources).join(", ")}`;
    if (amount > (parseQuantity(most) ?? 0))
      return `${field} is ${text}; the controller allows a Gateway at most ${most}`;
  }
  return undefined;
}

/** The resources that a container without a limit takes from others on its node. */
const UNLIMITED = ["cpu", "memory", "ephemeral-storage"];

/**
 * Limits that parameters of a Gateway leave out
 *
 * A container without a limit may use its whole node, so the maximum of the controller is the limit. What is not requested stays so: Kubernetes requests as
 * much as the limit where no request is written.
 * Kubernetes, "Resource Management for Pods and Containers"
 */
function withLimits(parameters: GatewayParameters, maximum: ParameterMaximum["resources"]): GatewayParameters {
  const { resources } = parameters;
  if (resources === undefined || maximum === undefined) return parameters;
  const [requests, limits] = [{ ...objectAt(resources, "requests") }, { ...objectAt(resources, "limits") }];
  for (const resource of UNLIMITED) {
    const most = Object.hasOwn(maximum, resource) ? maximum[resource] : undefined;
    if (most === undefined || Object.hasOwn(limits, resource)) continue;
    limits[resource] = most;
    if (!Object.hasOwn(requests, resource)) requests[resource] = "0";
  }
  return { ...parameters, resources: { ...resources, requests, limits } };
}

const formatError = ({ field, message }: ParametersError): string => `${field}: ${message}`;

import { controllerOf, isGatewayClass } from "../effective/world/gateway-controllers.ts";
import { referenceProblemsOf, unknownReferencesOf } from "../effective/world/gateway-problems.ts";
import type { World } from "../effective/world/world.ts";
import { objectAt, ownValue } from "../model/json.ts";
import { CONTROLLER_NAME, GATEWAY_CLASS } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { ConditionProblem } from "../topology/gateway-reason.ts";
import type { Implementation } from "../topology/object-references.ts";
import {
  GATEWAY_PARAMETERS,
  ownParameters,
  PARAMETER_RIGHTS,
  type ParameterRights,
  parametersRefOf,
} from "./gateway-parameters.ts";

const REASON = "InvalidParameters";

/**
 * Parameters that are not supported
 *
 * A GatewayClass or Gateway with a reference to parameters that does not resolve, or whose kind the controller does not support, is not accepted, nor is one
 * with parameters that have an error. A controller that runs no Envoys supports no kind of parameters.
 * Gateway API, "GatewayClassReasonInvalidParameters"
 */
export function parametersProblem(
  world: World,
  object: KubeObject,
  { implementation, rights }: { readonly implementation: Implementation; readonly rights: ParameterRights | undefined },
): ConditionProblem | undefined {
  const problems = referenceProblemsOf(world, object, implementation);
  const found = problems.find(({ reason }) => reason === REASON);
  if (found !== undefined || rights === undefined) return found;
  const own = ownParameters(world, object, rights);
  if (!("problem" in own)) return undefined;
  const isUnknown = unknownReferencesOf(world, object).some(({ field }) => field === own.problem.field);
  return isUnknown ? undefined : { ...own.problem, condition: "Accepted", reason: REASON };
}

const ASSUMED = {
  implementation: { secretProblem: () => undefined, parameters: GATEWAY_PARAMETERS },
  rights: PARAMETER_RIGHTS,
};

/**
 * Why a Gateway or GatewayClass is not accepted because of its parameters, where no controller is known. A reference to GatewayParameters, and every reference of a
 * class with the usual name of the controller, is judged as by a controller that runs Envoys; kinds of parameters of other controllers are not judged.
 */
export function likelyParametersProblem(world: World, object: KubeObject): ConditionProblem | undefined {
  const { ref } = parametersRefOf(object);
  if (ref === undefined) return undefined;
  const isOurKind = ref["group"] === GATEWAY_PARAMETERS.group && ref["kind"] === GATEWAY_PARAMETERS.kind;
  if (isOurKind || isOurs(world, object)) return parametersProblem(world, object, ASSUMED);
  return referenceProblemsOf(world, object).find(({ reason }) => reason === REASON);
}

function isOurs(world: World, object: KubeObject): boolean {
  const name = ownValue(objectAt(object.raw, "spec"), "gatewayClassName");
  const gatewayClass = isGatewayClass(object.ref)
    ? object
    : typeof name === "string"
      ? world.objects.find(GATEWAY_CLASS, "", name)
      : undefined;
  return controllerOf(gatewayClass?.raw) === CONTROLLER_NAME;
}

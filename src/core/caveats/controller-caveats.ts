import { classNameOf, gatewaysOfUnknownClass } from "../effective/world/gateway-controllers.ts";
import { isCompleteFor } from "../model/completeness.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import { formatRef, type ObjectId, type ObjectRef, objectId } from "../model/refs.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";

/** Policy kinds that only some controllers carry out, behind Gateways whose GatewayClass is not in the input. */
export function unknownControllerCaveats({ world, related, scope }: CaveatContext): readonly Caveat[] {
  if (isCompleteFor(world.completeness, { group: GATEWAY_API, kind: "GatewayClass" }, "")) return [];
  const asked = related();
  return world.rulebook.kinds.flatMap(({ definition, index, policyKind }): readonly Caveat[] => {
    if ((world.attached[index]?.size ?? 0) === 0) return [];
    const gateways = gatewaysOfUnknownClass(world, definition).filter((ref) => {
      const id = objectId(ref);
      if (scope.deleted?.has(gatewayClassOf(world, ref)) === true) return false;
      return asked === undefined || asked.above.has(id) || asked.below.has(id);
    });
    if (gateways.length === 0) return [];
    const isOne = gateways.length === 1;
    const names = listNames(gateways.map((ref) => formatRef(ref)));
    const where = isOne ? names : `${gateways.length} Gateways`;
    return [
      caveat("UnknownController", {
        message: `the GatewayClass of ${isOne ? names : `${where} (${names})`} is not in the input. Only ${definition.controllers.join(" and ")} ${definition.controllers.length === 1 ? "carries" : "carry"} ${policyKind.kind} out; behind a Gateway of another controller it takes no effect`,
        summary: `it is not known who carries ${policyKind.kind} out behind ${where}`,
        objects: gateways.flatMap((ref) => {
          const object = world.objects.get(objectId(ref));
          return object === undefined ? [] : [located(object, "spec.gatewayClassName")];
        }),
      }),
    ];
  });
}

/** The id of the GatewayClass that a Gateway names. */
function gatewayClassOf({ objects }: CaveatContext["world"], gateway: ObjectRef): ObjectId {
  const raw = objects.get(objectId(gateway))?.raw ?? {};
  return objectId({ group: GATEWAY_API, kind: "GatewayClass", namespace: "", name: classNameOf(raw) });
}

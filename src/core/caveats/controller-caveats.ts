import { isCarriedOut } from "../dataplane/carried-out.ts";
import { gatewaysOfUnknownClass } from "../effective/world/gateway-controllers.ts";
import { formatRef, objectId } from "../model/refs.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";

/** Policy kinds that only some controllers carry out, behind Gateways whose GatewayClass is not in the input. */
export function unknownControllerCaveats({ world, related, scope }: CaveatContext): readonly Caveat[] {
  const asked = related();
  return world.rulebook.kinds.flatMap(({ definition, index, policyKind }): readonly Caveat[] => {
    if ((world.attached[index]?.size ?? 0) === 0) return [];
    // The data plane of the question carries the kind out itself.
    if (scope.dataplane !== undefined && definition.policies.some(isCarriedOut)) return [];
    const gateways = gatewaysOfUnknownClass(world, definition).filter((ref) => {
      const id = objectId(ref);
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

import { isCarriedOut } from "../dataplane/carried-out.ts";
import { gatewaysOfUnknownClass } from "../effective/world/gateway-controllers.ts";
import type { World } from "../effective/world/world.ts";
import type { PolicyDefinition } from "../model/definition.ts";
import { formatRef, kindId, type ObjectRef, objectId } from "../model/refs.ts";
import { joinWords } from "../model/words/count-kinds.ts";
import type { Caveat, CountedPolicies } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";

/** Policy kinds that only some controllers carry out, behind Gateways whose GatewayClass is not in the input: one caveat for all these kinds. */
export function unknownControllerCaveats({ world, related, scope }: CaveatContext): readonly Caveat[] {
  const definitions = world.rulebook.kinds.flatMap(({ definition, index }) => {
    const isAttached = (world.attached[index]?.size ?? 0) > 0;
    // The data plane of the question carries the kind out itself.
    const isOwn = scope.dataplane !== undefined && definition.policies.some(isCarriedOut);
    return isAttached && !isOwn && definition.controllers.length > 0 ? [definition] : [];
  });
  const [first] = definitions;
  if (first === undefined) return [];
  const asked = related();
  // The missing GatewayClasses do not depend on the kind.
  const gateways = gatewaysOfUnknownClass(world, first).filter((ref) => {
    const id = objectId(ref);
    return asked === undefined || asked.above.has(id) || asked.below.has(id);
  });
  if (gateways.length === 0) return [];
  const policies = definitions.flatMap((definition) => countPolicies(world, definition));
  return [
    caveat("UnknownController", {
      message: `${missingClasses(gateways)}. ${carriedOutBy(world, definitions)}; behind a Gateway of another controller ${policies.length === 1 ? "it takes" : "they take"} no effect`,
      summary: `it is not known who carries ${summarizeKinds(policies)} out behind ${gateways.length === 1 ? listNames(gateways.map((ref) => formatRef(ref))) : `${gateways.length} Gateways`}`,
      objects: gateways.flatMap((ref) => {
        const object = world.objects.get(objectId(ref));
        return object === undefined ? [] : [located(object, "spec.gatewayClassName")];
      }),
      policies,
    }),
  ];
}

/** The kinds of the definition that have policies. */
const countPolicies = (world: World, { policies }: PolicyDefinition): readonly CountedPolicies[] =>
  policies
    .map(({ group, kind }) => ({ group, kind, count: world.objects.ofKind(kindId({ group, kind })).length }))
    .filter(({ count }) => count > 0);

function missingClasses(gateways: readonly ObjectRef[]): string {
  const names = listNames(gateways.map((ref) => formatRef(ref)));
  const where = gateways.length === 1 ? names : `${gateways.length} Gateways (${names})`;
  return `the GatewayClass of ${where} is not in the input`;
}

/** `Only a.example/x carries AuthPolicy and LimitPolicy out and only b.example/y carries RetryPolicy out`. */
function carriedOutBy(world: World, definitions: readonly PolicyDefinition[]): string {
  const kinds = new Map<string, { readonly verb: string; readonly names: string[] }>();
  for (const definition of definitions) {
    const { controllers } = definition;
    const by = joinWords(controllers);
    const known = kinds.get(by) ?? { verb: controllers.length === 1 ? "carries" : "carry", names: [] };
    kinds.set(by, known);
    known.names.push(...countPolicies(world, definition).map(({ kind }) => kind));
  }
  const clauses = [...kinds].map(([by, { verb, names }]) => `only ${by} ${verb} ${joinWords(names)} out`);
  return joinWords(clauses).replace("only", "Only");
}

const NAMED = 3;

const summarizeKinds = (policies: readonly CountedPolicies[]): string =>
  policies.length > NAMED ? `${policies.length} policy kinds` : joinWords(policies.map(({ kind }) => kind));

import { BACKEND_TLS_POLICY } from "../dataplane/compile/compile-backend.ts";
import { LISTENER_OWNERS, permittedMaterialOf } from "../effective/world/gateway-problems.ts";
import type { World } from "../effective/world/world.ts";
import { objectAt, objectsIn, ownValue } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import { isPlainName, type KindId, kindId, type ObjectRef } from "../model/refs.ts";
import { OwnedGateways } from "./owned-gateways.ts";

/** The kinds on which it depends what is needed. */
export const NAMING_KINDS: ReadonlySet<KindId> = new Set([
  ...LISTENER_OWNERS,
  ...["GatewayClass", "ReferenceGrant", "BackendTLSPolicy"].map((kind) => kindId({ group: GATEWAY_API, kind })),
]);

/**
 * The Secrets and ConfigMaps that a controller reads
 *
 * A controller reads what its Gateways and their ListenerSets refer to, if they may, and the CA certificates of BackendTLSPolicies, which are in the
 * namespace of the policy. Each is named once; it may not exist.
 * Gateway API, "ReferenceGrant"
 */
export function neededMaterial(world: World, controllerName: string): readonly ObjectRef[] {
  const owned = new OwnedGateways(world, controllerName);
  const owners = LISTENER_OWNERS.flatMap((kind) => world.objects.ofKind(kind)).filter((object) =>
    owned.isOwned(object),
  );
  const ofPolicies = world.objects.ofKind(kindId(BACKEND_TLS_POLICY)).flatMap(({ raw, ref: { namespace } }) => {
    const refs = objectsIn(ownValue(objectAt(objectAt(raw, "spec"), "validation"), "caCertificateRefs"));
    return refs.flatMap(({ group, kind, name }): readonly ObjectRef[] =>
      (group ?? "") === "" && kind === "ConfigMap" && typeof name === "string" && isPlainName(name)
        ? [{ group: "", kind, namespace, name }]
        : [],
    );
  });
  return [...owners.flatMap((owner) => permittedMaterialOf(world, owner)), ...ofPolicies];
}

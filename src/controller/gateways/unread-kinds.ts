/** The kinds that the configuration of gateways rests on, and that could not be read. */
import { isCarriedOut } from "../../core/dataplane/carried-out.ts";
import type { World } from "../../core/effective/world/world.ts";
import { isCompleteForAll } from "../../core/model/completeness.ts";
import { type GroupKind, kindId } from "../../core/model/refs.ts";
import { OF_GATEWAYS } from "../report/held-kinds.ts";

export const ENDPOINT_SLICE: GroupKind = { group: "discovery.k8s.io", kind: "EndpointSlice" };

/**
 * No configuration is made from a part of the facts. Where a kind cannot be listed, data planes keep the configuration that they have:
 * without EndpointSlices every backend would have no endpoint, without BackendTLSPolicies requests would leave without TLS. Sorted.
 */
export function findUnreadKinds({ completeness, rulebook }: World): readonly string[] {
  const policies = rulebook.kinds.flatMap(({ definition }) =>
    definition.policies.some(isCarriedOut) ? definition.policies : [],
  );
  return [...OF_GATEWAYS, ENDPOINT_SLICE, ...policies]
    .filter((kind) => !isCompleteForAll(completeness, kind))
    .map((kind) => kindId(kind))
    .sort();
}

import { GATEWAY_API } from "../model/kinds.ts";
import { type GroupKind, kindId } from "../model/refs.ts";
import { BACKEND_TRAFFIC_POLICY } from "../retry/retry-budget.ts";

/** The policy kinds that the gateway configuration has, so that every data plane carries them out. Joined kinds are carried out together. */
const CARRIED_OUT: readonly GroupKind[] = [
  { group: "prevail.dev", kind: "RetryPolicy" },
  { group: GATEWAY_API, kind: "BackendTLSPolicy" },
  BACKEND_TRAFFIC_POLICY,
];

const IDS: ReadonlySet<string> = new Set(CARRIED_OUT.map((kind) => kindId(kind)));

/** True if every data plane of this project carries the kind out. */
export const isCarriedOut = (kind: GroupKind): boolean => IDS.has(kindId(kind));

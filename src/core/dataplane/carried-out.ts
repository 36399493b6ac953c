import { GATEWAY_API } from "../model/kinds.ts";
import type { GroupKind } from "../model/refs.ts";
import { BACKEND_TRAFFIC_POLICY } from "../retry/retry-budget.ts";

/** The policy kinds that the gateway configuration has, so that every data plane carries them out. Joined kinds are carried out together. */
export const CARRIED_OUT: readonly GroupKind[] = [
  { group: "prevail.dev", kind: "RetryPolicy" },
  { group: GATEWAY_API, kind: "BackendTLSPolicy" },
  BACKEND_TRAFFIC_POLICY,
];

/** Definitions and objects that the tests of RFC 9 share. */
import type { JsonObject } from "../../../src/core/model/json.ts";
import { type Cluster, cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route } from "../../support/cluster/gateway-objects.ts";

export const group = "kuadrant.example.io";

export const auth = (name: string, on: string, spec: JsonObject, created?: number) =>
  policy("AuthPolicy", name, on, spec, { group, ...(created === undefined ? {} : { created }) });

export const rateLimit = (name: string, on: string, spec: JsonObject) =>
  policy("RateLimitPolicy", name, on, spec, { group });

export const definitions = ["auth-policy", "rate-limit-policy"];

export const network = [gateway("g"), route("r", "Gateway/g", { rules: [{ name: "rule" }] })];

export const at = "Gateway/g > HTTPRoute/r";

/** The policy `gw` on the Gateway, the policy `rt` on the HTTPRoute. */
export function compared(higher: JsonObject, lower: JsonObject, kind = "AuthPolicy"): Cluster {
  const on = kind === "AuthPolicy" ? auth : rateLimit;
  return cluster([...network, on("gw", "Gateway/g", higher), on("rt", "HTTPRoute/r", lower)], { definitions });
}

export const made = (...policies: readonly JsonObject[]) => cluster([...network, ...policies], { definitions });

/** The effective policy of the route, as AuthPolicies make it. */
export const effective = (...policies: readonly JsonObject[]) => made(...policies).spec(at, { kind: "AuthPolicy" });

export const specOf = (both: Cluster, kind = "AuthPolicy") => both.spec(at, { kind });

export const sourcesOf = (both: Cluster, kind = "AuthPolicy") => both.sources(at, { kind });

export const outcomes = (both: Cluster) => ({ gw: both.outcome("gw"), rt: both.outcome("rt") });

/** `rules: {authentication: …}`, which most rows are about. */
export const authn = (rules: JsonObject): JsonObject => ({ rules: { authentication: rules } });

export const merge = (spec: JsonObject): JsonObject => ({ strategy: "merge", ...spec });

export const ab: JsonObject = { rules: { authentication: { a: "G" }, authorization: { b: "G" } } };

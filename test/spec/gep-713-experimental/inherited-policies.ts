/** Definitions and objects that the tests of GEP-713 experimental share. */
import type { MergeRules } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { policy, route } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

export const field: MergeRules["granularity"] = { default: "Field", field: "strategy", values: {} };

export const inherited: Partial<MergeRules> = { granularity: field, bare: "Direct", sameTarget: "OldestWins" };

export const cdnPolicy = (name: string, on: string | JsonObject, spec: JsonObject) =>
  policy("CDNCachingPolicy", name, on, spec, { group: "networking.example.net" });

export const exampleRoute = (own?: readonly string[]) =>
  route("example", "Gateway/example", { namespace: "appns", ...(own === undefined ? {} : { spec: { retryOn: own } }) });

/** A kind that targets and affects Gateways: the smallest that can show precedence. */
export const timeout = policyKind("TimeoutPolicy", {
  targets: ["Namespace", "Gateway", "HTTPRoute"],
  ends: ["Gateway", "HTTPRoute"],
  namespacesAbove: ["Gateway"],
  targeting: { refs: "One", crossNamespace: "ReferenceGrant" },
  merge: inherited,
});

export const timeoutPolicy = (name: string, on: string, spec: JsonObject, created?: number) =>
  policy("TimeoutPolicy", name, on, spec, created === undefined ? {} : { created });

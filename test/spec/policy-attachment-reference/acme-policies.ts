/** Definitions and objects that the tests of Policy attachment reference share. */
import type { MergeRules } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, routeTo, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

const field: MergeRules["granularity"] = { default: "Field", field: "strategy", values: {} };

/** What the page says of every inherited kind: fields merge one by one, "first created wins", no block is a Direct policy. */
export const inherited: Partial<MergeRules> = { granularity: field, bare: "Direct", sameTarget: "OldestWins" };

/** The page's AcmeServicePolicy, taken down to Services: three levels. */
export const acme = policyKind("AcmeServicePolicy", {
  targets: ["Gateway", "HTTPRoute", "Service"],
  ends: ["Service"],
  targeting: { refs: "One" },
  merge: { ...inherited, atomicPaths: ["annotations"] },
});

export const acmePolicy = (name: string, on: string, spec: JsonObject, created?: number) =>
  policy("AcmeServicePolicy", name, on, spec, created === undefined ? {} : { created });

export const ingress = [gateway("g"), routeTo("r", "Gateway/g", "s"), service("s")];

export const acmeSpec = (...policies: readonly JsonObject[]) =>
  cluster([...ingress, ...policies], { definitions: [acme] }).spec("Service/s");

export const retryFilter = (codes?: readonly string[]): JsonObject => ({
  type: "RetryFilter",
  ...(codes === undefined ? {} : { retryOn: codes }),
});

export const filteredRoute = (...filters: readonly JsonObject[]) =>
  route("example", "Gateway/example", { namespace: "appns", rules: [{ fields: { filters } }] });

export const retryOnPolicy = (name: string, on: string, spec: JsonObject, created = 0) =>
  policy("RetryOnPolicy", name, on, spec, { group: "networking.example.io", namespace: "appns", created });

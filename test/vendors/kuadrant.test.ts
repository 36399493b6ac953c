import { describe } from "vitest";
import { policy } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { vendorCases } from "./vendor-cases.ts";

const group = "kuadrant.io";
const dns = (name: string, on: string, spec: { readonly [key: string]: number }, created = 0) =>
  policy("DNSPolicy", name, on, spec, { group, created });

describe.each(["istio.io/gateway-controller", "gateway.envoyproxy.io/gatewayclass-controller"])(
  "Kuadrant behind %s: DNSPolicy and TLSPolicy act for each listener",
  (controller) => {
    vendorCases(directCluster(controller), [
      ...directKindCases({
        group,
        kind: "DNSPolicy",
        ancestor: "",
        target: "Gateway/g",
        at: "Gateway/g#b",
        wrong: "HTTPRoute/r",
        spec: { a: 1 },
        other: { b: 1 },
      }),
      ...directKindCases({
        group,
        kind: "TLSPolicy",
        ancestor: "",
        target: "Gateway/g",
        at: "Gateway/g#b",
        wrong: "Service/s",
        spec: { issuerRef: { name: "one" } },
        other: { issuerRef: { name: "two" } },
      }),
      {
        what: "a listener's policy replaces the Gateway's there",
        objects: [dns("g1", "Gateway/g", { ttl: 1 }), dns("l1", "Gateway/g#a", { ttl: 2 }, 1)],
        effective: { "Gateway/g#a": { ttl: 2 }, "Gateway/g#b": { ttl: 1 } },
        outcomes: { g1: "Enforced", l1: "Enforced" },
      },
      {
        what: "a policy for each listener leaves nothing to the Gateway's",
        objects: [
          dns("g1", "Gateway/g", { ttl: 1 }),
          dns("l1", "Gateway/g#a", { ttl: 2 }, 1),
          dns("l2", "Gateway/g#b", { ttl: 3 }, 1),
        ],
        outcomes: { g1: "Overridden by l1, l2", l1: "Enforced", l2: "Enforced" },
      },
    ]);
  },
);

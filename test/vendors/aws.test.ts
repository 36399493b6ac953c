import { describe } from "vitest";
import { policy } from "../support/cluster/gateway-objects.ts";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { namedCases } from "./named-kind-cases.ts";
import { vendorCases } from "./vendor-cases.ts";

const group = "application-networking.k8s.aws";

describe("AWS Gateway API controller: one target, the oldest policy", () => {
  vendorCases(directCluster("application-networking.k8s.aws/gateway-api-controller"), [
    ...directKindCases({
      group,
      kind: "TargetGroupPolicy",
      ancestor: "",
      target: "Service/s",
      wrong: "HTTPRoute/r",
      spec: { protocol: "HTTPS" },
      other: { protocol: "HTTP" },
    }),
    ...directKindCases({
      group,
      kind: "VpcAssociationPolicy",
      ancestor: "",
      target: "Gateway/g",
      wrong: "HTTPRoute/r",
      spec: { associateWithVpc: true },
      other: { associateWithVpc: false },
    }),
    ...directKindCases({
      group,
      kind: "IAMAuthPolicy",
      ancestor: "",
      target: "HTTPRoute/r",
      wrong: "Service/s",
      spec: { policy: "{}" },
      other: { policy: "[]" },
    }),
    {
      what: "an IAMAuthPolicy on the Gateway and one on the route both take effect: they protect different things",
      objects: [
        policy("IAMAuthPolicy", "network", "Gateway/g", { policy: "n" }, { group }),
        policy("IAMAuthPolicy", "service", "HTTPRoute/r", { policy: "s" }, { group }),
      ],
      outcomes: { network: "Enforced", service: "Enforced" },
    },
    {
      what: "an AccessLogPolicy on the Gateway and one on the route both write logs",
      objects: [
        policy("AccessLogPolicy", "network", "Gateway/g", { destinationArn: "n" }, { group }),
        policy("AccessLogPolicy", "service", "HTTPRoute/r", { destinationArn: "s" }, { group }),
      ],
      effective: { "Gateway/g": { destinationArn: "n" }, "HTTPRoute/r": { destinationArn: "s" } },
      outcomes: { network: "Enforced", service: "Enforced" },
    },
  ]);
});

describe("AWS Load Balancer Controller: what objects name", () => {
  const controller = "gateway.k8s.aws/alb";
  vendorCases(
    [],
    [
      ...namedCases({ group: "gateway.k8s.aws", kind: "ListenerRuleConfiguration", controller, by: "Filter" }),
      ...namedCases({ group: "gateway.k8s.aws", kind: "LoadBalancerConfiguration", controller, by: "Parameters" }),
    ],
  );
});

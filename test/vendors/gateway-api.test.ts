import { describe } from "vitest";
import { directCluster, directKindCases } from "./direct-kind-cases.ts";
import { vendorCases } from "./vendor-cases.ts";

describe("Gateway API: BackendLBPolicy of older clusters", () => {
  vendorCases(
    directCluster("example.com/any"),
    directKindCases({
      group: "gateway.networking.k8s.io",
      kind: "BackendLBPolicy",
      target: "Service/s",
      wrong: "HTTPRoute/r",
      spec: { sessionPersistence: { sessionName: "a" } },
      other: { sessionPersistence: { sessionName: "b" } },
      ancestor: "Gateway/g",
    }),
  );
});

import { describe } from "vitest";
import { namedCases } from "./named-kind-cases.ts";
import { vendorCases } from "./vendor-cases.ts";

describe("Traefik: filters of rules name Middlewares", () => {
  vendorCases(
    [],
    namedCases({ group: "traefik.io", kind: "Middleware", controller: "traefik.io/gateway-controller", by: "Filter" }),
  );
});

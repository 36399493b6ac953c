import { expect, test } from "vitest";
import { unavailableStatus } from "./unavailable-status.ts";

test.each([
  ["HTTPRoute", 500],
  ["GRPCRoute", 503],
])("an invalid backend of a %s: %i", (kind, status) => {
  const route = { group: "gateway.networking.k8s.io", kind, namespace: "a", name: "r" };
  expect(unavailableStatus({ route })).toBe(status);
});

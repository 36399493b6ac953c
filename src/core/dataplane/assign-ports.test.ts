import { expect, test } from "vitest";
import { dataplane, listener } from "../../../test/support/gateway/dataplane-config.ts";
import { assignPorts } from "./assign-ports.ts";
import type { GatewayConfig } from "./gateway-config.ts";

const gateway = (name: string, ...ports: readonly number[]): readonly GatewayConfig[] =>
  dataplane(ports.map((port) => ({ port, listeners: [listener({}, { name: `l${port}` })] }))).gateways.map((one) => ({
    ...one,
    gateway: { ...one.gateway, name },
  }));

const outcome = (gateways: readonly GatewayConfig[], map: Readonly<Record<number, number>> = {}) => {
  const { assigned, conflicts } = assignPorts(gateways, (_, port) => ({ host: "127.0.0.1", port: map[port] ?? port }));
  return {
    served: assigned.map(({ gateway: { name }, config: { port } }) => `${name}:${port}`),
    conflicts: conflicts.map(({ message }) => message),
  };
};

test("of two Gateways that need one port the first is served", () => {
  expect(outcome([...gateway("a", 80, 443), ...gateway("b", 80, 81)])).toEqual({
    served: ["a:80", "a:443", "b:81"],
    conflicts: [
      "port 80 (listener l80) of Gateway bakery/b is not opened: Gateway bakery/a uses the same port; change one of the two",
    ],
  });
});

test("two ports may be mapped to one", () => {
  expect(outcome(gateway("a", 80, 8080), { 80: 8080 })).toEqual({
    served: ["a:80"],
    conflicts: [
      "port 8080 (listener l8080) of Gateway bakery/a is not opened: Gateway bakery/a uses 127.0.0.1, port 8080 for its port 80; change one of the two",
    ],
  });
});

test("any free port is never in conflict", () => {
  expect(outcome([...gateway("a", 80), ...gateway("b", 80)], { 80: 0 }).served).toEqual(["a:80", "b:80"]);
});

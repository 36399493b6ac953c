/** Kubernetes, "Service", `targetPort` */
import { describe, expect, test } from "vitest";
import { ADMIN_PORT, type PortMode, podPorts, STATUS_PORT } from "./pod-ports.ts";

describe("the ports of a Pod", () => {
  for (const [name, ports, mode, expected] of [
    ["below 1024 are opened 10,000 higher", [80, 443, 8080], "Shifted", { 80: 10_080, 443: 10_443, 8080: 8080 }],
    ["are moved further where a listener has the port", [80, 10_080], "Shifted", { 80: 20_080, 10080: 10_080 }],
    ["are those of the listeners where Pods may open them", [80, 443], "AsListeners", { 80: 80, 443: 443 }],
    [
      "that Envoy itself needs are moved",
      [ADMIN_PORT, STATUS_PORT],
      "AsListeners",
      { [ADMIN_PORT]: 29_000, [STATUS_PORT]: 29_001 },
    ],
  ] as const satisfies readonly (readonly [string, readonly number[], PortMode, Record<number, number>])[]) {
    test(name, () => {
      const sorted = Object.entries(expected).map(([port, target]) => [Number(port), target]);
      expect([...podPorts(ports, mode)].sort((a, b) => a[0] - b[0])).toEqual(sorted);
    });
  }

  test("are distinct, valid and not privileged for any set of listeners", () => {
    const busy = [80, 443, 1023, ...Array.from({ length: 6 }, (_, index) => 80 + (index + 1) * 10_000)];
    const ports = podPorts(busy, "Shifted");
    expect(ports.size).toBe(busy.length);
    expect(new Set(ports.values()).size).toBe(busy.length);
    for (const port of ports.values()) {
      expect(port).toBeGreaterThanOrEqual(1024);
      expect(port).toBeLessThanOrEqual(65_535);
      expect([ADMIN_PORT, STATUS_PORT]).not.toContain(port);
    }
  });

  test("are found, or known to be missing, however many ports listeners have", () => {
    const all = Array.from({ length: 65_535 - 1023 }, (_, index) => 1024 + index);
    const most = podPorts([80, 443, ...all.filter((port) => port !== 1030)], "Shifted");
    expect(most.get(80)).toBe(1030);
    expect(most.has(443)).toBe(false);
  });
});

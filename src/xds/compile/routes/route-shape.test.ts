import { expect, test } from "vitest";
import { VirtualHostSchema } from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { create } from "../../protobuf.ts";
import { type ListenerName, routeConfigName } from "../resource-names.ts";
import type { CompiledHosts } from "./compile-virtual-hosts.ts";
import { createShapeMemory } from "./route-shape.ts";

const NAME = routeConfigName("bakery/door:80" as ListenerName);

const hosts = (count: number, canHaveScopes = true): CompiledHosts => ({
  hosts: Array.from({ length: count }, () => ({ host: create(VirtualHostSchema, {}), uses: [], problems: [] })),
  wildcards: [],
  canHaveScopes,
});

test("many hosts have a scope each, and few share one; in between it stays as it is", () => {
  const shapes = createShapeMemory(10);
  const shapesOf = [1, 9, 10, 9, 5, 4, 9, 10].map((count) => {
    shapes.see(NAME, hosts(count));
    return `${count} ${shapes.find(NAME)}`;
  });
  expect(shapesOf).toEqual([
    "1 Shared",
    "9 Shared",
    "10 Scoped",
    "9 Scoped",
    "5 Scoped",
    "4 Shared",
    "9 Shared",
    "10 Scoped",
  ]);
});

test("with a wildcard whose routes have filters they share one, however many there are", () => {
  const shapes = createShapeMemory(10);
  shapes.see(NAME, hosts(100, false));
  expect(shapes.find(NAME)).toBe("Shared");
  shapes.see(NAME, hosts(100));
  expect(shapes.find(NAME)).toBe("Scoped");
  shapes.see(NAME, hosts(100, false));
  expect(shapes.find(NAME)).toBe("Shared");
});

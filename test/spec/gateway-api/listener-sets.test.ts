/**
 * Gateway API, "ListenerSets"
 * GEP-1713, "Route Attachment"
 * GEP-1713, "Gateway & ListenerSet Handshake"
 */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, listener, listenerSet, policy, route, routeTo } from "../../support/cluster/gateway-objects.ts";
import { everywhere, reaching, under } from "./path-policies.ts";

describe("ListenerSets", () => {
  const chains = (allowedListeners: "All" | "Same" | "None" | undefined, setNamespace = "infra") =>
    under(
      ["HTTPRoute"],
      gateway("g", { namespace: "infra", ...(allowedListeners === undefined ? {} : { allowedListeners }) }),
      listenerSet("ls", "Gateway/infra/g", { namespace: setNamespace }),
      route("r", `ListenerSet/${setNamespace}/ls`, { namespace: setNamespace }),
    ).chains();

  for (const [allowed, inside, outside] of [
    [undefined, 0, 0],
    ["None", 0, 0],
    ["Same", 1, 0],
    ["All", 1, 1],
  ] as const) {
    test(`allowedListeners from ${allowed ?? "left out means None"}`, () => {
      expect([chains(allowed).length, chains(allowed, "apps").length]).toEqual([inside, outside]);
    });
  }

  test("a route under the Gateway is not under its ListenerSets", () => {
    const made = under(
      ["HTTPRoute"],
      gateway("g", { allowedListeners: "Same" }),
      listenerSet("ls", "Gateway/g"),
      routeTo("r", "Gateway/g"),
    );
    expect(made.chains()).toEqual(["Gateway/g > HTTPRoute/r"]);
  });

  test("the identity of a listener is its owner and its name", () => {
    const made = cluster(
      [
        everywhere,
        gateway("g", { allowedListeners: "Same", listeners: [listener("same")] }),
        listenerSet("ls", "Gateway/g", { listeners: [listener("same", { port: 81 })] }),
        routeTo("r1", "Gateway/g"),
        routeTo("r2", "ListenerSet/ls"),
        policy("LocalPolicy", "on-set", "ListenerSet/ls#same", { x: 2 }),
      ],
      { definitions: [reaching("HTTPRoute")] },
    );
    expect(made.spec("Gateway/g#same > HTTPRoute/r1")).toEqual({ x: 1 });
    expect(made.spec("ListenerSet/ls#same > HTTPRoute/r2")).toEqual({ x: 2 });
  });
});

import { expect, test } from "vitest";
import { gateway, type ListenerOptions, listener } from "../../../test/support/cluster/gateway-objects.ts";
import { kubeObject } from "../../../test/support/cluster/kube-objects.ts";
import { findKind, kinds } from "../model/kinds.ts";
import { distinctListeners } from "./distinct-listeners.ts";
import { listenersOf } from "./listeners-of.ts";

type Row = readonly [name: string, options: ListenerOptions];

/** The names of those that are accepted. */
function accepted(...owners: readonly (readonly Row[])[]): readonly string[] {
  const facts = findKind(kinds, "Gateway");
  if (facts === undefined) throw new Error("Gateway is built in");
  const listeners = owners.map((rows, at) => {
    const owner = kubeObject(gateway(`g${at}`, { listeners: rows.map(([name, options]) => listener(name, options)) }));
    return listenersOf(owner, facts, "Listener").map((one) => ({ owner, listener: one }));
  });
  const { accepted: kept, refused } = distinctListeners(listeners);
  expect(kept.length + refused.length).toBe(owners.flat().length);
  return kept.map(({ listener: { name } }) => name);
}

test.each<[string, readonly Row[], readonly string[]]>([
  [
    "other ports",
    [
      ["a", { port: 80 }],
      ["b", { port: 81 }],
    ],
    ["a", "b"],
  ],
  [
    "other hostnames",
    [
      ["a", { hostname: "a.b" }],
      ["b", { hostname: "c.b" }],
      ["c", {}],
    ],
    ["a", "b", "c"],
  ],
  [
    "the same hostname, in other letters",
    [
      ["a", { hostname: "a.b" }],
      ["b", { hostname: "A.B" }],
    ],
    [],
  ],
  [
    "no hostname twice, and another that is distinct",
    [
      ["a", {}],
      ["b", {}],
      ["c", { hostname: "a.b" }],
    ],
    ["c"],
  ],
  [
    "HTTP and HTTPS on one port, whatever the hostnames",
    [
      ["a", { hostname: "a.b" }],
      ["b", { protocol: "HTTPS", hostname: "c.b" }],
    ],
    [],
  ],
  [
    "HTTPS and TLS on one port, by hostname",
    [
      ["a", { protocol: "HTTPS", hostname: "a.b" }],
      ["b", { protocol: "TLS", hostname: "c.b" }],
    ],
    ["a", "b"],
  ],
  [
    "HTTPS and TLS for one hostname",
    [
      ["a", { protocol: "HTTPS" }],
      ["b", { protocol: "TLS" }],
    ],
    [],
  ],
  [
    "HTTP and TCP on one port",
    [
      ["a", {}],
      ["b", { protocol: "TCP" }],
    ],
    [],
  ],
  [
    "HTTP and UDP on one port",
    [
      ["a", {}],
      ["b", { protocol: "UDP" }],
    ],
    ["a", "b"],
  ],
  [
    "TCP twice: hostnames do not distinguish listeners",
    [
      ["a", { protocol: "TCP", hostname: "a.b" }],
      ["b", { protocol: "TCP", hostname: "c.b" }],
    ],
    [],
  ],
  [
    "ports that are yet to be chosen",
    [
      ["a", { port: 0 }],
      ["b", { port: 0 }],
    ],
    ["a", "b"],
  ],
])("Gateway API, Listeners: distinct › %s", (_, rows, names) => {
  expect(accepted(rows)).toEqual(names);
});

test("GEP-1713: the earlier owner wins; a listener that it refused among its own does not block others", () => {
  expect(
    accepted(
      [["a", {}]],
      [
        ["b", {}],
        ["c", { hostname: "c.b" }],
      ],
      [["d", { hostname: "c.b" }]],
    ),
  ).toEqual(["a", "c"]);
  expect(accepted([["a", {}]], [["b", { protocol: "HTTPS", hostname: "x.y" }]])).toEqual(["a"]);
  expect(
    accepted(
      [
        ["a", {}],
        ["b", {}],
      ],
      [["c", {}]],
    ),
  ).toEqual(["c"]);
});

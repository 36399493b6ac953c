/** GEP-713 experimental, "Hierarchy" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { fruit, gateway, policy, routeTo } from "../../support/cluster/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../../support/cluster/policy-kind.ts";
import { cdnPolicy, inherited } from "./inherited-policies.ts";

describe("Hierarchy", () => {
  const kinds = ["Alpha", "Beta", "Gamma"];
  const definition = policyKind("LevelPolicy", {
    targets: kinds,
    ends: ["Gamma"],
    ...chainOfKinds(kinds),
    merge: inherited,
  });
  const objects = [
    fruit("Alpha/x", { children: [{ kind: "Beta", name: "x" }] }),
    fruit("Beta/x", { children: [{ kind: "Gamma", name: "x" }] }),
    fruit("Gamma/x"),
  ];
  const order = [
    ["Alpha", "override"],
    ["Beta", "override"],
    ["Gamma", "override"],
    ["Gamma", "default"],
    ["Beta", "default"],
    ["Alpha", "default"],
  ] as const;

  for (const [i, [kind, block]] of order.entries()) {
    test(`A override > B override > C override > C default > B default > A default: ${kind} ${block}`, () => {
      const policies = order
        .slice(i)
        .map(([on, name]) =>
          policy("LevelPolicy", `${on}-${name}`.toLowerCase(), `${on}/x`, { [name]: { v: `${on} ${name}` } }),
        );
      const made = cluster([...objects, ...policies], { definitions: [definition] });
      expect(made.spec("Alpha/x > Beta/x > Gamma/x")).toEqual({ v: `${kind} ${block}` });
      const source = made.source("Gamma/x", "/v");
      expect(source.held).toBe(`${kind.toLowerCase()}-${block} ${block}s`);
      expect(source.lost).toHaveLength(order.length - i - 1);
      expect(made.outcome(`${kind}-${block}`.toLowerCase())).toBe("Enforced");
    });
  }

  test("the same order for five levels, each taken away in turn", () => {
    const five = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"];
    const deep = policyKind("LevelPolicy", {
      targets: five,
      ends: ["Epsilon"],
      ...chainOfKinds(five),
      merge: inherited,
    });
    const objectsOfFive = five.map((kind, i) =>
      fruit(`${kind}/x`, five[i + 1] === undefined ? {} : { children: [{ kind: five[i + 1] ?? "", name: "x" }] }),
    );
    const wanted = [
      ...five.map((kind) => ({ kind, block: "override" })),
      ...five.toReversed().map((kind) => ({ kind, block: "default" })),
    ];
    for (let i = 0; i < wanted.length; i++) {
      const policies = wanted
        .slice(i)
        .map(({ kind, block }) =>
          policy("LevelPolicy", `${kind}-${block}`.toLowerCase(), `${kind}/x`, { [block]: { v: `${kind} ${block}` } }),
        );
      const made = cluster([...objectsOfFive, ...policies], { definitions: [deep] });
      expect(made.spec("Alpha/x > Epsilon/x")).toEqual({ v: `${wanted[i]?.kind} ${wanted[i]?.block}` });
    }
  });

  test("Supported Resources: a kind says what it may be attached to", () => {
    const made = cluster([...objects, gateway("g"), policy("LevelPolicy", "p", "Gateway/g", { default: { v: 1 } })], {
      definitions: [definition],
    });
    expect(made.outcome("p")).toBe("TargetNotFound");
    expect(made.message("p")).toContain("it can target: Alpha, Beta, Gamma");
  });

  test("Attaching Policy to GatewayClass: it must be cluster scoped", () => {
    const classes = policyKind("ClassPolicy", {
      joined: [{ group: "example.com", kind: "ClusterClassPolicy", scope: "Cluster" }],
      targets: ["GatewayClass", "Gateway"],
      ends: ["Gateway"],
      merge: inherited,
    });
    const made = cluster(
      [
        gateway("g"),
        policy("ClassPolicy", "local", "GatewayClass/class", { override: { x: "local" } }),
        policy("ClusterClassPolicy", "whole", "GatewayClass/class", { default: { x: "whole" } }, { namespace: "" }),
      ],
      { definitions: [classes] },
    );
    expect(made.spec("GatewayClass/class > Gateway/g")).toEqual({ x: "whole" });
    expect(made.conditions("whole")).toEqual(["GatewayClass/class: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(made.conditions("local")).toEqual(["GatewayClass/class: Accepted=False/TargetNotFound"]);
  });

  test("the Gateway requires cdn to be enabled, the Route changes includeQueryString", () => {
    const { targetRef: _, ...spec } = {
      default: { cdn: { cachePolicy: { includeQueryString: false } } },
      targetRef: {},
    };
    const made = cluster(
      [
        gateway("example"),
        routeTo("example", "Gateway/example"),
        cdnPolicy(
          "on-gateway",
          { kind: "Gateway", name: "example" },
          {
            override: { cdn: { enabled: true } },
            default: { cdn: { cachePolicy: { includeHost: true, includeProtocol: true, includeQueryString: true } } },
          },
        ),
        // The GEP's example carries a `type: direct` that its own API does not have: it means nothing.
        cdnPolicy("on-route", { type: "direct", kind: "HTTPRoute", name: "example" }, spec),
      ],
      { definitions: ["cdn-caching-policy"] },
    );
    expect(made.spec("Gateway/example > HTTPRoute/example")).toEqual({
      cdn: { enabled: true, cachePolicy: { includeHost: true, includeProtocol: true, includeQueryString: false } },
    });
    expect(made.outcome("on-gateway")).toBe("PartiallyEnforced by on-route");
    expect(made.outcome("on-route")).toBe("Enforced");
  });

  test("drainTimeout by the Gateway's override, connectionTimeout by the Route's default", () => {
    const made = cluster(
      [
        gateway("g"),
        routeTo("r", "Gateway/g"),
        cdnPolicy("gp", "Gateway/g", { override: { drainTimeout: "10s" }, default: { connectionTimeout: "60s" } }),
        cdnPolicy("rp", "HTTPRoute/r", { default: { drainTimeout: "5s", connectionTimeout: "30s" } }),
      ],
      { definitions: ["cdn-caching-policy"] },
    );
    expect(made.sources("HTTPRoute/r")).toEqual({
      "/connectionTimeout": {
        held: "rp defaults",
        by: "gp defaults FieldDefaults",
        lost: ['gp defaults "60s" replaced by rp'],
      },
      "/drainTimeout": {
        held: "gp overrides",
        by: "gp overrides FieldOverrides",
        lost: ['rp defaults "5s" overridden by gp'],
      },
    });
    expect(made.spec("HTTPRoute/r")).toEqual({ drainTimeout: "10s", connectionTimeout: "30s" });
  });
});

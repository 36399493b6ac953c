/** RFC 9, "Apply policies to a Gateway (root object) and all objects beneath" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, listener, route } from "../../support/cluster/gateway-objects.ts";
import { auth, authn, definitions, merge, network, rateLimit, specOf } from "./compare-policies.ts";

describe("Apply policies to a Gateway (root object) and all objects beneath", () => {
  const two = [
    gateway("g", { listeners: [listener("one"), listener("two", { port: 81 })] }),
    route("r", "Gateway/g#one", { rules: [{ name: "rule" }] }),
    route("q", "Gateway/g#two", { rules: [{ name: "first" }, { name: "second" }] }),
  ];

  test("for each route: list all policies that affect it, sort from lowest to highest, merge each into ep", () => {
    const both = cluster(
      [
        ...two,
        auth("gw", "Gateway/g", { defaults: merge(authn({ gw: 1, all: "gw" })) }),
        auth("ln", "Gateway/g#two", { defaults: merge(authn({ ln: 1, all: "ln" })) }),
        auth("rt", "HTTPRoute/q", { defaults: merge(authn({ rt: 1, all: "rt" })) }),
        auth("rl", "HTTPRoute/q#first", { defaults: merge(authn({ rl: 1, all: "rl" })) }),
      ],
      { definitions },
    );
    const spec = (path: string) => both.spec(path, { kind: "AuthPolicy" });
    expect(spec("HTTPRoute/r#rule")).toEqual(authn({ gw: 1, all: "gw" }));
    expect(spec("HTTPRoute/q#first")).toEqual(authn({ gw: 1, ln: 1, rt: 1, rl: 1, all: "rl" }));
    expect(spec("HTTPRoute/q#second")).toEqual(authn({ gw: 1, ln: 1, rt: 1, all: "rt" }));
  });

  test("route rules not targeted by any policy have the Gateway's", () => {
    const both = cluster(
      [...two, auth("gw", "Gateway/g", authn({ a: "G" })), auth("rl", "HTTPRoute/q#first", authn({ b: "R" }))],
      { definitions },
    );
    const spec = (path: string) => both.spec(path, { kind: "AuthPolicy" });
    expect(spec("HTTPRoute/q#first")).toEqual(authn({ b: "R" }));
    expect(spec("HTTPRoute/q#second")).toEqual(authn({ a: "G" }));
    expect(spec("HTTPRoute/r#rule")).toEqual(authn({ a: "G" }));
    expect(both.outcome("gw")).toBe("PartiallyEnforced by rl");
    expect(both.tally("gw")).toEqual({ paths: 3, full: 2, partial: 0, none: 1, met: 0 });
  });

  test("two policy kinds do not meet", () => {
    const both = cluster(
      [
        ...network,
        auth("gw", "Gateway/g", { overrides: authn({ a: "G" }) }),
        rateLimit("rt", "HTTPRoute/r", { limits: { a: 1 } }),
      ],
      {
        definitions,
      },
    );
    expect(specOf(both, "AuthPolicy")).toEqual(authn({ a: "G" }));
    expect(specOf(both, "RateLimitPolicy")).toEqual({ limits: { a: 1 } });
  });
});

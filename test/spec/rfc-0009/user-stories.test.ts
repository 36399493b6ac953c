/** RFC 9, "User stories" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, route } from "../../support/cluster/gateway-objects.ts";
import {
  auth,
  authn,
  compared,
  definitions,
  effective,
  merge,
  outcomes,
  sourcesOf,
  specOf,
} from "./compare-policies.ts";

describe("User stories", () => {
  const unrelated = authn({ own: "R" });
  /** Each story, as a row: the Platform Engineer's policy, the Application Developer's, the outcome, what becomes of both. */
  for (const [id, higher, lower, expected, gw, rt] of [
    [
      "gateway-default-policy",
      { defaults: authn({ a: "G" }) },
      unrelated,
      { own: "R" },
      "Overridden by rt",
      "Enforced",
    ],
    [
      "gateway-default-policy-rule",
      { defaults: merge(authn({ a: "G", own: "G" })) },
      unrelated,
      { a: "G", own: "R" },
      "PartiallyEnforced by rt",
      "Enforced",
    ],
    [
      "policy-constraints",
      { overrides: merge({ when: "spec.rules.authentication.own > 10", ...authn({ own: 10 }) }) },
      authn({ own: 11 }),
      { own: 10 },
      "Enforced",
      "Overridden by gw",
    ],
    [
      "gateway-override-policy",
      { overrides: authn({ a: "G" }) },
      unrelated,
      { a: "G" },
      "Enforced",
      "Overridden by gw",
    ],
    [
      "gateway-override-policy-rule",
      { overrides: merge(authn({ a: "G" })) },
      authn({ a: "R", own: "R" }),
      { a: "G", own: "R" },
      "Enforced",
      "PartiallyEnforced by gw",
    ],
    ["route-replace-policy", authn({ a: "G", b: "G" }), unrelated, { own: "R" }, "Overridden by rt", "Enforced"],
    [
      "route-add-policy-rule",
      { defaults: merge(authn({ a: "G" })) },
      unrelated,
      { a: "G", own: "R" },
      "Enforced",
      "Enforced",
    ],
    [
      "route-disable-policy-rule",
      { defaults: merge(authn({ a: "G", b: "G" })) },
      { ...unrelated, remove: ["a"] },
      { b: "G", own: "R" },
      "PartiallyEnforced by rt",
      "Enforced",
    ],
  ] as const) {
    test(id, () => {
      const both = compared(higher, lower);
      expect(specOf(both)).toEqual(authn(expected));
      expect(outcomes(both)).toEqual({ gw, rt });
    });
  }

  test("gateway-default-policy: a route without a policy of its own has it", () => {
    expect(effective(auth("gw", "Gateway/g", { defaults: authn({ a: "G" }) }))).toEqual(authn({ a: "G" }));
  });

  test("declared in the past or in the future: between levels age does not matter", () => {
    for (const [g, r] of [
      [0, 1],
      [1, 0],
    ] as const) {
      expect(
        effective(
          auth("gw", "Gateway/g", { overrides: authn({ a: "G" }) }, g),
          auth("rt", "HTTPRoute/r", authn({ a: "R" }), r),
        ),
      ).toEqual(authn({ a: "G" }));
      expect(
        effective(
          auth("gw", "Gateway/g", { defaults: authn({ a: "G" }) }, g),
          auth("rt", "HTTPRoute/r", authn({ a: "R" }), r),
        ),
      ).toEqual(authn({ a: "R" }));
    }
  });

  test("view-effective-policy: with all active defaults and overrides, and where each came from", () => {
    const both = compared(
      { defaults: merge(authn({ a: "G" })), overrides: merge(authn({ c: "G" })) },
      authn({ b: "R" }),
    );
    expect(specOf(both)).toEqual(authn({ a: "G", b: "R", c: "G" }));
    expect(Object.values(sourcesOf(both)).map(({ held }) => held)).toEqual(["gw defaults", "rt bare", "gw overrides"]);
  });

  test("view-policy-rule-status: all default policy rules that have been replaced by more specific ones", () => {
    const both = compared({ defaults: merge(authn({ a: "G", b: "G" })) }, authn({ a: "R" }));
    const replaced = Object.entries(sourcesOf(both)).filter(([, { lost }]) =>
      lost.some((loss) => loss.startsWith("gw ")),
    );
    expect(replaced.map(([pointer]) => pointer)).toEqual(["/rules/authentication/a"]);
  });

  test("view-policy-rule-reach: all gateways and routes subject to a particular policy rule", () => {
    const both = cluster(
      [
        gateway("g"),
        gateway("h"),
        route("r", "Gateway/g", { rules: [{ name: "rule" }] }),
        route("q", "Gateway/h", { rules: [{ name: "rule" }] }),
        auth("gw", "Gateway/g", { defaults: merge(authn({ a: "G" })) }),
      ],
      { definitions },
    );
    const subject = both
      .effective("AuthPolicy")
      .filter(({ sources }) =>
        sources.some(({ pointer, policy: source }) => pointer === "/rules/authentication/a" && source !== null),
      );
    expect(subject.map(({ path }) => path.at(-1)?.name)).toEqual(["r"]);
    expect(both.affectedTargets("gw")).toEqual(["Gateway/g", "Gateway/g#http", "HTTPRoute/r", "HTTPRoute/r#rule"]);
  });
});

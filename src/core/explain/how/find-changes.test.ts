import { describe, expect, test } from "vitest";
import {
  ask,
  attempts,
  kindWith,
  noRetries,
  retry,
  routes,
  shorts,
  testPolicy,
  withTargets,
} from "../../../../test/support/cluster/ask-how.ts";
import { gateway, route, routeTo } from "../../../../test/support/cluster/gateway-objects.ts";

describe("each kind of change", () => {
  for (const [name, objects, target, settings, expected] of [
    [
      "GEP-713's parable: a policy for a whole namespace, and one route that must not be retried",
      [...routes(), retry("too-many-policies", "Namespace/default", attempts("defaults", 3))],
      "httproute/r",
      { "retry.attempts": 0 },
      [
        "SetField r +0",
        "CreatePolicy r-retry defaults +0",
        "CreatePolicy r-one-retry defaults +0",
        "CreatePolicy s-retry defaults +0",
        "CreatePolicy s-http-retry defaults +0",
        "CreatePolicy g-http-retry defaults +1",
        "CreatePolicy g-retry defaults +2",
        "ChangeValue too-many-policies defaults +2",
        "CreatePolicy class-retry overrides +2 (cluster)",
      ],
    ],
    [
      "the own field, and policies on every level of the paths, where a default takes effect",
      [...routes(), retry("house", "Gateway/g", attempts("defaults", 5))],
      "httproute/r#one",
      { "retry.attempts": 0 },
      [
        "SetField r +0",
        "CreatePolicy r-one-retry defaults +0",
        "CreatePolicy s-retry defaults +1",
        "CreatePolicy s-http-retry defaults +1",
        "CreatePolicy r-retry defaults +1",
        "CreatePolicy g-http-retry defaults +2",
        "ChangeValue house defaults +3",
        "CreatePolicy default-retry overrides +3",
        "CreatePolicy class-retry overrides +3 (cluster)",
      ],
    ],
    [
      "a policy that is there is edited instead of a new one beside it",
      [
        ...routes(),
        retry("house", "Gateway/g", attempts("defaults", 5)),
        retry("ana", "HTTPRoute/r", { defaults: { timeouts: { request: "1s" } } }),
      ],
      "httproute/r",
      { "retry.attempts": 0 },
      [
        "SetField r +0",
        "EditPolicy ana defaults +0",
        "CreatePolicy r-one-retry defaults +0",
        "CreatePolicy s-retry defaults +0",
        "CreatePolicy s-http-retry defaults +0",
        "CreatePolicy g-http-retry defaults +1",
        "ChangeValue house defaults +2",
        "CreatePolicy default-retry overrides +2",
        "CreatePolicy class-retry overrides +2 (cluster)",
      ],
    ],
    [
      "an override on a route where the default of a Service is more specific",
      [...routes(), retry("slow", "Service/s", { defaults: { timeouts: { backendRequest: "9s" } } })],
      "httproute/r",
      { "timeouts.backendRequest": "1s" },
      [
        "SetField r +0",
        "CreatePolicy s-http-timeouts defaults +0",
        "ChangeValue slow defaults +0",
        "CreatePolicy r-timeouts overrides +0",
        "CreatePolicy r-one-timeouts overrides +0",
        "CreatePolicy g-http-timeouts overrides +1",
        "CreatePolicy g-timeouts overrides +2",
        "CreatePolicy default-timeouts overrides +2",
        "CreatePolicy class-timeouts overrides +2 (cluster)",
      ],
    ],
    [
      "an override above a value that is as wanted: a condition, other targets, a default instead",
      [...routes(noRetries), retry("house", "Gateway/g", attempts("overrides", 5))],
      "httproute/r#one",
      { "retry.attempts": 0 },
      [
        "AddCondition house overrides +0",
        "NarrowTargets house overrides +0",
        "MakeDefault house overrides +0",
        "ChangeValue house overrides +3",
        "CreatePolicy default-retry overrides +3",
        "RemoveSetting house overrides +3",
        "DeletePolicy house overrides +3",
        "CreatePolicy class-retry overrides +3 (cluster)",
      ],
    ],
    [
      "an override with other settings: the condition goes into a policy of its own",
      [...routes(noRetries), retry("house", "Gateway/g", attempts("overrides", 5, { codes: [503] }))],
      "httproute/r#one",
      { "retry.attempts": 0 },
      [
        "MakeDefault house overrides +0",
        "RemoveSetting house overrides, AddCondition house-retry overrides +0",
        "MakeDefault house overrides +0",
        "AddCondition house overrides +1",
        "NarrowTargets house overrides +1",
        "ChangeValue house overrides +3",
        "CreatePolicy default-retry overrides +3",
        "RemoveSetting house overrides +3",
        "CreatePolicy class-retry overrides +3 (cluster)",
        "DeletePolicy house overrides +7",
      ],
    ],
    [
      "one of several targets of a policy is given up",
      [...routes(), withTargets(retry("both", "HTTPRoute/r", attempts("overrides", 5)), ["r", "q"])],
      "httproute/r",
      { "retry.attempts": undefined },
      ["NarrowTargets both overrides +0", "RemoveSetting both overrides +2", "DeletePolicy both overrides +2"],
    ],
    [
      "two changes, where the override leaves the decision and nothing below makes it",
      [...routes(), retry("house", "Gateway/g", attempts("overrides", 5))],
      "httproute/r#one",
      { "retry.attempts": 1 },
      [
        "SetField r, AddCondition house overrides +0",
        "ChangeValue house overrides +3",
        "CreatePolicy default-retry overrides +3",
        "CreatePolicy class-retry overrides +3 (cluster)",
      ],
    ],
    [
      "two overrides of the same setting: both change",
      [
        ...routes(),
        retry("a", "Gateway/g", attempts("overrides", 5)),
        retry("b", "HTTPRoute/r", attempts("overrides", 6)),
      ],
      "httproute/r",
      { "retry.attempts": undefined },
      [
        "EditPolicy b defaults, NarrowTargets a overrides +0",
        "RemoveSetting a overrides, RemoveSetting b overrides +2",
        "DeletePolicy a overrides, DeletePolicy b overrides +2",
      ],
    ],
    [
      "a setting is removed by `remove`, and by taking it out of the policy",
      [...routes(), retry("house", "Gateway/g", { defaults: { timeouts: { request: "1s" } } })],
      "httproute/r",
      { "timeouts.request": undefined },
      [
        "CreatePolicy r-timeouts defaults +0",
        "CreatePolicy r-one-timeouts defaults +0",
        "NarrowTargets house defaults +0",
        "CreatePolicy g-http-timeouts defaults +1",
        "RemoveSetting house defaults +2",
        "DeletePolicy house defaults +2",
      ],
    ],
    [
      "two settings at once",
      [...routes(), retry("house", "Gateway/g", { defaults: { retry: { attempts: 5 }, timeouts: { request: "9s" } } })],
      "httproute/q",
      { "retry.attempts": 0, "timeouts.request": "1s" },
      [
        "SetField q +0",
        "CreatePolicy q-retry defaults +0",
        "CreatePolicy g-http-retry defaults +4",
        "ChangeValue house defaults +4",
        "CreatePolicy default-retry overrides +4",
        "CreatePolicy class-retry overrides +4 (cluster)",
      ],
    ],
  ] as const) {
    test(name, () => {
      const answer = ask(objects, target, settings);
      expect(answer.problem).toBeUndefined();
      expect(shorts(answer)).toEqual(expected);
    });
  }
});

describe("each merge strategy", () => {
  const plain = [gateway("g"), route("r", "Gateway/g", { rules: [{ name: "one" }] }), route("q", "Gateway/g")];
  for (const [granularity, block, expected] of [
    [
      "Atomic",
      "defaults",
      [
        "CreatePolicy r-limits defaults +0",
        "CreatePolicy r-one-limits defaults +0",
        "ChangeValue house defaults +1",
        "CreatePolicy g-http-limits defaults +1",
      ],
    ],
    [
      "Atomic",
      "overrides",
      ["CreatePolicy r-limits defaults, AddCondition house overrides +0", "ChangeValue house overrides +1"],
    ],
    [
      "Merge",
      "defaults",
      [
        "CreatePolicy r-limits defaults +0",
        "CreatePolicy r-one-limits defaults +0",
        "CreatePolicy g-http-limits defaults +1",
        "ChangeValue house defaults +1",
      ],
    ],
    [
      "Merge",
      "overrides",
      [
        "CreatePolicy r-limits defaults, RemoveSetting house overrides, AddCondition house-limits overrides +0",
        "ChangeValue house overrides +1",
        "CreatePolicy r-limits defaults, AddCondition house overrides +1",
      ],
    ],
    [
      "Field",
      "defaults",
      [
        "CreatePolicy r-limits defaults +0",
        "CreatePolicy r-one-limits defaults +0",
        "CreatePolicy g-http-limits defaults +1",
        "ChangeValue house defaults +1",
      ],
    ],
    [
      "Field",
      "overrides",
      [
        "CreatePolicy r-limits defaults, RemoveSetting house overrides, AddCondition house-limits overrides +0",
        "ChangeValue house overrides +1",
        "CreatePolicy r-limits defaults, AddCondition house overrides +1",
      ],
    ],
    [
      "Patch",
      "defaults",
      [
        "CreatePolicy r-limits defaults +0",
        "CreatePolicy r-one-limits defaults +0",
        "CreatePolicy g-http-limits defaults +1",
        "ChangeValue house defaults +1",
      ],
    ],
    [
      "Patch",
      "overrides",
      [
        "CreatePolicy r-limits defaults, RemoveSetting house overrides, AddCondition house-limits overrides +0",
        "ChangeValue house overrides +1",
        "CreatePolicy r-limits defaults, AddCondition house overrides +1",
      ],
    ],
    [
      "None",
      "bare",
      [
        "CreatePolicy r-limits bare +0",
        "CreatePolicy r-one-limits bare +0",
        "ChangeValue house bare +1",
        "CreatePolicy g-http-limits bare +1",
      ],
    ],
  ] as const) {
    test(`${granularity} ${block}`, () => {
      const settings = { limits: { a: 1, b: 2 } };
      const spec = block === "bare" ? settings : { [block]: settings };
      const objects = [...plain, testPolicy("house", "Gateway/g", spec)];
      const answer = ask(objects, "httproute/r", { "limits.a": 7 }, [kindWith(granularity)]);
      expect(shorts(answer)).toEqual(expected);
    });
  }
});

describe("what is left out is listed", () => {
  test("a policy on an unnamed rule", () => {
    const answer = ask([...routes(), retry("house", "Gateway/g", attempts("defaults", 5))], "httproute/q#rule-1", {
      "retry.attempts": 0,
    });
    expect(answer.kinds[0]?.leftOut.join()).toContain("the rule has no name");
    expect(shorts(answer)[0]).toBe("SetField q +0");
  });

  test("a new policy of a kind whose version is not known", () => {
    const answer = ask(routes(), "httproute/q", { "limits.a": 1 }, [kindWith("Merge")]);
    expect(answer.kinds[0]?.leftOut.join()).toContain("its apiVersion is not known");
    expect(answer.kinds[0]?.state).toBe("Nothing");
  });

  test("more targets than a policy may have, and more objects than a change may have", () => {
    const names = [...Array(20).keys()].map((index) => `x${index}`);
    const objects = [
      ...routes(noRetries),
      ...names.map((name) => routeTo(name, "Gateway/g", "t")),
      retry("house", "Gateway/g", attempts("overrides", 5)),
    ];
    expect(ask(objects, "httproute/r#one", { "retry.attempts": 0 }).kinds[0]?.leftOut.join()).toContain("more than 16");
    const gatewayAnswer = ask(objects, "gateway/g", { "retry.attempts": 0 });
    expect(gatewayAnswer.kinds[0]?.leftOut.join()).toContain("objects: more than 8");
    expect(shorts(gatewayAnswer)[0]).toBe("ChangeValue house overrides +0");
  });
});

/**
 * GEP-713, "Targetability (“where”)"
 * How target references are resolved, and the reason for each one that is refused.
 */
import { describe, expect, test } from "vitest";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { apply, caveatsFor, reach, verdicts } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, namespace, policy, reference, route, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { field } from "../gateway-api/path-policies.ts";

describe("Targets", () => {
  const definition = policyKind("LocalPolicy", {
    targets: ["Gateway/Listener", "HTTPRoute/Rule", "Service"],
    ends: ["HTTPRoute/Rule"],
    targeting: { selectors: true },
    merge: { granularity: field },
  });
  const objects = [
    gateway("g"),
    route("r", "Gateway/g", { rules: [{ name: "named" }, {}, { name: "twice" }, { name: "twice" }] }),
    gateway("far", { namespace: "other" }),
    service("s"),
  ];
  const made = (target: JsonObject, definitions: readonly (PolicyDefinition | string)[] = [definition]) =>
    // Gateway API v1.7.0 refuses two rules of one name; earlier versions take them.
    cluster([...objects, policy("LocalPolicy", "p", target, { x: 1 })], {
      definitions,
      validated: true,
      completeness: "Complete",
    });

  const gw = "gateway.networking.k8s.io";
  const refused: readonly (readonly [name: string, target: JsonObject, message: RegExp])[] = [
    ["not found", { group: gw, kind: "Gateway", name: "absent" }, /absent/],
    ["not found: one letter off", { group: gw, kind: "HTTPRoute", name: "rr" }, /rr/],
    ["not found here, though in another namespace", { group: gw, kind: "Gateway", name: "far" }, /far/],
    ["section absent", { group: gw, kind: "Gateway", name: "g", sectionName: "https" }, /https/],
    [
      "section absent: the name of another kind of section",
      { group: gw, kind: "Gateway", name: "g", sectionName: "named" },
      /named/,
    ],
    [
      "a positional name",
      { group: gw, kind: "HTTPRoute", name: "r", sectionName: "rule-2" },
      /^'rule-2' is only how an unnamed rule of HTTPRoute default\/r is shown; give the rule a name of its own and target that$/,
    ],
    [
      "a name that is not unique",
      { group: gw, kind: "HTTPRoute", name: "r", sectionName: "twice" },
      /^2 rules of HTTPRoute default\/r are named 'twice', and a target must mean one; give each a name of its own and target that$/,
    ],
    [
      "a section of a kind that has none here",
      { group: "", kind: "Service", name: "s", sectionName: "http" },
      /section/,
    ],
    ["kind not allowed", { group: gw, kind: "GRPCRoute", name: "r" }, /GRPCRoute/],
    ["kind of another group", { group: "example.com", kind: "Gateway", name: "g" }, /example\.com/],
    [
      "selector matching nothing",
      { group: gw, kind: "Gateway", selector: { matchLabels: { no: "such" } } },
      /selector/,
    ],
    ["another namespace", { group: gw, kind: "Gateway", namespace: "other", name: "far" }, /namespace/],
  ];

  for (const [name, target, message] of refused) {
    test(`refused: ${name}`, () => {
      const one = made(target);
      expect(one.outcome("p")).toBe("TargetNotFound");
      expect(one.message("p")).toMatch(message);
      expect(one.effective().every(({ sources }) => sources.length === 0)).toBe(true);
    });
  }

  describe("refused: field and message lead to what is to be changed", () => {
    const cross = policyKind("LocalPolicy", {
      targets: ["Gateway/Listener", "HTTPRoute/Rule", "Namespace"],
      ends: ["HTTPRoute/Rule"],
      namespacesAbove: ["Gateway"],
      targeting: { selectors: true, crossNamespace: "ReferenceGrant" },
      merge: { granularity: field },
    });
    const labels = { team: "red" };
    const labelled = [
      route("near", "Gateway/g", { labels, rules: [{ name: "one" }] }),
      gateway("near"),
      gateway("far", { namespace: "other", labels }),
      namespace("elsewhere", labels),
    ];
    const reported = (spec: JsonObject) =>
      cluster([...labelled, { ...policy("LocalPolicy", "p", {}, {}), spec: { x: 1, ...spec } }], {
        definitions: [cross],
      })
        .findingsOn("p")
        .filter(({ severity }) => severity === "error")
        .map(({ code, field: at, message }) => `${code} ${at}: ${message}`);
    const matchLabels = labels;
    const none = { no: "such" };

    test.each([
      [
        "a group that is wrong",
        { targetRef: { group: "example.com", kind: "HTTPRoute", name: "near" } },
        `KindNotAllowed spec.targetRef.group: LocalPolicy cannot target a HTTPRoute of group 'example.com'; for HTTPRoute write group: '${gw}'`,
      ],
      [
        "a kind that is wrong",
        { targetRef: { group: gw, kind: "HTPRoute", name: "near" } },
        `KindNotAllowed spec.targetRef.kind: LocalPolicy cannot target a HTPRoute (${gw}); it can target: Gateway, HTTPRoute, Namespace; did you mean 'HTTPRoute'?`,
      ],
      [
        "a selector's routes without the section",
        { targetRef: { group: gw, kind: "HTTPRoute", sectionName: "onne", selector: { matchLabels } } },
        "SectionNotFound spec.targetRef.sectionName: nothing that the selector matches has such a section: HTTPRoute default/near has no rule named 'onne'; did you mean 'one'?",
      ],
      [
        "a selector's objects in another namespace, without a grant",
        { targetRef: { group: gw, kind: "Gateway", namespace: "other", selector: { matchLabels } } },
        "ReferenceNotPermitted spec.targetRef.selector: the selector matches, but Gateway other/far is in another namespace, and no ReferenceGrant in namespace 'other' lets a LocalPolicy (example.com) from namespace 'default' refer to it",
      ],
      [
        "a selector's Namespaces, of which none is its own",
        { targetRef: { group: "", kind: "Namespace", selector: { matchLabels } } },
        "ScopeNotAllowed spec.targetRef.selector: the selector matches Namespace elsewhere, but a namespaced policy can target only the Namespace it lives in, 'default'",
      ],
      [
        "a selector that matches nothing",
        { targetRef: { group: gw, kind: "Gateway", selector: { matchLabels: none } } },
        "SelectorMatchesNothing spec.targetRef.selector: the selector matches no Gateway in namespace 'default'",
      ],
      [
        "labels that stand in the target itself and match nothing",
        { targetSelectors: [{ group: gw, kind: "Gateway", matchLabels: none }] },
        "SelectorMatchesNothing spec.targetSelectors[0]: the selector matches no Gateway in namespace 'default'",
      ],
    ])("%s", (_, spec, expected) => {
      expect(reported(spec)).toEqual([expected]);
    });
  });

  describe("Namespaces and GatewayClasses that no document defines", () => {
    const wide = policyKind("WidePolicy", {
      scope: "Cluster",
      targets: ["Namespace", "GatewayClass"],
      ends: ["Gateway"],
      namespacesAbove: ["Gateway"],
      targeting: { selectors: true },
      merge: { granularity: field },
    });
    const on = (target: JsonObject) => policy("WidePolicy", "p", target, { x: 1 }, { namespace: "" });
    const at = (...all: readonly unknown[]) => cluster(all, { definitions: [wide] });

    test("are guessed, too", () => {
      const shop = gateway("g", { namespace: "shop", class: "house" });
      expect(at(shop, on(reference("Namespace/shpo"))).message("p")).toBe("no Namespace 'shpo'; did you mean 'shop'?");
      expect(at(shop, on(reference("GatewayClass/huose"))).message("p")).toBe(
        "no GatewayClass 'huose'; did you mean 'house'?",
      );
    });

    test("and the guess follows what objects name", () => {
      const moved = gateway("g", { class: "house" });
      for (const [target, change] of [
        ["Namespace/shpo", gateway("other", { namespace: "shop" })],
        ["GatewayClass/huose", moved],
      ] as const) {
        const before = at(gateway("g"), on(reference(target)));
        const { evaluation, delta } = apply(before.evaluation, [{ upsert: change }]);
        const kept = change === moved ? [] : [gateway("g")];
        const after = at(change, ...kept, on(reference(target)));
        expect([...verdicts(evaluation)]).toEqual([...verdicts(after.evaluation)]);
        expect(delta.verdicts).toHaveLength(1);
      }
    });

    test("a selector sees the name that Kubernetes labels a Namespace with, defined or not", () => {
      const byName = (name: string) =>
        on({ kind: "Namespace", selector: { matchLabels: { "kubernetes.io/metadata.name": name } } });
      const there = gateway("g", { namespace: "shop" });
      expect(at(there, namespace("shop"), byName("shop")).outcome("p")).toBe("Enforced");
      expect(at(there, byName("shop")).outcome("p")).toBe("Enforced");
      expect(at(there, byName("elsewhere")).message("p")).toBe("the selector matches no Namespace");
      const { evaluation } = apply(at(byName("shop")).evaluation, [{ upsert: there }]);
      expect([...verdicts(evaluation)]).toEqual([...verdicts(at(there, byName("shop")).evaluation)]);
    });
  });

  test("refused: each with its own message", () => {
    const messages = refused.map(([, target]) => made(target).message("p"));
    expect(new Set(messages).size).toBe(messages.length);
  });

  test("refused: a positional name, with a message that says so", () => {
    expect(made({ group: gw, kind: "HTTPRoute", name: "r", sectionName: "rule-2" }).message("p")).toMatch(/name/i);
  });

  test("positional names, where the definition allows them", () => {
    const on = (sectionName: string) =>
      cluster(
        [
          gateway("g"),
          route("r", "Gateway/g", { rules: [{}, {}, { name: "third" }] }),
          policy(
            "RulePolicy",
            "p",
            { ...reference("HTTPRoute/r"), sectionName },
            { x: 1 },
            { group: "vendor-c.example.com" },
          ),
        ],
        { definitions: ["vendor-c-rule-policy"] },
      );
    expect(on("rule-2").spec("HTTPRoute/r#rule-2")).toEqual({ x: 1 });
    expect(on("rule-2").affectedTargets("p")).toEqual(["HTTPRoute/r#rule-2"]);
    expect(on("third").outcome("p")).toBe("Enforced");
    expect(on("rule-4").outcome("p")).toBe("TargetNotFound");
    expect(on("rule-0").outcome("p")).toBe("TargetNotFound");
  });

  test("a rule that is really called rule-2 is targeted by that name", () => {
    const both = cluster(
      [
        gateway("g"),
        route("r", "Gateway/g", { rules: [{ name: "rule-2" }] }),
        policy("LocalPolicy", "p", "HTTPRoute/r#rule-2", { x: 1 }),
      ],
      { definitions: [definition] },
    );
    expect(both.outcome("p")).toBe("Enforced");
    expect(both.spec("HTTPRoute/r#rule-2")).toEqual({ x: 1 });
  });

  for (const [name, target] of [
    ["kinds compare case-insensitively", { group: gw, kind: "httproute", name: "r" }],
    ["group with a version", { group: `${gw}/v1`, kind: "HTTPRoute", name: "r" }],
    ["group left out, where the kind is unambiguous", { kind: "HTTPRoute", name: "r" }],
  ] as const) {
    test(name, () => {
      expect(made(target).outcome("p")).toBe("Enforced");
      expect(made(target).affectedBy("HTTPRoute/r")).toEqual(["p"]);
    });
  }

  test("names do not compare case-insensitively", () => {
    expect(made({ group: gw, kind: "Gateway", name: "G" }).outcome("p")).toBe("TargetNotFound");
  });

  test("one bad target does not hide the good ones, nor the good ones the bad", () => {
    const bad = refused.map(([, target]) => target);
    const both = cluster([...objects, policy("LocalPolicy", "p", [...bad, "Gateway/g"], { x: 1 })], {
      definitions: [definition],
      validated: true,
    });
    expect(both.outcome("p")).toBe("Enforced");
    expect(new Set(both.findingsOn("p").map(({ message }) => message)).size).toBeGreaterThanOrEqual(bad.length);
  });

  test("one bad policy never changes the result for the others", () => {
    const good = policy("LocalPolicy", "good", "Gateway/g", { x: 1 });
    const bad = [
      policy("LocalPolicy", "bad1", "Gateway/absent", { overrides: { x: 2 } }),
      { ...policy("LocalPolicy", "bad2", "Gateway/g", {}), spec: "not a spec" },
      policy("LocalPolicy", "bad3", { kind: "Gateway" }, { overrides: { x: 3 } }),
    ];
    const alone = cluster([...objects, good], { definitions: [definition] });
    const together = cluster([...objects, good, ...bad], { definitions: [definition], completeness: "Complete" });
    expect(together.effective()).toEqual(alone.effective());
    expect(["bad1", "bad2", "bad3"].map((name) => together.outcome(name))).toEqual([
      "TargetNotFound",
      "Invalid",
      "Invalid",
    ]);
  });

  test("a policy of a kind without a definition is listed as unknown, never dropped in silence", () => {
    const both = cluster([...objects, policy("MysteryPolicy", "p", "Gateway/g", { x: 1 })], {
      definitions: [definition],
    });
    expect(both.findingsOn("p").map(({ message }) => message)).toEqual([expect.stringContaining("MysteryPolicy")]);
  });
});

describe("Targets that may exist outside of the input", () => {
  const definition = policyKind("LocalPolicy", {
    targets: ["Gateway", "HTTPRoute", "Service"],
    ends: ["HTTPRoute/Rule"],
    merge: { granularity: field },
  });
  const made = (...objects: readonly JsonObject[]) => cluster(objects, { definitions: [definition] });
  const on = (target: string) => policy("LocalPolicy", "p", target, { x: 1 });

  test("a target that is not in the input: whether the policy is accepted is not known", () => {
    const absent = made(gateway("edge"), on("Gateway/main"));
    expect(absent.verdictOf("p")).toEqual({
      state: "Unknown",
      reason: "Incomplete",
      message: "no Gateway 'main' in namespace 'default'",
      by: [],
    });
    const found = reach(absent.evaluation, {
      group: "example.com",
      kind: "LocalPolicy",
      namespace: "default",
      name: "p",
    });
    expect(found?.verdict).toEqual(absent.verdictOf("p"));
  });

  test("a name that is nearly that of an object is a mistake", () => {
    expect(made(gateway("edge"), on("Gateway/edgy")).outcome("p")).toBe("TargetNotFound");
  });

  test("a selector, and nothing in the input to select from: whether it matches is not known", () => {
    const selectors = { ...definition, targeting: { ...definition.targeting, selectors: true } };
    const selecting = policy(
      "LocalPolicy",
      "p",
      { group: "gateway.networking.k8s.io", kind: "Gateway", selector: { matchLabels: { team: "a" } } },
      { x: 1 },
    );
    const on = (objects: readonly JsonObject[], completeness: "Partial" | "Complete" = "Partial") =>
      cluster([...objects, selecting], { definitions: [selectors], completeness });
    expect(on([]).outcome("p")).toBe("Incomplete");
    expect(
      on([])
        .findingsOn("p")
        .map(({ code, severity }) => `${severity} ${code}`),
    ).toEqual(["info SelectorMatchesNothing"]);
    expect(caveatsFor(on([]).evaluation, { about: "Input" }).map(({ code, message }) => `${code}: ${message}`)).toEqual(
      [
        "AbsentTarget: 1 policy selects its targets by label, and the input has none to select from: LocalPolicy default/p. Whether it takes effect is not known",
      ],
    );
    // Objects that it does not match are a sign of a mistake.
    expect(on([gateway("g")]).outcome("p")).toBe("TargetNotFound");
    expect(on([], "Complete").outcome("p")).toBe("TargetNotFound");
    const applied = apply(on([]).evaluation, [{ upsert: gateway("g") }]);
    expect(applied.delta.verdicts.map(({ after }) => after?.state)).toEqual(["NotAccepted"]);
  });

  test("no route to the target is in the input: where the policy takes effect is not known", () => {
    expect(made(gateway("edge"), on("Gateway/edge")).verdictOf("p")).toMatchObject({
      state: "Accepted",
      enforcement: "Incomplete",
      total: { paths: 0 },
    });
    expect(made(route("r", []), on("HTTPRoute/r")).outcome("p")).toBe("NoPath");
  });

  test("objects that come and go: the delta names each verdict that differs", () => {
    let { evaluation } = made(gateway("edge"), on("Gateway/main"));
    const outcomes: unknown[] = [];
    for (const change of [
      { upsert: gateway("mai") },
      { delete: gatewayRef("mai") },
      { upsert: gateway("main") },
      { upsert: route("r", "Gateway/main") },
      { delete: { ...gatewayRef("r"), kind: "HTTPRoute" } },
      { delete: gatewayRef("main") },
    ]) {
      const applied = apply(evaluation, [change]);
      evaluation = applied.evaluation;
      const [now] = [...verdicts(evaluation)];
      const [own] = applied.delta.verdicts;
      expect(own?.after).toEqual(now?.verdict);
      outcomes.push(now?.verdict.state === "Accepted" ? now.verdict.enforcement : now?.verdict.reason);
    }
    expect(outcomes).toEqual(["TargetNotFound", "Incomplete", "Incomplete", "Enforced", "Incomplete", "Incomplete"]);
  });

  const gatewayRef = (name: string) => ({
    group: "gateway.networking.k8s.io",
    kind: "Gateway",
    namespace: "default",
    name,
  });
});

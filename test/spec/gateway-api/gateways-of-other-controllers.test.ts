/**
 * Gateway API, "GatewayClass": Gateways of other controllers
 * GEP-713, "Status needs to be namespaced by implementation"
 * A definition names the controllers that carry its kind out.
 */
import { describe, expect, test } from "vitest";
import {
  apply,
  builtInDefinitions,
  caveatsFor,
  effectivePolicies,
  explain,
  plan,
  reach,
  trace,
  verdicts,
} from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, route, routeTo, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

describe("Gateways of other controllers", () => {
  const authKind = policyKind("AuthPolicy", {
    targets: ["Gateway", "HTTPRoute"],
    ends: ["HTTPRoute/Rule"],
    controllers: ["ours.example.com/controller"],
  });
  const classes = [gatewayClass("ours", "ours.example.com/controller"), gatewayClass("theirs", "other.io/ctrl")];
  const gateways = [gateway("edge", { class: "ours" }), gateway("mesh", { class: "theirs" })];
  const onRoute = (...parents: readonly string[]) => [
    ...classes,
    ...gateways,
    service("s"),
    route("r", parents, { rules: [{ backends: ["s"] }] }),
    policy("AuthPolicy", "p", "HTTPRoute/r", { jwt: true }),
  ];
  const made = (...parents: readonly string[]) => cluster(onRoute(...parents), { definitions: [authKind] });
  const why =
    "no controller enforces it here: Gateway default/mesh belongs to other.io/ctrl, and AuthPolicy is carried out by ours.example.com/controller";

  test("behind a Gateway of another controller a policy is accepted and takes no effect", () => {
    const foreign = made("Gateway/mesh");
    expect(foreign.outcome("p")).toBe("NoPath");
    expect(foreign.effective()).toEqual([]);
    expect(foreign.affectedBy("HTTPRoute/r")).toEqual([]);
    const own = foreign.findingsOn("p").map(({ code, severity, message }) => ({ code, severity, message }));
    expect(own).toEqual([{ code: "NoController", severity: "warning", message: why }]);
  });

  test("controllers write status entries for their own Gateways only", () => {
    expect(made("Gateway/mesh").conditions("p")).toEqual([]);
    expect(made("Gateway/edge", "Gateway/mesh").conditions("p")).toEqual([
      "Gateway/edge: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
  });

  test("a mixed cluster: it takes effect behind the one Gateway and not behind the other", () => {
    const mixed = made("Gateway/edge", "Gateway/mesh");
    expect(mixed.chains()).toEqual(["Gateway/edge > HTTPRoute/r"]);
    expect(mixed.outcome("p")).toBe("Enforced");
    expect(mixed.findingsOn("p").map(({ code, severity }) => `${severity} ${code}`)).toEqual(["info NoController"]);
  });

  test("explain and reach name the Gateway and its controller", () => {
    const { evaluation } = made("Gateway/edge", "Gateway/mesh");
    const failures = explain(evaluation, {
      kind: "HTTPRoute",
      group: "gateway.networking.k8s.io",
      namespace: "default",
      name: "r",
    })?.failures;
    expect(failures?.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([`NoController: ${why}`]);
    const found = reach(evaluation, { kind: "AuthPolicy", group: "example.com", namespace: "default", name: "p" });
    expect(found?.unenforced.map(({ controller }) => controller)).toEqual(["other.io/ctrl"]);
  });

  test("trace through a Gateway of another controller names the policy and the controller", () => {
    const { evaluation } = made("Gateway/edge", "Gateway/mesh");
    const traced = trace(evaluation, { method: "GET", host: "x.example", path: "/" }).map((one) => {
      if (one.outcome !== "Routed") throw new Error(one.outcome);
      const { gateway: at, kinds, failures } = one;
      return {
        at: at.name,
        kinds: kinds.length,
        failures: failures.map(({ reason, message }) => `${reason}: ${message}`),
      };
    });
    expect(traced).toEqual([
      { at: "edge", kinds: 1, failures: [] },
      { at: "mesh", kinds: 0, failures: [`NoController: ${why}`] },
    ]);
  });

  test("without controllers in the definition every Gateway counts", () => {
    const any = cluster(onRoute("Gateway/edge", "Gateway/mesh"), { definitions: [{ ...authKind, controllers: [] }] });
    expect(any.effective()).toHaveLength(2);
    expect(any.findingsOn("p")).toEqual([]);
  });

  const withoutClass = (name: string, objects: ReturnType<typeof onRoute>) =>
    objects.filter(({ kind, metadata }) => kind !== "GatewayClass" || !JSON.stringify(metadata).includes(name));

  test("a GatewayClass that is not in the input: it is not known whether the policy takes effect", () => {
    const unknown = cluster(withoutClass("ours", onRoute("Gateway/edge")), { definitions: [authKind] });
    expect(unknown.outcome("p")).toBe("Incomplete");
    expect(unknown.conditions("p")).toEqual(["Gateway/edge: Accepted=True/Accepted Enforced=Unknown/Incomplete"]);
    expect(unknown.affectedBy("HTTPRoute/r")).toEqual([]);
    expect(unknown.effective().map(({ spec, incomplete }) => ({ spec, incomplete }))).toEqual([
      { spec: { jwt: true }, incomplete: true },
    ]);
    const caveats = caveatsFor(unknown.evaluation, { about: "Input" });
    expect(caveats.map(({ code }) => code)).toContain("UnknownController");
    expect(caveatsFor(made("Gateway/edge").evaluation, { about: "Input" })).toEqual([]);
  });

  test("a GatewayClass that is not in the input: one caveat for all kinds that it may concern", () => {
    const kindOf = (name: string, controllers: readonly string[]) =>
      policyKind(name, { targets: ["Gateway", "HTTPRoute"], ends: ["HTTPRoute/Rule"], controllers: [...controllers] });
    const limitKind = kindOf("LimitPolicy", ["ours.example.com/controller"]);
    const cacheKind = kindOf("CachePolicy", ["theirs.example.com/a", "theirs.example.com/b"]);
    const unused = kindOf("UnusedPolicy", ["ours.example.com/controller"]);
    const objects = [
      ...withoutClass("ours", onRoute("Gateway/edge")),
      policy("LimitPolicy", "l", "HTTPRoute/r", { limit: 1 }),
      policy("LimitPolicy", "m", "Gateway/edge", { limit: 2 }),
      policy("CachePolicy", "c", "HTTPRoute/r", { seconds: 5 }),
    ];
    const { evaluation } = cluster(objects, { definitions: [authKind, limitKind, cacheKind, unused] });
    const found = caveatsFor(evaluation, { about: "Input" }).filter(({ code }) => code === "UnknownController");
    expect(found.map(({ message }) => message)).toEqual([
      "the GatewayClass of Gateway default/edge is not in the input. Only ours.example.com/controller carries AuthPolicy and LimitPolicy out and " +
        "only theirs.example.com/a and theirs.example.com/b carry CachePolicy out; behind a Gateway of another controller they take no effect",
    ]);
    expect(found.map(({ summary }) => summary)).toEqual([
      "it is not known who carries AuthPolicy, CachePolicy and LimitPolicy out behind Gateway default/edge",
    ]);
    const counted = found.flatMap(({ policies }) => policies.map(({ kind, count }) => `${count} ${kind}`));
    expect(counted).toEqual(["1 AuthPolicy", "1 CachePolicy", "2 LimitPolicy"]);
  });

  test("a GatewayClass that is not in the input: the verdict is that of the other Gateways", () => {
    const objects = withoutClass("theirs", onRoute("Gateway/edge", "Gateway/mesh"));
    const mixed = cluster(objects, { definitions: [authKind] });
    expect(mixed.outcome("p")).toBe("Enforced");
    expect(mixed.conditions("p")).toEqual([
      "Gateway/edge: Accepted=True/Accepted Enforced=True/Enforced",
      "Gateway/mesh: Accepted=True/Accepted Enforced=Unknown/Incomplete",
    ]);
  });

  test("a GatewayClass that is not in the input matters only to kinds with controllers", () => {
    const objects = withoutClass("ours", onRoute("Gateway/edge"));
    expect(cluster(objects, { definitions: [{ ...authKind, controllers: [] }] }).outcome("p")).toBe("Enforced");
  });

  test("a GatewayClass that is not in the input: a Direct policy on the Gateway", () => {
    const direct = policyKind("TLSPolicy", {
      class: "Direct",
      targets: ["Gateway"],
      ends: ["Gateway"],
      controllers: ["ours.example.com/controller"],
    });
    const objects = [gateway("edge", { class: "ours" }), policy("TLSPolicy", "p", "Gateway/edge", { min: "1.2" })];
    expect(cluster(objects, { definitions: [direct] }).outcome("p")).toBe("Incomplete");
  });

  test("a GatewayClass that comes and goes", () => {
    const without = cluster(withoutClass("ours", onRoute("Gateway/edge")), { definitions: [authKind] });
    const { evaluation, delta } = apply(without.evaluation, [
      { upsert: gatewayClass("ours", "ours.example.com/controller") },
    ]);
    expect(enforcementsOf(evaluation)).toEqual(["Enforced"]);
    expect(delta.verdicts).toHaveLength(1);
    const gone = apply(evaluation, [
      { delete: { group: "gateway.networking.k8s.io", kind: "GatewayClass", namespace: "", name: "ours" } },
    ]);
    expect(enforcementsOf(gone.evaluation)).toEqual(["Incomplete"]);
  });

  const enforcementsOf = (evaluation: Parameters<typeof verdicts>[0]) =>
    [...verdicts(evaluation)].map(({ verdict }) =>
      verdict.state === "Accepted" ? verdict.enforcement : verdict.reason,
    );

  const classRef = (name: string) => ({
    group: "gateway.networking.k8s.io",
    kind: "GatewayClass",
    namespace: "",
    name,
  });

  test("a plan that deletes the GatewayClass of another controller: no policy takes effect because of it", () => {
    const { policies, kinds } = plan(made("Gateway/mesh").evaluation, [{ delete: classRef("theirs") }]);
    expect({ policies, kinds }).toEqual({ policies: [], kinds: [] });
  });

  test("a plan that deletes the GatewayClass of a listed controller: no controller carries the policy out afterwards", () => {
    const { policies, kinds } = plan(made("Gateway/edge").evaluation, [{ delete: classRef("ours") }]);
    const shown = policies.map(({ before, after }) =>
      [before, after].map((verdict) => verdict?.state === "Accepted" && verdict.enforcement),
    );
    expect(shown).toEqual([["Enforced", "NoPath"]]);
    expect(kinds.flatMap(({ changes }) => changes.map(({ change }) => change))).toEqual(["removed"]);
  });

  test("a GatewayClass that does not exist: no controller carries the policy out", () => {
    const objects = onRoute("Gateway/edge").filter(({ kind }) => kind !== "GatewayClass");
    const none = cluster(objects, { definitions: [authKind], completeness: "Complete" });
    expect(none.outcome("p")).toBe("NoPath");
    expect(none.conditions("p")).toEqual([]);
    expect(none.findingsOn("p").map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "NoController: no controller enforces it here: Gateway default/edge belongs to no controller (there is no GatewayClass ours), and AuthPolicy is carried out by ours.example.com/controller",
    ]);
    const { evaluation } = apply(none.evaluation, [{ upsert: gatewayClass("ours", "ours.example.com/controller") }]);
    expect([...effectivePolicies(evaluation)]).toHaveLength(1);
  });

  test("a GatewayClass that changes hands", () => {
    const before = made("Gateway/mesh").evaluation;
    const upsert = gatewayClass("theirs", "ours.example.com/controller");
    const { evaluation, delta } = apply(before, [{ upsert }]);
    expect([...effectivePolicies(evaluation)]).toHaveLength(1);
    expect(delta.effective).toHaveLength(1);
  });

  test("paths that begin at the Gateway", () => {
    const rooted = cluster(onRoute("Gateway/edge", "Gateway/mesh"), {
      definitions: [
        {
          ...authKind,
          hierarchy: { ...authKind.hierarchy, roots: [{ group: "gateway.networking.k8s.io", kind: "Gateway" }] },
        },
      ],
    });
    expect(rooted.chains()).toEqual(["Gateway/edge > HTTPRoute/r"]);
  });

  test("a Direct policy on a Gateway of another controller", () => {
    const direct = policyKind("TLSPolicy", {
      class: "Direct",
      targets: ["Gateway"],
      ends: ["Gateway"],
      controllers: ["ours.example.com/controller"],
    });
    const on = (name: string) => policy("TLSPolicy", `on-${name}`, `Gateway/${name}`, { min: "1.2" });
    const both = cluster([...classes, ...gateways, on("edge"), on("mesh")], { definitions: [direct] });
    expect([both.outcome("on-edge"), both.outcome("on-mesh")]).toEqual(["Enforced", "NoPath"]);
    expect(both.conditions("on-mesh")).toEqual([]);
    expect(both.findingsOn("on-mesh").map(({ code }) => code)).toEqual(["NoController"]);
  });

  describe("a Direct policy on an object behind Gateways", () => {
    const direct = (kind: string, target: string) =>
      policyKind(kind, {
        class: "Direct",
        targets: [target],
        ends: [target],
        controllers: ["ours.example.com/controller"],
      });
    const definitions = [direct("BalancePolicy", "Service"), direct("CachePolicy", "HTTPRoute")];
    const kinds = ["BalancePolicy", "CachePolicy"] as const;
    const behind = (parents: readonly string[], ...left: readonly string[]) =>
      cluster(
        [
          ...classes.filter(({ metadata }) => left.every((name) => !JSON.stringify(metadata).includes(name))),
          ...gateways,
          service("s"),
          ...(parents.length === 0 ? [] : [route("r", parents, { rules: [{ backends: ["s"] }] })]),
          policy("BalancePolicy", "on-service", "Service/s", { x: 1 }),
          ...(parents.length === 0 ? [] : [policy("CachePolicy", "on-route", "HTTPRoute/r", { x: 1 })]),
        ],
        { definitions },
      );
    const names = ["on-service", "on-route"];

    test("all of other controllers: it takes no effect, and the finding names Gateway and controller", () => {
      const made = behind(["Gateway/mesh"]);
      for (const [at, name] of names.entries()) {
        expect(made.outcome(name)).toBe("NoPath");
        expect(made.conditions(name)).toEqual([]);
        expect(made.findingsOn(name).map(({ code, severity, message }) => `${severity} ${code}: ${message}`)).toEqual([
          `warning NoController: ${why.replace("AuthPolicy", kinds[at] ?? "")}`,
        ]);
      }
      expect(made.effective()).toEqual([]);
      const traced = trace(made.evaluation, { method: "GET", host: "x.example", path: "/" }).map(
        (one) => one.outcome === "Routed" && [one.gateway.name, one.kinds.length, one.failures.length],
      );
      expect(traced).toContainEqual(["mesh", 0, 2]);
    });

    test("one of a listed controller: it takes effect, with a note about the other", () => {
      const made = behind(["Gateway/edge", "Gateway/mesh"]);
      for (const name of names) {
        expect(made.outcome(name)).toBe("Enforced");
        expect(made.findingsOn(name).map(({ code, severity }) => `${severity} ${code}`)).toEqual(["info NoController"]);
      }
      const traced = trace(made.evaluation, { method: "GET", host: "x.example", path: "/" }).map(
        (one) => one.outcome === "Routed" && [one.gateway.name, one.kinds.length, one.failures.length],
      );
      expect(traced).toEqual([
        ["edge", 2, 0],
        ["mesh", 0, 2],
      ]);
    });

    test("a GatewayClass, or a Gateway, that is not in the input: whether it takes effect is not known", () => {
      for (const made of [behind(["Gateway/edge"], "ours"), behind(["Gateway/absent"])])
        for (const name of names) {
          expect(made.outcome(name)).toBe("Incomplete");
          expect(made.affectedBy(name === "on-service" ? "Service/s" : "HTTPRoute/r")).toEqual([]);
        }
      expect(behind(["Gateway/edge", "Gateway/absent"]).outcome("on-service")).toBe("Enforced");
    });

    test("no Gateway leads to the object: it takes effect", () => {
      expect(behind([]).outcome("on-service")).toBe("Enforced");
    });

    test("routes and GatewayClasses that come and go", () => {
      let { evaluation } = behind(["Gateway/mesh"]);
      const outcomes: string[] = [];
      for (const change of [
        { upsert: gatewayClass("theirs", "ours.example.com/controller") },
        { upsert: gatewayClass("theirs", "other.io/ctrl") },
        { upsert: route("r", ["Gateway/edge"], { rules: [{ backends: ["s"] }] }) },
        { upsert: route("r", ["Gateway/mesh"], { rules: [{ backends: ["s"] }] }) },
        { delete: { ...classRef("mesh"), kind: "Gateway", namespace: "default" } },
      ]) {
        const applied = apply(evaluation, [change]);
        evaluation = applied.evaluation;
        outcomes.push(enforcementsOf(evaluation).join(" "));
        expect(applied.delta.verdicts).toHaveLength(2);
      }
      const [yes, no] = ["Enforced Enforced", "NoPath NoPath"];
      expect(outcomes).toEqual([yes, no, yes, no, "Incomplete Incomplete"]);
    });
  });

  test("RetryPolicy is carried out by Prevail's own controller", () => {
    const retries = (controllerName: string) =>
      cluster(
        [
          gatewayClass("class", controllerName),
          gateway("g"),
          routeTo("r", "Gateway/g", "s"),
          service("s"),
          policy("RetryPolicy", "p", "HTTPRoute/r", { defaults: { retry: { attempts: 2 } } }, { group: "prevail.dev" }),
        ],
        { definitions: builtInDefinitions() },
      ).outcome("p");
    expect(retries("other.io/ctrl")).toBe("NoPath");
    expect(retries("prevail.dev/gateway")).toBe("Enforced");
    expect(retries("prevail.dev/gateway-controller")).toBe("Enforced");
  });
});

import { describe, expect, test } from "vitest";
import { applyPlanned } from "../../src/core/apply.ts";
import { type Evaluation, worldOf } from "../../src/core/evaluation.ts";
import { howTo } from "../../src/core/explain/how/how-to.ts";
import type { How } from "../../src/core/explain/how/result.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { objectId } from "../../src/core/model/refs.ts";
import { buildSnapshot, evaluate, how } from "../../src/index.ts";
import { gateway, policy, route, service } from "../support/cluster/gateway-objects.ts";
import { policyKind } from "../support/cluster/policy-kind.ts";

/** Counts reads of the documents of routes: every walk over a path reads the rules of its route. */
function counted(documents: readonly JsonObject[]): {
  readonly objects: readonly JsonObject[];
  readonly reads: () => number;
} {
  let reads = 0;
  const objects = documents.map((document) =>
    document["kind"] !== "HTTPRoute"
      ? document
      : new Proxy(document, {
          get: (target, key, receiver): unknown => {
            reads++;
            return Reflect.get(target, key, receiver);
          },
        }),
  );
  return { objects, reads: () => reads };
}

/** Many routes below one Gateway, with one policy over all of them. */
function crowd(routes: number, block: "defaults" | "overrides"): readonly JsonObject[] {
  const names = [...Array(routes).keys()].map((index) => `r${String(index).padStart(5, "0")}`);
  const house = policy(
    "RetryPolicy",
    "house",
    "Gateway/g",
    { [block]: { retry: { attempts: 5, codes: [503] } } },
    { group: "prevail.dev" },
  );
  const rule = (index: number): JsonObject => (index === 0 && block === "overrides" ? { retry: { attempts: 0 } } : {});
  return [
    gateway("g"),
    service("s"),
    house,
    ...names.map((name, index) =>
      route(name, "Gateway/g", { rules: [{ name: "one", backends: ["s"], fields: rule(index) }] }),
    ),
  ];
}

const FIELD = { default: "Field", field: "strategy", values: {} } as const;

interface Work {
  readonly answer: How;
  readonly reads: number;
  readonly trials: number;
}

const TARGETS = {
  "a route": { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "default", name: "r00000" },
  "the Gateway": { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "default", name: "g" },
} as const;

function workOn(routes: number, target: keyof typeof TARGETS, block: "defaults" | "overrides"): Work {
  const { objects, reads } = counted(crowd(routes, block));
  const evaluation: Evaluation = evaluate(buildSnapshot(objects));
  const before = reads();
  let trials = 0;
  const answer = howTo(
    worldOf(evaluation),
    { target: { id: objectId(TARGETS[target]) }, wanted: [{ path: "retry.attempts", value: 0 }] },
    (changes) => {
      trials++;
      const { evaluation: next, delta } = applyPlanned(evaluation, changes);
      return { world: worldOf(next), delta };
    },
  );
  return { answer, reads: reads() - before, trials };
}

describe("2,000 routes under one policy", () => {
  for (const [target, block, routes] of [
    ["a route", "defaults", 2000],
    ["a route", "overrides", 2000],
    ["the Gateway", "overrides", 1000],
  ] as const) {
    test(`${target}, ${block}: four times the routes are four times the work, and no more changes to compare`, {
      timeout: 120_000,
    }, () => {
      const [few, many] = [workOn(routes / 4, target, block), workOn(routes, target, block)];
      expect(many.trials).toBe(few.trials);
      expect(many.trials).toBeLessThan(100);
      expect(many.reads / few.reads).toBeLessThan(4.2);
      expect(many.answer.kinds[0]?.state).toBe("Changes");
    });
  }
});

describe("hostile names and settings", () => {
  const definitions = [
    policyKind("TestPolicy", { targets: ["Gateway", "HTTPRoute"], ends: ["HTTPRoute"], merge: { granularity: FIELD } }),
  ];
  const evaluation = evaluate(
    buildSnapshot([
      gateway("g"),
      route("r", "Gateway/g"),
      policy("TestPolicy", "p", "Gateway/g", { defaults: { a: 1 } }),
    ]),
    { definitions },
  );
  const policyKindOf = { group: "example.com", kind: "TestPolicy" };

  for (const path of ["__proto__.polluted", "constructor.prototype.polluted", "a.__proto__", "/__proto__/a~1b"]) {
    test(`${path} is a setting like any other`, () => {
      const answer = how(evaluation, "httproute/r", [{ path, value: 7 }], { policyKind: policyKindOf });
      const [change] = answer?.kinds[0]?.changes ?? [];
      expect(change?.reach.others.values).toBe(0);
      expect(Object.getPrototypeOf(change?.objects[0]?.manifest)).toBe(Object.prototype);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      expect(JSON.stringify(change?.objects[0]?.manifest)).toContain(":7");
    });
  }

  test("a long path and a deep value have an answer", () => {
    const path = Array.from({ length: 200 }, (_, index) => `k${index}`).join(".");
    const answer = how(evaluation, "httproute/r", [{ path, value: 7 }], { policyKind: policyKindOf });
    expect(answer?.kinds[0]?.state).toBe("Nothing");
    expect(answer?.kinds[0]?.refused.join()).toContain("too deep");
  });
});

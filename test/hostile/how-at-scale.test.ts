import { describe, expect, test } from "vitest";
import { applyPlanned } from "../../src/core/apply.ts";
import { type Evaluation, worldOf } from "../../src/core/evaluation.ts";
import { howTo } from "../../src/core/explain/how/how-to.ts";
import type { How } from "../../src/core/explain/how/result.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { objectId } from "../../src/core/model/refs.ts";
import { buildSnapshot, evaluate } from "../../src/index.ts";
import { gateway, policy, route, service } from "../support/cluster/gateway-objects.ts";

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
  for (const target of ["a route", "the Gateway"] as const) {
    for (const block of ["defaults", "overrides"] as const) {
      test(`${target}, ${block}: four times the routes are four times the work, and no more changes to compare`, () => {
        const [few, many] = [workOn(500, target, block), workOn(2000, target, block)];
        expect(many.trials).toBe(few.trials);
        expect(many.reads / few.reads).toBeLessThan(4.2);
        expect(many.answer.kinds[0]?.state).toBe("Changes");
        expect(many.trials).toBeLessThan(100);
      });
    }
  }
});

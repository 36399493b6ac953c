import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../../definitions/built-in-definitions.ts";
import { apply, type Change } from "../../apply.ts";
import { compileDataplane, updateDataplane } from "../../compile.ts";
import { type Evaluation, evaluate, findings } from "../../evaluate.ts";
import { worldOf } from "../../evaluation.ts";
import { buildSnapshot } from "../../model/snapshot.ts";

const retry = (attempts: number) =>
  policy("RetryPolicy", "p", "Gateway/g", { overrides: { retry: { attempts } } }, { group: "prevail.dev" });

const start = [
  gatewayClass("class", "example.com/gateway"),
  gateway("g"),
  service("s"),
  routeTo("r", "Gateway/g", "s"),
];

/** Another change for each number: of a route, of a policy, of the links of routes. */
function changeOf(number: number): Change {
  if (number % 3 === 0) return { upsert: routeTo("r", "Gateway/g", number % 2 === 0 ? "s" : "absent") };
  if (number % 3 === 1) return { upsert: retry(number) };
  return { upsert: routeTo(`r${number}`, "Gateway/g", "s") };
}

interface Followed {
  readonly last: Evaluation;
  readonly worlds: readonly WeakRef<object>[];
}

/** In a function of its own, so that nothing in the test refers to the evaluations in between. `read` reads what is computed lazily. */
function follow(changes: number, read: (evaluation: Evaluation) => void): Followed {
  let evaluation = evaluate(buildSnapshot(start), { definitions: builtInDefinitions() });
  let dataplane = compileDataplane(evaluation, { endpointAnnotations: "Ignored" });
  const worlds: WeakRef<object>[] = [];
  for (let number = 0; number < changes; number++) {
    worlds.push(new WeakRef(worldOf(evaluation)));
    const applied = apply(evaluation, [changeOf(number)]);
    ({ dataplane } = updateDataplane(dataplane, applied));
    ({ evaluation } = applied);
    read(evaluation);
  }
  return { last: evaluation, worlds };
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * The worlds that are still in memory. A weak reference that was made or read keeps its object until the end of the turn, and functions that are being
 * optimized by another thread keep objects until that has ended.
 */
async function uncollected(worlds: readonly WeakRef<object>[]): Promise<number> {
  let left = worlds.length;
  for (let attempt = 0; attempt < 50 && left > 0; attempt++) {
    await wait(20);
    collectGarbage();
    left = worlds.filter((world) => world.deref() !== undefined).length;
  }
  return left;
}

test.each([
  ["nothing of them was read", () => undefined],
  ["their findings were read", (evaluation: Evaluation) => findings(evaluation)],
] as const)("evaluations before the last one can be collected: %s", async (_, read) => {
  const { last, worlds } = follow(30, read);
  expect(await uncollected(worlds)).toBe(0);
  expect(worldOf(last).objects.size).toBeGreaterThan(start.length);
});

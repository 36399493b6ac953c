/** GEP-713, "Status reporting": the status that is kept while objects change is the status of an evaluation from scratch. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { touchedOf } from "../../src/core/apply.ts";
import { worldOf } from "../../src/core/evaluation.ts";
import type { GatewayStatusOptions } from "../../src/core/gateway-status/dataplane-state.ts";
import { GatewayStatusTracker } from "../../src/core/gateway-status/gateway-status-tracker.ts";
import { gatewayStatuses } from "../../src/core/gateway-status/gateway-statuses.ts";
import type { TargetStatus } from "../../src/core/status/status-report.ts";
import { statusReportOf } from "../../src/core/status/status-report-of.ts";
import { StatusScope, StatusTracker } from "../../src/core/status/status-tracker.ts";
import { apply } from "../../src/index.ts";
import { evaluateObjects } from "./check-history.ts";
import type { Evaluation } from "./evaluate-cluster.ts";
import { assertProperty, deepFreeze, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { playBatch, type RandomHistory, randomBatches, randomHistory, startState } from "./random/random-history.ts";
import { templatedCluster } from "./random/templated-cluster.ts";

const OPTIONS = { controllerName: "example.com/controller" };

/** The data plane serves every other Gateway. */
const OWN: GatewayStatusOptions = {
  ...OPTIONS,
  dataplaneOf: (gateway) =>
    gateway.length % 2 === 0 ? { state: "Serving", addresses: [] } : { state: "Pending", message: "not yet" },
};

/** The status of the objects of a GatewayClass of ours, from scratch. */
function ownReportOf(evaluation: Evaluation): ReadonlyMap<string, unknown> {
  const byObject = new Map<string, TargetStatus[]>();
  for (const status of gatewayStatuses(worldOf(evaluation), OWN))
    byObject.set(status.object, [...(byObject.get(status.object) ?? []), status]);
  return byObject;
}

/** The status of each object that has one, from scratch. */
function reportOf(evaluation: Evaluation): ReadonlyMap<string, unknown> {
  const { policies, targets } = statusReportOf(worldOf(evaluation), OPTIONS);
  const byObject = new Map<string, unknown>(policies.map((own) => [`policy ${own.policy}`, own]));
  for (const target of targets) {
    const key = `target ${target.object}`;
    const known = byObject.get(key);
    byObject.set(key, Array.isArray(known) ? [...known, target] : [target]);
  }
  return byObject;
}

/** Takes all steps. */
function run<Result>(steps: Generator<void, Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** The status that is kept: each update changes what it returns and nothing else. */
class KeptStatus {
  readonly #tracker = new StatusTracker(OPTIONS);
  readonly #byObject = new Map<string, unknown>();

  update(evaluation: Evaluation, scope: StatusScope): ReadonlyMap<string, unknown> {
    const { isWhole, policies, targets } = run(this.#tracker.update(worldOf(evaluation), scope));
    if (isWhole) this.#byObject.clear();
    for (const [id, status] of policies) this.#put(`policy ${id}`, status);
    for (const [id, statuses] of targets) this.#put(`target ${id}`, statuses.length === 0 ? undefined : statuses);
    return this.#byObject;
  }

  #put(key: string, value: unknown): void {
    if (value === undefined) this.#byObject.delete(key);
    else this.#byObject.set(key, value);
  }
}

/** `together`: the number of batches that are computed at once. Returns the number of objects with a status. */
function checkStatus({ start, pool, batches }: RandomHistory, together: number): number {
  let state = startState(start.objects);
  let evaluation = evaluateObjects(state.values(), start);
  const kept = new KeptStatus();
  const all = new StatusScope();
  all.addAll();
  kept.update(evaluation, all);
  const own = new GatewayStatusTracker();
  const keptOwn = new Map(run(own.update(worldOf(evaluation), all, OWN)).statuses);
  let objects = 0;
  let scope = new StatusScope();
  for (const [index, batch] of batches.entries()) {
    const played = playBatch(state, batch, pool);
    const applied = apply(evaluation, deepFreeze(played.changes));
    scope.add(touchedOf(applied), worldOf(evaluation).rulebook.kinds);
    ({ state } = played);
    ({ evaluation } = applied);
    if ((index + 1) % together !== 0 && index + 1 < batches.length) continue;
    const report = reportOf(evaluation);
    expect(new Map([...kept.update(evaluation, scope)].sort(byKey))).toStrictEqual(new Map([...report].sort(byKey)));
    const ownReport = ownReportOf(evaluation);
    const { isWhole, statuses } = run(own.update(worldOf(evaluation), scope, OWN));
    if (isWhole) keptOwn.clear();
    for (const [id, some] of statuses) keptOwn.set(id, some);
    for (const [id, some] of keptOwn) if (some.length === 0) keptOwn.delete(id);
    expect(new Map([...keptOwn].sort(byKey))).toStrictEqual(new Map([...ownReport].sort(byKey)));
    objects += report.size + ownReport.size;
    scope = new StatusScope();
  }
  return objects;
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

test(`the status after changes equals the status from scratch (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  let objects = 0;
  const property = fc.property(randomHistory, fc.integer({ min: 1, max: 3 }), (history, together) => {
    objects += checkStatus(history, together);
  });
  assertProperty(property, { numRuns: 200, stream: 71 });
  expect(objects, "objects with a status").toBeGreaterThan(1000);
});

test(`the same where policies have equal specs and many paths change (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const clusters = fc.record({
    start: templatedCluster,
    other: templatedCluster,
    batches: randomBatches,
    together: fc.integer({ min: 1, max: 3 }),
  });
  const property = fc.property(clusters, ({ start, other, batches, together }) => {
    checkStatus({ start, pool: other.objects, batches }, together);
  });
  assertProperty(property, { numRuns: 150, stream: 72 });
});

/** One change at a time, with its delta read: the cost must not depend on the number of other objects. */
import { apply } from "../src/index.ts";
import type { BenchContext } from "./bench-context.ts";
import {
  buildRoute,
  buildShape,
  type ClusterObject,
  FLEET,
  gatewayPolicy,
  routePolicy,
  type ShapeOptions,
} from "./cluster-shapes.ts";
import { type Evaluation, evaluateAndRead, type FleetTimes, parseTexts } from "./engine-fleet.ts";
import { median, quantile, timed } from "./measure.ts";
import { readDelta, readEvaluation } from "./read-evaluation.ts";

type Change = (step: number) => ClusterObject;

const CHANGES = 1_000;
const GATEWAY_CHANGES = 30;
/** The smallest and the largest size of the ladder, if it has them. */
const SMALL = 1_000;
const LARGE = 100_000;

const WARM_UP = 6_000;
/** The limit for one change of a route or its policy at 100,000 routes. */
const MAX_CHANGE_MS = 0.5;

/** Changes before the measurement, until all code is compiled: a process that applies changes runs for long. */
function warmUp(): void {
  const shape = { ...FLEET, routes: SMALL };
  const cluster = buildCluster(shape);
  for (const [, change, steps] of changesOf(shape)) {
    spentOn(cluster, change, steps === CHANGES ? WARM_UP : GATEWAY_CHANGES);
  }
}

export function benchChanges(context: BenchContext, times: readonly FleetTimes[]): void {
  if (times.every(({ routes }) => routes < SMALL)) return;
  warmUp();
  const medians = new Map<string, Map<number, number>>();
  for (const { routes } of times) {
    if (routes < SMALL) continue;
    const cluster = buildCluster({ ...FLEET, routes });
    for (const [what, change, steps] of changesOf({ ...FLEET, routes })) {
      const spent = spentOn(cluster, change, steps);
      const name = `fleet ${routes.toLocaleString("en-US")}, ${what}`;
      const p50 = median(spent);
      const bar = routes === LARGE && steps === CHANGES ? { bar: MAX_CHANGE_MS } : {};
      context.report({ case: name, metric: "p50", value: p50, unit: "ms", ...bar });
      context.report({ case: name, metric: "p99", value: quantile(spent, 0.99), unit: "ms" });
      const ofSize = medians.get(what) ?? new Map<number, number>();
      medians.set(what, ofSize.set(routes, p50));
    }
    reportRebuild(context, cluster);
  }
  for (const [what, bySize] of medians) {
    const [small, large] = [bySize.get(SMALL), bySize.get(LARGE)];
    if (small === undefined || large === undefined) continue;
    context.report({ case: what, metric: "p50 at 100,000 / p50 at 1,000", value: large / small, unit: "x", bar: 3 });
  }
  reportReach(context, Math.max(...times.map(({ routes }) => routes)));
}

function changesOf(shape: ShapeOptions): readonly (readonly [what: string, change: Change, steps: number])[] {
  const { routes, routesPerGateway } = shape;
  const gateways = Math.ceil(routes / routesPerGateway);
  // The changes are spread over the fleet; each object changes at most twice.
  const pick = (step: number, among: number): number => (step * 7919) % among;
  return [
    [
      "a rule of a route is added or removed",
      (step) => buildRoute(pick(step >> 1, routes), gateways, { ...shape, rules: shape.rules + ((step + 1) % 2) }),
      CHANGES,
    ],
    ["a route's policy changes", (step) => routePolicy(pick(step, routes >> 1) * 2, step + 1), CHANGES],
    ["a Gateway's policy changes", (step) => gatewayPolicy(pick(step, gateways), step + 1), GATEWAY_CHANGES],
  ];
}

/** An evaluation and its objects after the changes so far. */
interface ChangingCluster {
  evaluation: Evaluation;
  readonly objects: Map<string, unknown>;
}

const keyOf = ({ kind, metadata }: ClusterObject): string => `${kind}/${metadata.name}`;

function buildCluster(shape: ShapeOptions): ChangingCluster {
  const objects = new Map<string, unknown>();
  for (const object of buildShape(shape)) objects.set(keyOf(object), fresh(object));
  return { evaluation: evaluateAndRead([...objects.values()]).evaluation, objects };
}

/** A new object, as a watch delivers it. */
const fresh = (object: ClusterObject): unknown => parseTexts([JSON.stringify(object)])[0];

/** Applies changes one after the other, as a watch delivers them, with garbage collection at any time. */
function spentOn(cluster: ChangingCluster, change: Change, steps: number): readonly number[] {
  const spent: number[] = [];
  for (let step = 0; step < steps; step++) {
    const changed = change(step);
    const value = fresh(changed);
    const { ms, value: next } = timed(() => {
      const applied = apply(cluster.evaluation, [{ upsert: value }]);
      return { evaluation: applied.evaluation, delta: applied.delta, read: readDelta(applied.delta) };
    });
    if (next.read.changes === 0) throw new Error(`${keyOf(changed)} was changed, and the delta is empty`);
    spent.push(ms);
    cluster.objects.set(keyOf(changed), value);
    cluster.evaluation = next.evaluation;
  }
  return spent;
}

function reportRebuild(context: BenchContext, { evaluation, objects }: ChangingCluster): void {
  const value = readEvaluation(evaluation).checksum;
  const rebuilt = evaluateAndRead([...objects.values()]).reading.checksum;
  const name = `fleet ${objectCount(objects)} objects, after all changes`;
  context.report({ case: name, metric: "checksum of a rebuild", value, unit: "", ok: value === rebuilt });
}

const objectCount = (objects: ReadonlyMap<string, unknown>): string => objects.size.toLocaleString("en-US");

const REACH = { small: 100, large: 1_000 };
const REACH_ROUNDS = 5;
const REACH_CHANGES = 10;

/**
 * A policy of a Gateway reaches its routes: ten times as many routes take ten times the time. Both reaches are measured in turns, so that the
 * load of the machine affects both, and over the same number of paths, as a mean; otherwise only the large one would include collections.
 */
function reportReach(context: BenchContext, largest: number): void {
  const routes = Math.min(10_000, largest);
  if (REACH.large > routes) return;
  const small = reachOf(routes, REACH.small);
  const large = reachOf(routes, REACH.large);
  const rounds = Array.from({ length: REACH_ROUNDS }, () => {
    const spent = small.spend((REACH_CHANGES * REACH.large) / REACH.small);
    return { small: spent, large: large.spend(REACH_CHANGES) };
  });
  for (const reach of ["small", "large"] as const) {
    const name = `a Gateway's policy that reaches ${(REACH[reach] * 12).toLocaleString("en-US")} paths changes`;
    const value = median(rounds.map((round) => round[reach]));
    context.report({ case: name, metric: "mean", value, unit: "ms" });
  }
  const value = median(rounds.map((round) => round.large / round.small));
  context.report({ case: "a Gateway's policy changes", metric: "T(10 × reach)/T(reach)", value, unit: "x", bar: 11 });
}

/** A fleet whose Gateways have so many routes each. `spend`: the mean time of some changes of their policies, one Gateway after the other. */
function reachOf(routes: number, routesPerGateway: number): { readonly spend: (changes: number) => number } {
  const cluster = buildCluster({ ...FLEET, routes, routesPerGateway });
  const gateways = routes / routesPerGateway;
  let done = 0;
  return {
    spend: (changes) => {
      const times = spentOn(cluster, (step) => gatewayPolicy((done + step) % gateways, done + step + 1), changes);
      done += changes;
      return times.reduce((sum, ms) => sum + ms, 0) / times.length;
    },
  };
}

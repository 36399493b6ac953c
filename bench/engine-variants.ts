import type { BenchContext } from "./bench-context.ts";
import { buildShape, type ClusterObject, FLEET, policiesOnRoute, policyOnRoutes } from "./cluster-shapes.ts";
import { compareWithParse, evaluateAndRead, parseTexts } from "./engine-fleet.ts";

const ROUTES = 1_000;
const TARGETS = 10_000;
const REPETITIONS = 5;

/** Variants of the fleet, each larger in one dimension. */
export function benchVariants(context: BenchContext, largest: number): void {
  const routes = Math.min(ROUTES, largest);
  const fleet = { ...FLEET, routes };
  const targets = Math.min(TARGETS, largest);
  const variants: readonly (readonly [name: string, objects: () => Iterable<ClusterObject>])[] = [
    ["16 rules × 16 backends", () => buildShape({ ...fleet, rules: 16, backends: 16 })],
    ["64 listeners", () => buildShape({ ...fleet, listeners: 64 })],
    ["5 levels of policies", () => buildShape({ ...fleet, levels: "Five" })],
    ["32 parents per route", () => buildShape({ ...fleet, parents: 32 })],
    [
      `one policy → ${targets.toLocaleString("en-US")} targets`,
      () => [...buildShape({ ...FLEET, routes: targets }), policyOnRoutes(targets)],
    ],
    ["every route's policy has other settings", () => buildShape({ ...fleet, policies: "Different" })],
    ["paths go on to backends", () => buildShape({ ...fleet, ends: "Service" })],
    ["64 policies → one target", () => [...buildShape(fleet), ...policiesOnRoute(64, 0)]],
  ];
  for (const [name, objects] of variants) benchVariant(context, name, objects());
}

function benchVariant(context: BenchContext, name: string, objects: Iterable<ClusterObject>): void {
  const texts = [...objects].map((object) => JSON.stringify(object));
  const { parseMs, evaluateMs, ratio, reading } = compareWithParse(context, texts, REPETITIONS);
  const { paths, checksum } = reading;
  context.report({ case: name, metric: "paths", value: paths, unit: "" });
  context.report({ case: name, metric: "JSON.parse", value: parseMs, unit: "ms" });
  context.report({ case: name, metric: "evaluate and read", value: evaluateMs, unit: "ms" });
  context.report({ case: name, metric: "evaluate and read / JSON.parse", value: ratio, unit: "x" });
  context.report({ case: name, metric: "per path", value: (evaluateMs * 1000) / paths, unit: "µs" });
  const rebuilt = evaluateAndRead(parseTexts(texts).toReversed()).reading.checksum;
  context.report({ case: name, metric: "checksum of a rebuild", value: rebuilt, unit: "", ok: rebuilt === checksum });
}

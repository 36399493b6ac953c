/** The persistent map against a plain Map that is copied for each change, which is what it replaces. */
import { PersistentMap } from "../src/core/model/collections/persistent-map.ts";
import type { BenchContext } from "./bench-context.ts";
import { median, timed } from "./measure.ts";

const SIZES: readonly number[] = [1_000, 10_000, 100_000];
const BUILDS = 5;
const CHANGES = 200;
const COPIES = 20;

const entriesOf = (size: number): ReadonlyMap<string, number> =>
  new Map(
    Array.from({ length: size }, (_, index) => [`HTTPRoute.gateway.networking.k8s.io/shop/route-${index}`, index]),
  );

export function bench(context: BenchContext): void {
  for (const size of context.sizes(SIZES)) {
    const name = `${size.toLocaleString("en-US")} entries`;
    const keys = [...entriesOf(size).keys()];
    const built = median(Array.from({ length: BUILDS }, () => timed(() => PersistentMap.from(entriesOf(size))).ms));
    context.report({ case: name, metric: "PersistentMap: build", value: built, unit: "ms" });
    const changed = medianChange(CHANGES, PersistentMap.from(entriesOf(size)), (map, step) =>
      map.with(keys[(step * 7919) % size] ?? "", step),
    );
    context.report({ case: name, metric: "PersistentMap: one change", value: changed * 1000, unit: "µs" });
    const copied = medianChange(COPIES, entriesOf(size), (map, step) =>
      new Map(map).set(keys[(step * 7919) % size] ?? "", step),
    );
    context.report({ case: name, metric: "copied Map: one change", value: copied * 1000, unit: "µs" });
  }
}

/** The median of the milliseconds that one change takes. Each change starts from the version before it. */
function medianChange<T>(steps: number, first: T, change: (version: T, step: number) => T): number {
  let version = first;
  const spent: number[] = [];
  for (let step = 0; step < steps; step++) {
    const { value, ms } = timed(() => change(version, step));
    version = value;
    spent.push(ms);
  }
  return median(spent);
}

/** Compiling the gateway configuration of an evaluation, and keeping it up to date. All routes are attached to two listeners of one Gateway. */
import { compileDataplane, updateDataplane } from "../src/dataplane.ts";
import { apply, buildSnapshot, evaluate } from "../src/index.ts";
import type { BenchContext } from "./bench-context.ts";
import { median, quantile, timed } from "./measure.ts";

const OPTIONS = { endpointAnnotations: "Used" } as const;
const API = "gateway.networking.k8s.io";
const CHANGES = 300;

type Shape = "one host" | "a host each" | "one backend";
const SHAPES: readonly Shape[] = ["one host", "a host each", "one backend"];

const metadata = (name: string) => ({ name, namespace: "a" });

const routeOf = (shape: Shape, index: number, revision = 0) => ({
  apiVersion: `${API}/v1`,
  kind: "HTTPRoute",
  metadata: metadata(`r${index}`),
  spec: {
    parentRefs: [{ name: "g" }],
    hostnames: [shape === "a host each" ? `h${index}.example.com` : "example.com"],
    rules: [
      {
        matches: [{ path: { type: "PathPrefix", value: `/${index}/${revision}` } }],
        backendRefs: [{ name: `s${shape === "one backend" ? 0 : index}`, port: 80 }],
      },
    ],
  },
});

const serviceOf = (index: number, revision = 0) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { ...metadata(`s${index}`), annotations: { "prevail.dev/endpoints": `10.0.0.1:${revision + 1}` } },
  spec: { ports: [{ port: 80 }] },
});

const gateway = {
  apiVersion: `${API}/v1`,
  kind: "Gateway",
  metadata: metadata("g"),
  spec: {
    gatewayClassName: "c",
    listeners: [80, 81].map((port) => ({ name: `http-${port}`, port, protocol: "HTTP" })),
  },
};
const policy = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: metadata("p"),
  spec: { targetRefs: [{ group: API, kind: "Gateway", name: "g" }], defaults: { retry: { attempts: 2 } } },
};

export async function bench(context: BenchContext): Promise<void> {
  for (const routes of context.sizes([1_000, 10_000])) {
    for (const shape of SHAPES) benchShape(context, shape, routes);
  }
}

function benchShape(context: BenchContext, shape: Shape, routes: number): void {
  const name = `${routes.toLocaleString("en-US")} routes, ${shape}`;
  const indices = Array.from({ length: routes }, (_, index) => index);
  const objects = [gateway, policy, ...indices.flatMap((index) => [routeOf(shape, index), serviceOf(index)])];
  const evaluation = evaluate(buildSnapshot(objects));
  context.collectGarbage();
  const compiled = timed(() => compileDataplane(evaluation, OPTIONS));
  context.report({ case: name, metric: "compile", value: compiled.ms, unit: "ms" });

  let state = { evaluation, dataplane: compiled.value };
  for (const [what, change] of [
    ["a route", (step: number) => routeOf(shape, (step * 7919) % routes, step)],
    ["a list of endpoints", (step: number) => serviceOf((step * 7919) % routes, step)],
  ] as const) {
    const spent: number[] = [];
    context.emptyNursery();
    for (let step = 1; step <= CHANGES; step++) {
      const applied = apply(state.evaluation, [{ upsert: change(step) }]);
      const updated = timed(() => updateDataplane(state.dataplane, applied));
      spent.push(updated.ms);
      state = { evaluation: applied.evaluation, dataplane: updated.value.dataplane };
    }
    context.report({ case: `${name}, ${what} changes`, metric: "p50", value: median(spent), unit: "ms", bar: 1 });
    context.report({ case: `${name}, ${what} changes`, metric: "p99", value: quantile(spent, 0.99), unit: "ms" });
  }
}

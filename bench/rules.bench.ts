/**
 * The CEL rules of CRDs: what an object of a file costs more than one of a cluster, which the API server has accepted. Rules are compiled once,
 * so the time grows as that of JSON.parse does. Sizes are measured in turns, so that the load of the machine affects all of them.
 */

import type { JsonObject } from "../src/core/model/json.ts";
import { buildSnapshot, evaluate, findings } from "../src/index.ts";
import { customResourceDefinition } from "../test/support/crd/custom-resource.ts";
import type { BenchContext } from "./bench-context.ts";
import { FLEET } from "./cluster-shapes.ts";
import { parseTexts, textsOf, timedWhole } from "./engine-fleet.ts";
import { median } from "./measure.ts";

const OBJECTS = 1_000;
const ROUNDS = 9;
const STEP = 10;

export async function bench(context: BenchContext): Promise<void> {
  for (const [name, textsFor] of [
    ["HTTPRoutes, built-in rules", (objects: number) => textsOf({ ...FLEET, routes: objects })],
    ["a vendor's kind, 20 rules of its CRD", vendorTexts],
  ] as const) {
    const [small, large] = [textsFor(OBJECTS), textsFor(OBJECTS * STEP)];
    const rounds = Array.from({ length: ROUNDS }, () => [spentOn(context, small), spentOn(context, large)] as const);
    const [each, ofParse, growth] = [
      rounds.map(([one]) => one.rules / small.length),
      rounds.map(([, whole]) => whole.rules / whole.parse),
      rounds.map(([one, whole]) => whole.judged / one.judged / (whole.parse / one.parse)),
    ].map(median);
    context.report({ case: name, metric: "rules, mean of an object", value: each ?? 0, unit: "ms", bar: 1 });
    context.report({ case: name, metric: "rules, of JSON.parse", value: ofParse ?? 0, unit: "x" });
    context.report({
      case: name,
      metric: "T(10N)/T(N), of that of JSON.parse",
      value: growth ?? 0,
      unit: "x",
      bar: 1.3,
    });
  }
}

/** Milliseconds for parsing JSON, for an evaluation with the rules, and for the rules alone. */
interface Spent {
  readonly parse: number;
  readonly judged: number;
  readonly rules: number;
}

function spentOn(context: BenchContext, texts: readonly string[]): Spent {
  const { ms: parse, value: objects } = timedWhole(context, () => parseTexts(texts));
  const accepted = timedWhole(context, () => findingsOf(objects, { validated: true })).ms;
  const judged = timedWhole(context, () => findingsOf(objects, { validated: false })).ms;
  return { parse, judged, rules: judged - accepted };
}

/** Policies are judged when they are read as such. */
const findingsOf = (objects: Iterable<unknown>, options: { readonly validated: boolean }): number =>
  findings(evaluate(buildSnapshot(objects, options), { definitions: [] })).length;

/** Rules as vendors write them: fields that exclude each other, targets of some kinds, names that are unique. */
const RULES = [
  "!(has(self.targetRef) && has(self.targetRefs))",
  "has(self.targetRefs) ? self.targetRefs.all(r, r.group == 'gateway.networking.k8s.io') : true",
  "has(self.targetRefs) ? self.targetRefs.all(r, r.kind in ['Gateway', 'HTTPRoute', 'GRPCRoute']) : true",
  "!has(self.hosts) || self.hosts.all(h, !h.contains('*') || h.startsWith('*.'))",
];

function vendorTexts(objects: number): readonly string[] {
  const text = { type: "string" };
  const list = (items: JsonObject): JsonObject => ({ type: "array", items });
  const reference = { type: "object", properties: { group: text, kind: text, name: text } };
  const rules = Array.from({ length: 20 }, (_, at) => ({
    rule: RULES[at % RULES.length] ?? "",
    message: `rule ${at}`,
  }));
  const crd = customResourceDefinition({
    kind: "VendorPolicy",
    plural: "vendorpolicies",
    labels: { "gateway.networking.k8s.io/policy": "Direct" },
    spec: {
      type: "object",
      properties: { targetRef: reference, targetRefs: list(reference), hosts: list(text) },
      "x-kubernetes-validations": rules,
    },
  });
  const policy = (at: number): object => ({
    apiVersion: "example.com/v1",
    kind: "VendorPolicy",
    metadata: { name: `p${at}`, namespace: "default" },
    spec: {
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: `r${at}` }],
      hosts: [`h${at}.example.com`, "*.example.com"],
    },
  });
  return [crd, ...Array.from({ length: objects }, (_, at) => policy(at))].map((object) => JSON.stringify(object));
}

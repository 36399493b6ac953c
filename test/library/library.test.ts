import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as dataplane from "../../src/dataplane.ts";
import * as files from "../../src/files.ts";
import * as library from "../../src/index.ts";
import { gateway, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
/** The fenced blocks of a page, by their language. */
const blocks = (page: string, language: string): readonly string[] =>
  [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter(([, name]) => name === language).map(([, , text = ""]) => text);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("docs/library.md", () => {
  const page = read("docs/library.md");

  for (const [index, name, run] of [
    [0, "worked-example.ts", () => import("./worked-example.ts")],
    [1, "questions-example.ts", () => import("./questions-example.ts")],
    [2, "files-example.ts", () => import("./files-example.ts")],
  ] as const) {
    test(`shows ${name} as it is`, () => {
      const shown = read(`test/library/${name}`)
        .replace('"../../src/index.ts"', '"prevail"')
        .replace('"../../src/files.ts"', '"prevail/files"');
      expect(blocks(page, "ts")[index]).toBe(shown);
    });

    test(`shows what ${name} prints`, async () => {
      const lines: string[] = [];
      vi.spyOn(console, "log").mockImplementation((...words: readonly unknown[]) => void lines.push(words.join(" ")));
      await run();
      expect(`${lines.join("\n")}\n`).toBe(blocks(page, "text")[index]);
    });
  }

  for (const [heading, entry] of [
    ["What there is", library],
    ["Data planes", dataplane],
    ["Files", files],
  ] as const) {
    test(`names every function that there is, under "${heading}"`, () => {
      const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
      const listed = [...section.matchAll(/^\| `(\w+)\(/gm)].map(([, name = ""]) => name);
      expect(listed.toSorted()).toEqual(Object.keys(entry).toSorted());
    });
  }
});

describe("what callers get", () => {
  const evaluation = library.evaluate(library.buildSnapshot([gateway("g"), routeTo("r", "Gateway/g"), service("s")]));

  test("an Evaluation and a Snapshot have no properties", () => {
    for (const opaque of [evaluation, library.buildSnapshot([])]) {
      expect(Reflect.ownKeys(opaque)).toEqual([]);
      expect(JSON.stringify(opaque)).toBe("{}");
    }
    expect(Object.keys(library.apply(evaluation, []))).toEqual(["evaluation", "delta"]);
  });

  test("effective policies and verdicts can be iterated twice", () => {
    const retry = policy("RetryPolicy", "p", "Gateway/g", { retry: { attempts: 1 } }, { group: "prevail.dev" });
    const { evaluation: next } = library.apply(evaluation, [{ upsert: retry }]);
    for (const iterable of [library.effectivePolicies(next), library.verdicts(next)]) {
      const first = [...iterable];
      expect(first.length).toBeGreaterThan(0);
      expect([...iterable]).toEqual(first);
    }
  });

  test("a target by text, by id and by reference", () => {
    const ref = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "default", name: "r" };
    for (const name of ["httproute/r", "HTTPRoutes/default/r", library.objectId(ref), ref]) {
      expect(library.findTargets(evaluation, name)).toEqual([ref]);
      expect(library.explain(evaluation, name)?.target).toEqual(ref);
    }
    const rule = { ...ref, sectionName: "rule-1" };
    expect(library.findTargets(evaluation, "httproute/r#rule-1")).toEqual([rule]);
    expect(library.explain(evaluation, rule)?.target).toEqual(rule);
    for (const wrong of [
      "httproute/q",
      "httproute/r#rule-2",
      "httproute",
      "route/r",
      "a/b/c/d",
      { ...ref, name: "q" },
    ]) {
      expect(library.findTargets(evaluation, wrong)).toEqual([]);
      expect(library.explain(evaluation, wrong)).toBeUndefined();
      expect(library.reach(evaluation, wrong)).toBeUndefined();
    }
    expect(library.findTargets(evaluation, "gatewayclass/class")).toHaveLength(1);
  });

  test("traceMesh: a request from a namespace to the Service that the host names", () => {
    const at = (host: string, port?: number) =>
      library.traceMesh(
        evaluation,
        { method: "get", host, path: "/", ...(port === undefined ? {} : { port }) },
        { from: "default" },
      );
    for (const host of ["s", "S.default", "s.default.svc.cluster.local"])
      expect(at(host)).toMatchObject({ outcome: "Unrouted", from: "default", service: { kind: "Service", name: "s" } });
    expect(at("s", 81)).toMatchObject({ outcome: "NoPort", ports: [80] });
    expect(at("t")).toBeUndefined();
    expect(at("s.other")).toBeUndefined();
  });

  test("results are plain data", () => {
    const retry = policy("RetryPolicy", "p", "Gateway/g", { retry: { attempts: 1 } }, { group: "prevail.dev" });
    const { evaluation: next } = library.apply(evaluation, [{ upsert: retry }]);
    const ref = { group: "prevail.dev", kind: "RetryPolicy", namespace: "default", name: "p" };
    for (const result of [
      library.explain(next, "httproute/r"),
      library.reach(next, "retrypolicy/p"),
      library.plan(next, [{ delete: ref }]),
      library.trace(next, { method: "GET", host: "a.example", path: "/" }),
      library.traceMesh(next, { method: "GET", host: "s", path: "/" }, { from: "default" }),
      library.check(next),
    ]) {
      expect(result).toBeDefined();
      // toEqual, not toStrictEqual: a field that is undefined is left out of JSON.
      expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    }
  });
});

describe("the package", () => {
  const { exports } = JSON.parse(read("package.json")) as { readonly exports: Readonly<Record<string, unknown>> };

  test("exposes these entries and nothing else", () => {
    expect(Object.keys(exports)).toEqual([".", "./dataplane", "./files", "./package.json"]);
  });

  test("exposes these functions and nothing else", () => {
    expect(Object.keys(library).toSorted()).toEqual([
      "affected",
      "apply",
      "buildSnapshot",
      "buildStatus",
      "builtInDefinitions",
      "caveatsFor",
      "check",
      "createCel",
      "effectivePolicies",
      "evaluate",
      "explain",
      "findTargets",
      "findings",
      "how",
      "objectId",
      "parseObjectId",
      "parseTargetId",
      "plan",
      "reach",
      "trace",
      "traceMesh",
      "vendorDefinitions",
      "verdicts",
    ]);
  });

  test.each(["core/evaluate.js", "dist/core/evaluate.js", "dist/index.js", "src/index.ts"])(
    "%s cannot be reached",
    (path) => {
      const { resolve } = createRequire(import.meta.url);
      expect(() => resolve(`prevail/${path}`)).toThrow(
        expect.objectContaining({ code: "ERR_PACKAGE_PATH_NOT_EXPORTED" }),
      );
    },
  );
});

test("compileDataplane and updateDataplane: what a gateway must do, and what a change leaves alone", () => {
  const objects = [gateway("g"), routeTo("one", "Gateway/g", "s"), routeTo("two", "Gateway/g", "s")];
  const evaluation = library.evaluate(library.buildSnapshot(objects));
  const before = dataplane.compileDataplane(evaluation, { endpointAnnotations: "Used" });
  const rules = ({ gateways }: dataplane.DataplaneConfig) =>
    gateways.flatMap(({ ports }) =>
      ports.flatMap(({ listeners }) =>
        listeners.flatMap(({ virtualHosts }) => virtualHosts.flatMap(({ routes }) => routes.map(({ rule }) => rule))),
      ),
    );
  expect(rules(before).map(({ route, action }) => [route.name, action.type])).toEqual([
    ["one", "Respond"],
    ["two", "Respond"],
  ]);
  const applied = library.apply(evaluation, [{ upsert: { ...routeTo("two", "Gateway/g", "t") } }]);
  const { dataplane: after, delta } = dataplane.updateDataplane(before, applied);
  expect(delta).toMatchObject({ gateways: [{ kind: "Gateway", name: "g" }], backends: [], endpoints: [] });
  expect(rules(after)[0]).toBe(rules(before)[0]);
  expect(rules(after)[1]).not.toBe(rules(before)[1]);
});

describe("evaluate", () => {
  const definition = {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "wordpolicies.example.com" },
    spec: {
      policies: [{ group: "example.com", kind: "WordPolicy" }],
      class: "Inherited",
      targeting: { kinds: ["Gateway", "HTTPRoute"] },
      hierarchy: { effectiveTargets: ["HTTPRoute"] },
      merge: { granularity: { default: "Field" } },
    },
  };
  const snapshot = (when: string) =>
    library.buildSnapshot([
      definition,
      gateway("g"),
      routeTo("r", "Gateway/g"),
      policy("WordPolicy", "low", "HTTPRoute/r", { word: "please" }),
      policy("WordPolicy", "high", "Gateway/g", { overrides: { when, word: "now" } }),
    ]);
  const words = (when: string, options?: library.EvaluateOptions) =>
    [...library.effectivePolicies(library.evaluate(snapshot(when), options))].map(({ spec }) => spec["word"]);

  test("evaluates conditions without any option, regular expressions too", () => {
    expect(words('spec.word.matches("^pl")')).toEqual(["now"]);
    expect(words('spec.word.matches("^no")')).toEqual(["please"]);
  });

  test("takes another evaluator", () => {
    expect(words("whatever", { cel: () => ({ state: "value", value: false }) })).toEqual(["please"]);
    // One unit is not enough: an error, which fails closed for an override.
    expect(words('spec.word == "no"', { cel: library.createCel({ maxCost: 1 }) })).toEqual(["now"]);
  });

  test("knows the built-in kinds unless it is given others", () => {
    const retry = policy("RetryPolicy", "p", "Gateway/g", { retry: { attempts: 1 } }, { group: "prevail.dev" });
    const objects = [gateway("g"), routeTo("r", "Gateway/g"), retry];
    const count = (options?: library.EvaluateOptions) =>
      [...library.verdicts(library.evaluate(library.buildSnapshot(objects), options))].length;
    expect([count(), count({ definitions: library.builtInDefinitions() }), count({ definitions: [] })]).toEqual([
      1, 1, 0,
    ]);
  });

  test("ids lead back to names", () => {
    const ref = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "a", name: "b.c" };
    expect(library.parseObjectId(library.objectId(ref))).toEqual(ref);
    const [one] = library.effectivePolicies(library.evaluate(snapshot("true")));
    expect(one && library.parseTargetId(one.target)).toEqual({
      object: "HTTPRoute.gateway.networking.k8s.io/default/r",
    });
  });
});

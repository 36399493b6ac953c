import { afterAll, describe, expect, test, vi } from "vitest";
import { parseDocuments } from "../../src/adapters/files/parse-documents.ts";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import { apply, buildStatus, effectivePolicies, findings, type Verdict, verdicts } from "../../src/index.ts";
import { type Evaluation, evaluateDocuments, outputOf, resultsOf } from "../property/evaluate-cluster.ts";
import { gatewayGroup } from "../property/random/define-kind.ts";
import { refOf } from "../property/random/random-history.ts";
import { bakery, definitions, gateway, httpRoute, policy, service, toGateway, toRoute } from "./bakery-cluster.ts";
import { mutantsOf, pathsIn } from "./mutations.ts";

// Each test takes one or two seconds on an idle machine.
vi.setConfig({ testTimeout: 60_000 });
afterAll(() => vi.resetConfig());

const DEPTH = 10_000;
const MANY = 100_000;
const TEN_MEGABYTES = 10 * 1024 * 1024;

function nested(depth: number, wrap: (inner: Json) => Json): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}
const deepMap = nested(DEPTH, (inner) => ({ a: inner }));
const deepList = nested(DEPTH, (inner) => [inner]);

const metadataOf = (object: JsonObject): JsonObject => object["metadata"] as JsonObject;
const specOf = (object: JsonObject): JsonObject => object["spec"] as JsonObject;
/** A copy under another name, which no object of the bakery refers to. */
const spare = (object: JsonObject, fields: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...metadataOf(object), name: "spare", labels: {} },
  ...fields,
});

const start = evaluateDocuments(bakery, definitions);
const untouched = resultsOf(start);

describe("an object nested ten thousand levels deep is reported and does not affect others", () => {
  const rows: readonly (readonly [string, JsonObject])[] = [
    ["a policy's rule", policy("MergePolicy", "spare", { targetRef: toGateway, limits: { a: deepMap } })],
    ["a policy's bare spec", policy("PatchPolicy", "spare", { targetRef: toGateway, color: deepList })],
    ["a policy's overrides", policy("PatchPolicy", "spare", { targetRef: toRoute, overrides: { colors: deepMap } })],
    ["a policy's target", policy("MergePolicy", "spare", { targetRef: deepMap, limits: { a: 1 } })],
    [
      "a policy's metadata",
      {
        ...policy("MergePolicy", "spare", { targetRef: toGateway }),
        metadata: { name: "spare", namespace: "bakery", labels: deepMap },
      },
    ],
    ["a Gateway", spare(gateway, { spec: { ...specOf(gateway), listeners: deepList } })],
    ["an HTTPRoute", spare(httpRoute, { spec: { ...specOf(httpRoute), rules: [{ retry: deepMap }] } })],
    ["a Service", spare(service, { spec: deepMap })],
    [
      "a CRD's schema",
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "spare", labels: { "gateway.networking.k8s.io/policy": "Inherited" } },
        spec: {
          group: "example.com",
          names: { kind: "Spare" },
          scope: "Namespaced",
          versions: [
            { name: "v1", schema: { openAPIV3Schema: nested(DEPTH, (inner) => ({ properties: { spec: inner } })) } },
          ],
        },
      },
    ],
    [
      "a PolicyDefinition",
      { apiVersion: "prevail.dev/v1alpha1", kind: "PolicyDefinition", metadata: { name: "spare" }, spec: deepMap },
    ],
    ["an unknown kind", { apiVersion: "x.example.com/v1", kind: "Spare", metadata: { name: "spare" }, spec: deepMap }],
  ];
  test.each(rows)("%s", (_, object) => {
    const evaluation = evaluateDocuments([object, ...bakery], definitions);
    const { verdicts: lines, ...rest } = resultsOf(evaluation);
    const isOther = (line: string): boolean => !line.includes("/spare");
    expect(rest).toStrictEqual({ effective: untouched.effective, affected: untouched.affected });
    expect(lines.filter(isOther)).toStrictEqual(untouched.verdicts);
    const own = findings(evaluation).filter((finding) => finding.object?.endsWith("/spare"));
    expect(own.length).toBeGreaterThan(0);
    for (const { severity, field } of own) expect([severity, typeof field]).toEqual(["error", "string"]);
    // A change that adds it gives the same result.
    expect(outputOf(apply(start, [{ upsert: object }]).evaluation)).toStrictEqual(outputOf(evaluation));
  });
});

describe("text nested ten thousand levels deep", () => {
  const good = "apiVersion: v1\nkind: Namespace\nmetadata: {name: good}\n";
  const rows: readonly (readonly [string, string])[] = [
    ["YAML lists", "[".repeat(DEPTH) + "]".repeat(DEPTH)],
    ["YAML maps", `${"{a: ".repeat(DEPTH)}1${"}".repeat(DEPTH)}`],
    ["JSON", `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`],
    ["block lists", `x:\n  ${"- ".repeat(DEPTH)}1`],
    ["unclosed", "[".repeat(DEPTH)],
  ];
  test.each(rows)("%s", (_, text) => {
    const { documents, findings: problems } = parseDocuments(`${good}---\n${text}\n---\n${good}`, "deep.yaml");
    expect(documents.map(({ value }) => value)).toEqual([expect.anything(), expect.anything()]);
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([["TooDeep", "error"]]);
    expect(problems[0]?.line).toBe(text.startsWith("x:") ? 6 : 5);
  });
});

describe("YAML aliases that expand exponentially", () => {
  const laughs = Array.from({ length: 40 }, (_, at) =>
    at === 0
      ? "l0: &l0 [ha, ha, ha]"
      : `l${at}: &l${at} [${Array(10)
          .fill(`*l${at - 1}`)
          .join(", ")}]`,
  ).join("\n");

  test("in a file are an error", () => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n${laughs}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: good}\n`;
    const { documents, findings: problems } = parseDocuments(text, "laughs.yaml");
    expect(problems.map(({ code }) => code)).toEqual(["TooManyAliases"]);
    expect(documents).toHaveLength(1);
  });

  test("an alias that contains itself is an error", () => {
    const { documents, findings: problems } = parseDocuments("x: &x [*x]\n", "loop.yaml");
    expect(documents).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(["BadAlias"]);
  });

  let shared: Json = { ha: 1 };
  for (let level = 0; level < 60; level++) shared = { a: shared, b: shared };
  test.each([
    ["a policy", policy("MergePolicy", "spare", { targetRef: toGateway, limits: { a: shared } })],
    ["a patch", policy("PatchPolicy", "spare", { targetRef: toGateway, overrides: { colors: shared } })],
    ["a route", spare(httpRoute, { spec: { ...specOf(httpRoute), rules: [{ retry: shared }] } })],
    ["an unknown kind", { apiVersion: "x.example.com/v1", kind: "Spare", metadata: { name: "spare" }, spec: shared }],
  ])("in objects that share parts: %s", (_, object) => {
    const evaluation = evaluateDocuments([object, ...bakery], definitions);
    expect(resultsOf(evaluation).effective).toStrictEqual(untouched.effective);
    expect(findings(evaluation).some((finding) => finding.object?.endsWith("/spare"))).toBe(true);
  });

  test("an object that contains itself is an error", () => {
    const loop: { [key: string]: Json } = { a: 1 };
    loop["self"] = loop;
    const object = policy("MergePolicy", "spare", { targetRef: toGateway, limits: { a: loop } });
    const evaluation = evaluateDocuments([object, ...bakery], definitions);
    expect(resultsOf(evaluation).effective).toStrictEqual(untouched.effective);
    expect(findings(evaluation).some((finding) => finding.object?.endsWith("/spare"))).toBe(true);
  });
});

describe("one policy with a hundred thousand targets", () => {
  const target = (at: number): JsonObject => ({
    group: gatewayGroup,
    kind: "Gateway",
    name: at === 4711 ? "front" : `gone-${at}`,
  });

  test("one of them exists", () => {
    const targetRefs = Array.from({ length: MANY }, (_, at) => target(at));
    const many = policy("MergePolicy", "many", { targetRefs, overrides: { strategy: "merge", limits: { many: 1 } } });
    const evaluation = evaluateDocuments([...bakery, many], definitions);
    const verdict = [...verdicts(evaluation)].find((one) => one.policy.endsWith("/many"))?.verdict;
    expect(verdict).toMatchObject({ state: "Accepted", enforcement: "Enforced" });
    const specs = [...effectivePolicies(evaluation)].filter(({ policyKind }) => policyKind.kind === "MergePolicy");
    expect(specs.some(({ spec }) => (spec["limits"] as JsonObject)["many"] === 1)).toBe(true);
  });

  test("all of them are the same", () => {
    const targetRefs = Array.from({ length: MANY }, () => toGateway);
    const many = policy("MergePolicy", "many", { targetRefs, overrides: { strategy: "merge", limits: { many: 1 } } });
    const once = policy("MergePolicy", "many", {
      targetRefs: [toGateway],
      overrides: { strategy: "merge", limits: { many: 1 } },
    });
    expect(resultsOf(evaluateDocuments([...bakery, many], definitions))).toStrictEqual(
      resultsOf(evaluateDocuments([...bakery, once], definitions)),
    );
  });

  const services = Array.from({ length: MANY }, (_, at) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `s${at}`, namespace: "bakery", labels: { app: "many" } },
    spec: { ports: [] },
  }));
  const onServices = (prefix: string, color: number): JsonObject => {
    const targetRefs = services.map((_, at) => ({ group: "", kind: "Service", name: `${prefix}${at}` }));
    return policy("DirectPolicy", "many", { targetRefs, color });
  };
  const verdictOfMany = (evaluation: Evaluation): Verdict | undefined =>
    [...verdicts(evaluation)].find((one) => one.policy.endsWith("/many"))?.verdict;
  const everywhere = { state: "Accepted", enforcement: "Enforced", total: { paths: MANY, full: MANY } };

  test("all of them exist", () => {
    const evaluation = evaluateDocuments([...services, onServices("s", 1)], definitions);
    expect(verdictOfMany(evaluation)).toMatchObject(everywhere);
  });

  test("none of them exists, and the policy is added, changed and deleted", () => {
    let { evaluation } = apply(start, [{ upsert: onServices("gone-", 1) }]);
    for (const next of [onServices("gone-", 2), onServices("lost-", 2)]) {
      evaluation = apply(evaluation, [{ upsert: next }]).evaluation;
      expect(verdictOfMany(evaluation)).toMatchObject({ state: "Unknown", reason: "Incomplete" });
    }
    const entries = buildStatus(evaluation, { controllerName: "example.com/c" }).policies.find(({ policy: id }) =>
      id.endsWith("/many"),
    );
    expect(entries?.ancestors).toHaveLength(16);
    evaluation = apply(evaluation, [{ delete: refOf(onServices("lost-", 2)) }]).evaluation;
    expect(resultsOf(evaluation)).toStrictEqual(untouched);
  });

  test("all of them exist, and the policy is added and changed", () => {
    let evaluation = evaluateDocuments(services, definitions);
    for (const color of [1, 2]) {
      evaluation = apply(evaluation, [{ upsert: onServices("s", color) }]).evaluation;
      expect(verdictOfMany(evaluation)).toMatchObject(everywhere);
    }
    evaluation = apply(evaluation, [{ upsert: onServices("lost-", 2) }]).evaluation;
    expect(verdictOfMany(evaluation)).toMatchObject({ state: "Unknown", reason: "Incomplete" });
  });
});

describe("the cost of missing names does not depend on the number of existing names", () => {
  const named = (kind: string, name: string, spec: JsonObject): JsonObject => ({
    apiVersion: kind === "Service" ? "v1" : `${gatewayGroup}/v1`,
    kind,
    metadata: { name, namespace: "bakery" },
    spec,
  });
  const absent = (at: number): string => `rxute-nxme-z${at}`;

  test("missing sections of an object with as many other sections", () => {
    const ports = Array.from({ length: 10_000 }, (_, at) => ({ name: `port-number-${at}`, port: 1 + at }));
    const targetRefs = ports.map((_, at) => ({ group: "", kind: "Service", name: "s", sectionName: `absent-${at}` }));
    const evaluation = evaluateDocuments(
      [named("Service", "s", { ports }), policy("DirectPolicy", "many", { targetRefs, color: 1 })],
      definitions,
    );
    const messages = findings(evaluation).flatMap(({ code, message }) => (code === "SectionNotFound" ? [message] : []));
    expect(messages).toHaveLength(10_000);
    expect(messages[0]).toBe(
      "Service bakery/s has no port named 'absent-0'; it has: port-number-0, port-number-1, port-number-2, port-number-3, port-number-4, port-number-5, port-number-6, port-number-7, port-number-8, port-number-9 and 9990 more",
    );
  });

  test("missing targets of one policy: a suggestion for the first of them", () => {
    const routes = Array.from({ length: 2_000 }, (_, at) => named("HTTPRoute", `route-name-${at}`, {}));
    const targetRefs = Array.from({ length: 60_000 }, (_, at) => ({
      group: gatewayGroup,
      kind: "HTTPRoute",
      name: absent(at),
    }));
    const many = policy("MergePolicy", "many", { targetRefs, limits: { a: 1 } });
    const messages = findings(evaluateDocuments([...routes, many], definitions)).flatMap(({ code, field, message }) =>
      code === "TargetNotFound" ? [[field, message]] : [],
    );
    expect(messages).toHaveLength(60_000);
    const byField = new Map(messages as [string, string][]);
    expect(byField.get("spec.targetRefs[0].name")).toMatch(/did you mean 'route-name-0'\?$/);
    expect(byField.get("spec.targetRefs[20].name")).toBe(`no HTTPRoute '${absent(20)}' in namespace 'bakery'`);
  });

  test("missing backends of as many routes as there are Services", () => {
    const objects = Array.from({ length: 8_000 }, (_, at) => [
      named("Service", `route-name-${at}`, { ports: [{ port: 80 }] }),
      named("HTTPRoute", `r${at}`, { rules: [{ backendRefs: [{ name: absent(at), port: 80 }] }] }),
    ]).flat();
    const messages = findings(evaluateDocuments(objects, definitions)).flatMap(({ code, message }) =>
      code === "BackendNotFound" ? [message] : [],
    );
    expect(messages).toHaveLength(8_000);
    for (const message of messages) expect(message).toMatch(/did you mean 'route-name-\d+'\?$/);
  });
});

describe("ninety thousand settings that conflict with as many others", () => {
  const SETTINGS = 90_000;
  const names = Array.from({ length: SETTINGS }, (_, at) => `key-${at}`);
  const all = (value: Json): JsonObject => Object.fromEntries(names.map((name) => [name, value]));
  const halfOf = (values: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(values).filter((_, at) => at % 2 === 0));
  const rows: readonly (readonly [string, string, JsonObject, JsonObject, JsonObject])[] = [
    ["an Atomic override", "PatchPolicy", { overrides: { colors: all(1) } }, { colors: all(2) }, { colors: all(1) }],
    ["an Atomic default", "PatchPolicy", { defaults: { color: all(1) } }, { colors: all(2) }, { colors: all(2) }],
    [
      "overrides that replace maps",
      "PatchPolicy",
      { overrides: { strategy: "patch", colors: halfOf(all(1)) } },
      { colors: halfOf(all({ dark: 2 })) },
      { colors: halfOf(all(1)) },
    ],
    [
      "one override that replaces all",
      "PatchPolicy",
      { overrides: { strategy: "patch", colors: 1 } },
      { colors: all(2) },
      { colors: 1 },
    ],
    [
      "many overrides that replace one",
      "PatchPolicy",
      { overrides: { strategy: "patch", colors: all(1) } },
      { colors: 2 },
      { colors: all(1) },
    ],
    [
      "removals by name",
      "MergePolicy",
      { defaults: { strategy: "merge", limits: all(1) } },
      { limits: { a: 1 }, remove: names },
      { limits: { a: 1 } },
    ],
    [
      "removals by path",
      "PatchPolicy",
      { defaults: { strategy: "patch", colors: all(1) } },
      { color: 1, remove: names.map((name) => `colors.${name}`) },
      { color: 1 },
    ],
  ];
  test.each(rows)("%s", (_, kind, above, below, expected) => {
    const cluster = [
      ...bakery.filter((object) => object["kind"] !== kind),
      policy(kind, "above", { targetRef: toGateway, ...above }),
      policy(kind, "below", { targetRef: toRoute, ...below }),
    ];
    const evaluation = evaluateDocuments(cluster, definitions);
    const effective = [...effectivePolicies(evaluation)].find(
      ({ policyKind, path }) => policyKind.kind === kind && path.some(({ name }) => name === refOf(httpRoute).name),
    );
    expect(effective?.spec).toEqual(expected);
  });
});

describe("ten megabytes in one object", () => {
  const text = "x".repeat(TEN_MEGABYTES);
  const wide = Object.fromEntries(Array.from({ length: 120_000 }, (_, at) => [`key-${at}`, "y".repeat(75)]));
  const rows: readonly (readonly [string, JsonObject, string | undefined])[] = [
    ["a policy's rule", policy("MergePolicy", "spare", { targetRef: toGateway, limits: { big: text } }), "Overridden"],
    [
      "a hundred and twenty thousand rules",
      policy("MergePolicy", "spare", { targetRef: toGateway, limits: wide }),
      "spec",
    ],
    [
      "a hundred and twenty thousand leaves",
      policy("PatchPolicy", "spare", { targetRef: toRoute, overrides: { strategy: "patch", colors: wide } }),
      "spec",
    ],
    ["a label", spare(gateway, { metadata: { name: "spare", namespace: "bakery", labels: { big: text } } }), undefined],
    ["a name", spare(gateway, { metadata: { name: text, namespace: "bakery" } }), "NotAnObject"],
    ["annotations", spare(service, { metadata: { name: "spare", namespace: "bakery", annotations: wide } }), undefined],
    [
      "a condition",
      policy("MergePolicy", "spare", {
        targetRef: toGateway,
        defaults: { when: `spec.a == '${text}'`, limits: { a: 1 } },
      }),
      "Enforced",
    ],
    [
      "a removal",
      policy("MergePolicy", "spare", { targetRef: toGateway, remove: [text], limits: { a: 1 } }),
      "PartiallyEnforced",
    ],
    ["a hostname", spare(httpRoute, { spec: { ...specOf(httpRoute), hostnames: [text] } }), "spec.hostnames[0]"],
  ];
  test.each(rows)("%s", (_, object, outcome) => {
    const evaluation = evaluateDocuments([...bakery, object], definitions);
    const verdict = [...verdicts(evaluation)].find(({ policy: id }) => id.endsWith("/spare"))?.verdict;
    const errors = findings(evaluation).filter(
      ({ object: id, severity }) => severity === "error" && (id === undefined || id.endsWith("/spare")),
    );
    expect(verdict?.state === "Accepted" ? verdict.enforcement : (errors[0]?.field ?? errors[0]?.code)).toEqual(
      outcome,
    );
    if (verdict?.state !== "Accepted") expect(resultsOf(evaluation).effective).toStrictEqual(untouched.effective);
    // No message repeats ten megabytes.
    for (const finding of findings(evaluation)) expect(finding.message.length).toBeLessThanOrEqual(2000);
  });

  test("as text", () => {
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big}\ndata: {big: ${text}}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: good}\n`;
    const { documents, findings: problems } = parseDocuments(yaml, "big.yaml");
    expect(documents).toHaveLength(2);
    expect(problems).toEqual([]);
  });
});

describe("no message repeats a hundred thousand characters of a field", () => {
  const long = "x".repeat(100_000);
  test.each(bakery.map((object) => [`${refOf(object).kind} ${refOf(object).name}`, object] as const))(
    "%s",
    (_, object) => {
      const mutants = mutantsOf(object, pathsIn(object), () => [long]);
      const evaluation = evaluateDocuments([...bakery, ...mutants.map(({ value }) => value)], definitions);
      const all = findings(evaluation);
      expect(all.length).toBeGreaterThan(0);
      for (const { message, field = "" } of all) {
        expect(message.length).toBeLessThanOrEqual(2000);
        expect(field.length).toBeLessThanOrEqual(500);
      }
      for (const { verdict } of verdicts(evaluation))
        if (verdict.state === "NotAccepted") expect(verdict.message.length).toBeLessThanOrEqual(2000);
    },
  );
});

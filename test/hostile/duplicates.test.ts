import { describe, expect, test } from "vitest";
import { createCel } from "../../src/core/model/cel/create-cel.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { SourcePosition } from "../../src/core/model/kube-object.ts";
import { apply, buildSnapshot, type Change, evaluate, findings, verdicts } from "../../src/index.ts";
import { type Evaluation, outputOf, resultsOf } from "../property/evaluate-cluster.ts";
import { refOf } from "../property/random/random-history.ts";
import { bakery, definitions, gateway, grant, httpRoute, mergePolicy, service } from "./bakery-cluster.ts";

interface Document {
  readonly value: unknown;
  readonly source: SourcePosition;
}

const at = (value: unknown, file: string, line: number): Document => ({ value, source: { file, line, column: 1 } });
const run = (documents: readonly Document[]): Evaluation =>
  evaluate(
    buildSnapshot(
      documents.map(({ value }) => value),
      { positions: documents.map(({ source }) => source) },
    ),
    { definitions, cel: createCel() },
  );
const upsert = ({ value, source }: Document): Change => ({ upsert: value, position: source });

const changed = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), labels: { team: "blue" } },
  spec: { ...(object["spec"] as JsonObject), rules: [], limits: { a: 99 } },
});

describe("two documents for one object are an error that names both positions", () => {
  const rows: readonly (readonly [string, JsonObject])[] = [gateway, httpRoute, service, grant, mergePolicy].map(
    (object) => [refOf(object).kind, object],
  );

  test.each(rows)("%s, with different contents", (_, object) => {
    const others = bakery
      .filter((one) => one !== object && one["kind"] !== "CustomPolicy")
      .map((value, line) => at(value, "bakery.yaml", line + 1));
    const first = at(object, "one.yaml", 11);
    const second = at(changed(object), "two.yaml", 22);
    const forwards = run([first, ...others, second]);
    const backwards = run([second, ...others.toReversed(), first]);
    expect(resultsOf(backwards)).toStrictEqual(resultsOf(forwards));
    for (const evaluation of [forwards, backwards]) {
      const errors = findings(evaluation).filter(
        ({ severity, object: id }) => severity === "error" && id?.endsWith(`/${refOf(object).name}`),
      );
      const positions = errors
        .map((finding) => JSON.stringify(finding))
        .filter((text) => text.includes("one.yaml") && text.includes("two.yaml"));
      expect(positions.length, JSON.stringify(errors)).toBeGreaterThan(0);
    }
  });

  test.each(rows)("%s, three times, in every order", (_, object) => {
    const versions = [
      at(object, "a.yaml", 1),
      at(changed(object), "b.yaml", 2),
      at({ ...object, spec: {} }, "c.yaml", 3),
    ];
    const others = bakery
      .filter((one) => one !== object && one["kind"] !== "CustomPolicy")
      .map((value, line) => at(value, "bakery.yaml", line + 1));
    const [a, b, c] = versions as [Document, Document, Document];
    const orders = [
      [a, b, c],
      [a, c, b],
      [b, a, c],
      [b, c, a],
      [c, a, b],
      [c, b, a],
    ];
    const outcomes = orders.map((order) => JSON.stringify(resultsOf(run([...order, ...others]))));
    expect(new Set(outcomes).size).toBe(1);
  });

  test("in two versions of its API", () => {
    const older = { ...httpRoute, apiVersion: "gateway.networking.k8s.io/v1beta1" };
    const others = bakery
      .filter((one) => one !== httpRoute && one["kind"] !== "CustomPolicy")
      .map((value, line) => at(value, "bakery.yaml", line + 1));
    const forwards = run([at(httpRoute, "one.yaml", 1), ...others, at(older, "two.yaml", 2)]);
    const backwards = run([at(older, "two.yaml", 2), ...others, at(httpRoute, "one.yaml", 1)]);
    expect(resultsOf(backwards)).toStrictEqual(resultsOf(forwards));
    expect(
      findings(forwards).some(
        (finding) => JSON.stringify(finding).includes("one.yaml") && JSON.stringify(finding).includes("two.yaml"),
      ),
    ).toBe(true);
  });
});

describe("the scope of a kind, which a definition sets, decides whether two documents are for one object", () => {
  const onGateway = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" };
  const definition = (scope: string): JsonObject => ({
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: "spares.example.com" },
    spec: {
      policies: [{ group: "example.com", kind: "Spare", scope }],
      class: "Inherited",
      targeting: { kinds: ["Gateway", "GatewayClass"] },
    },
  });
  const spare = (namespace: string | undefined, color: number, more: JsonObject = {}): JsonObject => ({
    apiVersion: "example.com/v1",
    kind: "Spare",
    metadata: { name: "p", ...(namespace === undefined ? {} : { namespace }), ...more },
    spec: { targetRef: onGateway, defaults: { color } },
  });
  const duplicates = (evaluation: Evaluation): readonly (string | undefined)[] =>
    findings(evaluation).flatMap(({ code, object }) => (code === "DuplicateObject" ? [object] : []));
  const remove = {
    delete: { group: "prevail.dev", kind: "PolicyDefinition", namespace: "", name: "spares.example.com" },
  };

  test.each([
    [
      "without a namespace, and in the namespace default",
      "Namespaced",
      undefined,
      "default",
      "Spare.example.com/default/p",
    ],
    ["cluster-scoped, without a namespace and with one", "Cluster", undefined, "weird", "Spare.example.com//p"],
  ])("%s", (_, scope, one, other, id) => {
    const first = at(spare(one, 1), "one.yaml", 1);
    const second = at(spare(other, 2), "two.yaml", 2);
    const rules = at(definition(scope), "rules.yaml", 1);
    const forwards = run([rules, first, second]);
    const backwards = run([second, first, rules]);
    expect(outputOf(backwards)).toStrictEqual(outputOf(forwards));
    expect(duplicates(forwards)).toEqual([id]);
    const [finding] = findings(forwards).filter(({ code }) => code === "DuplicateObject");
    expect(finding).toMatchObject({ severity: "error", source: { file: "two.yaml" } });
    expect(finding?.message).toContain("at one.yaml:1:1, which is used, and at two.yaml:2:1; remove one");
    // Without positions the result does not depend on the order either.
    const bare = [{ value: definition(scope) }, { value: spare(one, 1) }, { value: spare(other, 2) }] as Document[];
    expect(outputOf(run(bare.toReversed()))).toStrictEqual(outputOf(run(bare)));
    expect(duplicates(run(bare))).toEqual([id]);
  });

  test("adding and deleting the definition gives the same results as a rebuild", () => {
    const policies = [at(spare(undefined, 1), "one.yaml", 1), at(spare("default", 2), "two.yaml", 2)];
    const rules = at(definition("Namespaced"), "rules.yaml", 1);
    const together = apply(run(policies), [upsert(rules)]).evaluation;
    expect(outputOf(together)).toStrictEqual(outputOf(run([rules, ...policies])));
    expect(outputOf(apply(together, [remove]).evaluation)).toStrictEqual(outputOf(run(policies)));
  });

  test("an upsert of the object replaces both documents", () => {
    const rules = at(definition("Namespaced"), "rules.yaml", 1);
    const third = at(spare("default", 3), "three.yaml", 3);
    const clash = run([rules, at(spare(undefined, 1), "one.yaml", 1), at(spare("default", 2), "two.yaml", 2)]);
    expect(outputOf(apply(clash, [upsert(third)]).evaluation)).toStrictEqual(outputOf(run([rules, third])));
    const twice = run([rules, at(spare(undefined, 1), "one.yaml", 1), at(spare(undefined, 2), "two.yaml", 2)]);
    expect(outputOf(apply(twice, [upsert(third)]).evaluation)).toStrictEqual(outputOf(run([rules, third])));
  });

  test("the first document by position counts, even if it is refused", () => {
    const rules = at(definition("Namespaced"), "rules.yaml", 1);
    const bad = at(spare(undefined, 1, { labels: 4 }), "one.yaml", 1);
    const good = at(spare("default", 2), "two.yaml", 2);
    for (const evaluation of [run([rules, bad, good]), run([good, bad, rules])]) {
      expect(duplicates(evaluation)).toEqual(["Spare.example.com/default/p"]);
      expect([...verdicts(evaluation)]).toEqual([]);
    }
    const late = at(spare(undefined, 1, { labels: 4 }), "z.yaml", 1);
    expect([...verdicts(run([rules, late, good]))].map(({ policy }) => policy)).toEqual([
      "Spare.example.com/default/p",
    ]);
  });

  test("after the deletion of a definition, findings about its refused objects are gone", () => {
    const rules = { value: definition("Namespaced") };
    const bad = { value: spare(undefined, 1, { labels: 4 }) };
    const good = { value: spare(undefined, 1) };
    const without = apply(run([rules, bad] as Document[]), [remove]).evaluation;
    expect(outputOf(without)).toStrictEqual(outputOf(run([bad] as Document[])));
    expect(outputOf(apply(without, [{ upsert: good.value }]).evaluation)).toStrictEqual(
      outputOf(run([good] as Document[])),
    );
  });
});

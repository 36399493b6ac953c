import { describe, expect, test } from "vitest";
import { createCel } from "../../src/adapters/cel/create-cel.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { SourcePosition } from "../../src/core/model/kube-object.ts";
import { buildSnapshot, evaluate, findings } from "../../src/index.ts";
import { decided, type Evaluation } from "../property/evaluate-cluster.ts";
import { refOf } from "../property/random-history.ts";
import { bakery, definitions, gateway, grant, httpRoute, mergePolicy, service } from "./bakery-cluster.ts";

interface Document {
  readonly value: unknown;
  readonly source: SourcePosition;
}

const at = (value: unknown, file: string, line: number): Document => ({ value, source: { file, line, column: 1 } });
const run = (documents: readonly Document[]): Evaluation =>
  evaluate(buildSnapshot(documents), { definitions, cel: createCel() });

const changed = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), labels: { team: "blue" } },
  spec: { ...(object["spec"] as JsonObject), rules: [], limits: { a: 99 } },
});

describe("two documents for one object are an error that names both places", () => {
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
    expect(decided(backwards)).toStrictEqual(decided(forwards));
    for (const evaluation of [forwards, backwards]) {
      const errors = findings(evaluation).filter(
        ({ severity, object: id }) => severity === "error" && id?.endsWith(`/${refOf(object).name}`),
      );
      const places = errors
        .map((finding) => JSON.stringify(finding))
        .filter((text) => text.includes("one.yaml") && text.includes("two.yaml"));
      expect(places.length, JSON.stringify(errors)).toBeGreaterThan(0);
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
    const outcomes = orders.map((order) => JSON.stringify(decided(run([...order, ...others]))));
    expect(new Set(outcomes).size).toBe(1);
  });

  test("in two versions of its API", () => {
    const older = { ...httpRoute, apiVersion: "gateway.networking.k8s.io/v1beta1" };
    const others = bakery
      .filter((one) => one !== httpRoute && one["kind"] !== "CustomPolicy")
      .map((value, line) => at(value, "bakery.yaml", line + 1));
    const forwards = run([at(httpRoute, "one.yaml", 1), ...others, at(older, "two.yaml", 2)]);
    const backwards = run([at(older, "two.yaml", 2), ...others, at(httpRoute, "one.yaml", 1)]);
    expect(decided(backwards)).toStrictEqual(decided(forwards));
    expect(
      findings(forwards).some(
        (finding) => JSON.stringify(finding).includes("one.yaml") && JSON.stringify(finding).includes("two.yaml"),
      ),
    ).toBe(true);
  });
});

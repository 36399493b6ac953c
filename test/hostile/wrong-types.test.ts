import { afterAll, describe, expect, test, vi } from "vitest";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Finding } from "../../src/core/model/finding.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/model/json.ts";
import { apply, builtInDefinitions, findings } from "../../src/index.ts";
import { type Evaluation, evaluateDocuments, outputOf, resultsOf } from "../property/evaluate-cluster.ts";
import { refOf } from "../property/random/random-history.ts";
import { bakery, definitions } from "./bakery-cluster.ts";
import { example } from "./example-cluster.ts";
import { fieldName, mutantsOf, oddities, type Path, pathsIn, replaceAt, valueAt, wrongTypes } from "./mutations.ts";

// Each test takes less than a second on an idle machine.
vi.setConfig({ testTimeout: 60_000 });
afterAll(() => vi.resetConfig());

interface Cluster {
  readonly objects: readonly JsonObject[];
  readonly definitions: readonly PolicyDefinition[];
  /** Fields where any value is valid, because they have no schema. */
  readonly unchecked: readonly RegExp[];
}

const clusters: readonly (readonly [string, Cluster])[] = [
  [
    "examples/bakery",
    { objects: example, definitions: builtInDefinitions(), unchecked: [/\.additionalProperties|\.minimum$/] },
  ],
  [
    "a cluster with one of everything",
    {
      objects: bakery,
      definitions,
      unchecked: [
        // Settings of policy kinds without a schema.
        /^\w+Policy spec\.((default|override)s?\.)?(limits|rules|colors?|retry|timeouts|labels)\b/,
        // A custom filter, and the contents of maps in a schema.
        /^HTTPRoute spec\.rules\[0\]\.filters\[0\]\.retry/,
        /\.additionalProperties/,
      ],
    },
  ],
];

const identity: readonly string[] = ["apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace"];
const label = (object: JsonObject): string => `${refOf(object).kind} ${refOf(object).name}`;
const idOf = (object: JsonObject): string => {
  const { group, kind, namespace, name } = refOf(object);
  return `${kind}.${group}/${namespace}/${name}`;
};
const byName = (objects: readonly JsonObject[]): readonly (readonly [string, JsonObject])[] =>
  objects.map((object) => [label(object), object]);

/** True if the finding names the field at the path, a field that contains it, or a field inside it. */
function isAbout({ field = "" }: Finding, path: Path): boolean {
  // Keys of maps may be in brackets: `metadata.labels["example.com/team"]`.
  const reported = field.replace(/\["?([^\]"]*[^\]"\d][^\]"]*)"?\]/g, ".$1");
  const wanted = fieldName(path);
  return reported !== "" && (wanted.startsWith(reported) || reported.startsWith(wanted));
}

function findingsByObject(evaluation: Evaluation): ReadonlyMap<string, readonly Finding[]> {
  const all = new Map<string, Finding[]>();
  for (const finding of findings(evaluation)) {
    const own = all.get(finding.object ?? "") ?? [];
    own.push(finding);
    all.set(finding.object ?? "", own);
  }
  return all;
}

describe.each(clusters)(
  "a value of the wrong type in any field of %s",
  (_, { objects, definitions: known, unchecked }) => {
    const untouched = resultsOf(evaluateDocuments(objects, known));

    // One evaluation has all mutants of an object, each under a name of its own, beside the valid object.
    test.each(byName(objects))("is reported with object and field, and does not affect others: %s", (__, object) => {
      const paths = pathsIn(object).filter((path) => !identity.includes(fieldName(path)));
      const mutants = mutantsOf(object, paths, wrongTypes);
      const isFree = (path: Path): boolean =>
        unchecked.some((free) => free.test(`${refOf(object).kind} ${fieldName(path)}`));
      const all = findingsByObject(evaluateDocuments([...objects, ...mutants.map(({ value }) => value)], known));
      const silent = mutants.filter(
        ({ path, clone }) => !isFree(path) && all.get(idOf(clone))?.some((one) => isAbout(one, path)) !== true,
      );
      expect(silent.map(({ path, value }) => `${fieldName(path)}: ${JSON.stringify(valueAt(value, path))}`)).toEqual(
        [],
      );

      const bad = mutants.filter(({ clone }) =>
        all.get(idOf(clone))?.some(({ severity, code }) => severity === "error" && /^(Invalid|Missing|Def)/.test(code)),
      );
      const { verdicts, ...rest } = resultsOf(evaluateDocuments([...objects, ...bad.map(({ value }) => value)], known));
      const ids = new Set(bad.map(({ clone }) => `{"policy":"${idOf(clone)}"`));
      const others = verdicts.filter((line) => !ids.has(line.slice(0, line.indexOf(","))));
      expect({ ...rest, verdicts: others }).toStrictEqual(untouched);
      expect(bad.length).toBeGreaterThanOrEqual(Math.min(1, mutants.length));
    });

    // Every object has one wrong value under its own name, so that other objects refer to it.
    test("never throws, neither in an evaluation nor in a change", () => {
      const base = evaluateDocuments(objects, known);
      for (let round = 0; round < 40; round++) {
        const changed = objects.map((object, at) => {
          const paths = pathsIn(object).filter((path) => !identity.includes(fieldName(path)));
          const path = paths[(round * 7 + at) % paths.length] ?? [];
          const values = [...wrongTypes(valueAt(object, path)), ...oddities];
          return path.length === 0 ? object : replaceAt(object, path, values[(round + at) % values.length] ?? null);
        });
        const rebuilt = outputOf(evaluateDocuments(changed, known));
        expect(rebuilt.findings.length).toBeGreaterThan(0);
        const { evaluation } = apply(
          base,
          changed.map((value) => ({ upsert: value })),
        );
        expect(outputOf(evaluation), `round ${round}`).toStrictEqual(rebuilt);
      }
    });
  },
);

const objectNamed = (name: string): JsonObject => bakery.find((object) => label(object) === name) ?? {};

const rows: readonly (readonly [object: string, path: Path, replacement: Json])[] = [
  ["Gateway front", ["spec", "listeners", 0, "allowedRoutes", "namespaces", "from"], "Everywhere"],
  ["Gateway front", ["spec", "listeners", 0, "port"], 70_000],
  ["Gateway front", ["spec", "listeners"], []],
  ["HTTPRoute baker", ["spec", "rules", 0, "retry", "backoff"], "soon"],
  ["HTTPRoute baker", ["spec", "parentRefs", 0, "name"], ""],
  ["Service oven", ["spec", "ports", 0, "port"], 0],
  ["ReferenceGrant let-them", ["spec", "to"], []],
  ["MergePolicy limits", ["spec", "targetSelectors", 0, "matchExpressions", 0, "operator"], "Near"],
  ["MergePolicy limits", ["spec", "defaults", "strategy"], "bogus"],
  ["MergePolicy limits", ["spec", "strategy"], "bogus"],
  ["MergePolicy limits", ["spec", "limits"], 7],
  ["MergePolicy limits", ["spec", "defaults", "limits"], [1]],
  ["MergePolicy limits", ["spec", "rules", "authentication"], "none"],
  ["MergePolicy limits", ["metadata", "creationTimestamp"], "yesterday"],
  ["PolicyDefinition latepolicies.example.com", ["spec", "class"], "Sideways"],
  ["PolicyDefinition latepolicies.example.com", ["spec", "merge", "sameTarget"], "Newest"],
  ["PolicyDefinition latepolicies.example.com", ["spec", "policies"], []],
];

describe("a value outside the allowed range is reported with object and field", () => {
  test.each(rows.map((row) => [row[0], fieldName(row[1]), JSON.stringify(row[2]), row] as const))(
    "%s: %s is %s",
    (_, field, __, [name, path, replacement]) => {
      const object = objectNamed(name);
      const changed = bakery.map((one) => (one === object ? replaceAt(object, path, replacement) : one));
      const own = findingsByObject(evaluateDocuments(changed, definitions)).get(idOf(object)) ?? [];
      expect(own.map((finding) => finding.field)).toContain(field);
    },
  );
});

describe("a JavaScript value that is not JSON, passed by a caller of the library", () => {
  const values: readonly (readonly [string, unknown])[] = [
    ["a big integer", 10n],
    ["a symbol", Symbol("x")],
    ["a function", () => 1],
  ];
  const odd = values.map(([, value]) => value as Json);
  const base = evaluateDocuments(bakery, definitions);

  test.each(byName(bakery))("is a finding and not an exception in any field: %s", (_, object) => {
    const withExtra = { extra: 1, ...object };
    const paths = pathsIn(withExtra).filter((path) => !identity.includes(fieldName(path)) && path[0] !== "status");
    const mutants = mutantsOf(withExtra, paths, () => odd);
    const all = findingsByObject(evaluateDocuments([...bakery, ...mutants.map(({ value }) => value)], definitions));
    const silent = mutants.filter(({ clone }) => all.get(idOf(clone)) === undefined);
    expect(silent.map(({ path }) => fieldName(path))).toEqual([]);
    // Under the object's own name: as a duplicate, and in a change.
    for (const value of odd.map((one) => replaceAt(withExtra, ["extra"], one))) {
      expect(outputOf(evaluateDocuments([...bakery, value], definitions)).findings.length).toBeGreaterThan(0);
      expect(outputOf(apply(base, [{ upsert: value }]).evaluation).findings.length).toBeGreaterThan(0);
    }
  });

  test.each([
    ["in a policy's setting", "MergePolicy limits", ["spec", "limits"], "spec"],
    ["in a target", "MergePolicy limits", ["spec", "targetSelectors", 0, "kind"], "spec"],
    ["in a field with a schema", "Gateway front", ["spec", "listeners", 0, "port"], "spec.listeners[0].port"],
    ["in an unknown field", "Gateway front", ["extra"], "extra"],
    ["in a definition", "PolicyDefinition latepolicies.example.com", ["spec", "class"], "spec"],
  ] as const)("the object is ignored and the finding names the field: %s", (_, name, path, field) => {
    for (const one of odd) {
      const object = { extra: 1, ...objectNamed(name) };
      const value = replaceAt(object, path, one);
      const own = findingsByObject(evaluateDocuments([value], definitions)).get(idOf(object)) ?? [];
      expect(own.map((finding) => [finding.code, finding.field])).toEqual([["InvalidField", field]]);
      expect(own[0]?.message).toMatch(/JSON cannot carry|a (symbol|function)|bigint 10|a bigint/);
    }
  });
});

describe("an object without a valid identity is reported and otherwise ignored", () => {
  const route = objectNamed("HTTPRoute baker");
  const wrong: readonly (readonly [Path, Json])[] = [
    [[], "text"],
    [["apiVersion"], 7],
    [["apiVersion"], ""],
    [["apiVersion"], "x".repeat(1000)],
    [["kind"], null],
    [["kind"], ""],
    [["kind"], "A/B"],
    [["metadata"], []],
    [["metadata", "name"], 7],
    [["metadata", "name"], ""],
    [["metadata", "name"], "a/b"],
    [["metadata", "name"], "a#b"],
    [["metadata", "name"], "x".repeat(254)],
    [["metadata", "namespace"], {}],
    [["metadata", "namespace"], "x".repeat(254)],
  ];
  test.each(wrong)("%j is %j", (path, replacement) => {
    const others = bakery.filter((one) => one !== route);
    const without = evaluateDocuments(others, definitions);
    const changed = evaluateDocuments([...others, replaceAt(route, path, replacement)], definitions);
    const { findings: more, ...rest } = outputOf(changed);
    const { findings: fewer, ...expected } = outputOf(without);
    expect(rest).toStrictEqual(expected);
    expect(more.length).toBe(fewer.length + 1);
    for (const line of more) expect(line.length).toBeLessThan(2000);
  });

  test("the finding names the document", () => {
    const value = replaceAt(route, ["metadata", "name"], 7);
    const [finding] = findings(evaluateDocuments([value], definitions));
    expect(finding).toMatchObject({ code: "NotAnObject", severity: "error" });
    expect(finding?.message).toContain("metadata.name of this HTTPRoute is 7");
    expect(isJsonObject(finding)).toBe(true);
  });
});

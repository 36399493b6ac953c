import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../adapters/files/parse-documents.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { forEachEffective } from "../effective/fold/for-each-effective.ts";
import { nodesOf, type Path } from "../effective/paths/path.ts";
import type { World } from "../effective/world/world.ts";
import { evaluate } from "../evaluate.ts";
import { worldOf } from "../evaluation.ts";
import { type ObjectId, objectId } from "../model/refs.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import { forEachPathThrough, type ObjectOrSection } from "./paths-through.ts";

function worldFrom(texts: readonly string[]): World {
  const documents = texts.flatMap((text, index) => parseDocuments(text, `${index}.yaml`).documents);
  const snapshot = buildSnapshot(documents.map(({ value }) => value));
  return worldOf(evaluate(snapshot, { definitions: builtInDefinitions() }));
}

const folder = fileURLToPath(new URL("../../../examples/bakery", import.meta.url));
const bakery = worldFrom(
  readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => readFileSync(join(folder, name), "utf8")),
);

/** More routes than it is worth beginning at one by one. */
const many = worldFrom([
  `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: a}
spec: {gatewayClassName: c, listeners: [{name: one, port: 80, protocol: HTTP}, {name: two, port: 81, protocol: HTTP}]}
---
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: p, namespace: a}
spec: {targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: g}], retry: {attempts: 2}}
`,
  Array.from(
    { length: 50 },
    (_, index) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r${index}, namespace: a}
spec: {parentRefs: [{name: g}], rules: [{}, {}]}
`,
  ).join("---\n"),
]);

const show = (path: Path): string =>
  nodesOf(path)
    .map(({ id, section }) => `${id}#${section?.name ?? ""}`)
    .join(" > ");

/** Expected result: all paths, filtered. */
function throughByForce(world: World, target: ObjectOrSection): readonly string[] {
  const found: string[] = [];
  for (const kind of world.rulebook.kinds) {
    forEachEffective(world, kind, (path) => {
      const passes = nodesOf(path).some(
        ({ id, section }) =>
          id === target.id && (target.sectionName === undefined || section?.name === target.sectionName),
      );
      if (passes) found.push(show(path));
    });
  }
  return found;
}

function through(world: World, target: ObjectOrSection): readonly string[] {
  const found: string[] = [];
  for (const kind of world.rulebook.kinds) forEachPathThrough(world, kind, target, (path) => found.push(show(path)));
  return found;
}

describe("paths through an object are all that pass it, and no other", () => {
  for (const [name, world, least] of [
    ["the bakery", bakery, 40],
    ["50 routes", many, 50],
  ] as const) {
    test(name, () => {
      const targets: ObjectOrSection[] = [];
      world.objects.forEach(({ id }) => {
        targets.push({ id });
      });
      for (const kind of world.rulebook.kinds) {
        forEachEffective(world, kind, (path) => {
          for (const { id, section } of nodesOf(path))
            targets.push(section === undefined ? { id } : { id, sectionName: section.name });
        });
      }
      let total = 0;
      for (const target of new Map(targets.map((one) => [`${one.id}#${one.sectionName ?? ""}`, one])).values()) {
        const found = through(world, target);
        expect(found.toSorted()).toEqual(throughByForce(world, target).toSorted());
        total += found.length;
      }
      expect(total).toBeGreaterThan(least);
    });
  }

  test("nothing passes what is not there", () => {
    const id: ObjectId = objectId({ group: "", kind: "Service", namespace: "bakery", name: "nobody" });
    expect(through(bakery, { id })).toEqual([]);
  });
});

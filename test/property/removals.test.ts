/** An entry of `remove` takes effect exactly where dropping it would change the result. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EffectivePolicy } from "../../src/core/effective/fold/effective-policy.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../src/core/model/json.ts";
import { effectivePolicies } from "../../src/index.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { readPolicies } from "./policies-on-path.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { randomCluster } from "./random/random-cluster.ts";

/**
 * Custom strategies, and a strategy that the lower policy dictates, may react to what is removed. So may an atomic default, where the
 * removed setting maps onto items that are not there; and a policy without its only block with an entry may become a Direct one.
 */
const isPlain = ({ merge, mapsTo }: PolicyDefinition): boolean =>
  merge.decidedBy !== "Lower" &&
  merge.bare !== "Direct" &&
  mapsTo.every(({ create, to }) => create && !to.path.includes("[")) &&
  [merge.granularity.default, ...Object.values(merge.granularity.values)].every((one) => typeof one === "string");

/** The object without conditions and tombstones, which may react to what is removed. */
const plainObject = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([key, below]) => key !== "when" && below !== null)
      .map(([key, below]) => [key, isJsonObject(below) ? plainObject(below) : below]),
  );

/** Every second policy has defaults that are merged, so that removals often find something. */
function withDefaults(object: JsonObject, definitions: readonly PolicyDefinition[]): JsonObject {
  const [policy] = readPolicies([object], definitions);
  if (policy === undefined || Number(policy.name.slice(1)) % 2 === 0) return object;
  const { values } = policy.definition.merge.granularity;
  const word = Object.keys(values).find((key) => values[key] !== "Atomic");
  const { overrides, override, defaults, ...spec } = policy.spec;
  const block = defaults ?? spec["default"] ?? overrides ?? override;
  if (word === undefined || !isJsonObject(block)) return object;
  const { default: _, ...rest } = spec;
  return { ...object, spec: { ...rest, defaults: { ...block, strategy: word } } };
}

/** The policy without this entry of `remove`. */
function withoutEntry(object: JsonObject, block: string, entry: string): JsonObject {
  const drop = (parent: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(parent).map(([key, value]) => [
        key,
        (key === "remove" || key === "unset") && Array.isArray(value) ? value.filter((one) => one !== entry) : value,
      ]),
    );
  const { spec } = object;
  if (!isJsonObject(spec)) return object;
  if (block === "bare") return { ...object, spec: drop(spec) };
  const spellings = block === "defaults" ? ["defaults", "default"] : ["overrides", "override"];
  const changed = Object.entries(spec).map(([key, value]) => [
    key,
    spellings.includes(key) && isJsonObject(value) ? drop(value) : value,
  ]);
  return { ...object, spec: Object.fromEntries(changed) };
}

const keyOf = ({ policyKind, path, from }: EffectivePolicy): string =>
  canonicalJson([policyKind.kind, path as unknown as Json, from ?? ""]);
const resultOf = (effective: EffectivePolicy | undefined): string =>
  canonicalJson([effective?.spec ?? {}, (effective?.fields ?? []).map(({ spec }) => spec)]);

test(`an entry of remove takes effect where dropping it changes the result (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const states = { inEffect: 0, overridden: 0, neutral: 0 };
  const property = fc.property(randomCluster, ({ objects: all, definitions }) => {
    // A policy without its only entry would become an empty one, which may keep out defaults.
    const plain = definitions
      .filter(isPlain)
      .map((one) => ({ ...one, merge: { ...one.merge, empty: "GivesWay" as const } }));
    const objects = all.map(plainObject).map((object) => withDefaults(object, plain));
    const before = [...effectivePolicies(evaluateDocuments(objects, plain))];
    const entries = new Map(
      before.flatMap(({ removals = [] }) =>
        removals.map(({ policy, block, entry }) => [`${policy} ${block} ${entry}`, { policy, block, entry }]),
      ),
    );
    for (const { policy, block, entry } of entries.values()) {
      const changed = objects.map((object) => {
        const raw = readPolicies([object], plain)[0];
        return raw?.id === policy ? withoutEntry(object, block, entry) : object;
      });
      const after = new Map([...effectivePolicies(evaluateDocuments(changed, plain))].map((one) => [keyOf(one), one]));
      for (const one of before) {
        const own = one.removals?.find(
          (removal) => removal.policy === policy && removal.entry === entry && removal.block === block,
        );
        // Two entries that remove the same both take effect.
        const others = (one.removals ?? []).filter((removal) => removal !== own).flatMap(({ removes }) => removes);
        if (own === undefined || own.state === "gated" || own.removes.some((pointer) => others.includes(pointer)))
          continue;
        states[own.state]++;
        expect(resultOf(after.get(keyOf(one))) !== resultOf(one), `${policy} ${block} ${entry} on ${keyOf(one)}`).toBe(
          own.state === "inEffect",
        );
      }
    }
  });
  assertProperty(property, { numRuns: 800, stream: 31 });
  for (const count of Object.values(states)) expect(count).toBeGreaterThan(3);
});

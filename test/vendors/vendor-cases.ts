/** Runs a table of cases about the policy kinds of one implementation. */
import { expect, test } from "vitest";
import { builtInDefinitions } from "../../src/definitions/built-in-definitions.ts";
import { vendorDefinitions } from "../../src/definitions/vendor-definitions.ts";
import type { JsonObject } from "../../src/index.ts";
import { type Cluster, cluster } from "../support/cluster/cluster.ts";

export interface VendorCase {
  /** The rule, in our words. */
  readonly what: string;
  /** Policies and other objects, in addition to those that all cases of the table share. */
  readonly objects: readonly JsonObject[];
  /** The policy kind that `effective` is about, where there are several. */
  readonly kind?: string;
  /** The effective settings on the path through these nodes. `{}`: no policy takes effect there. */
  readonly effective?: Readonly<Record<string, JsonObject>>;
  /** `Enforced`, `Overridden by p2`, `Conflicted by p1`. */
  readonly outcomes?: Readonly<Record<string, string>>;
  /** The conditions of a policy: one line for each ancestor. */
  readonly conditions?: Readonly<Record<string, readonly string[]>>;
  /** Codes of findings about an object. */
  readonly findings?: Readonly<Record<string, readonly string[]>>;
}

/** A cluster in which the definitions of all implementations are known. Everything there is, is in it. */
export const vendorCluster = (objects: readonly JsonObject[]): Cluster =>
  cluster(objects, { definitions: builtInDefinitions(), library: vendorDefinitions(), completeness: "Complete" });

export function vendorCases(shared: readonly JsonObject[], cases: readonly VendorCase[]): void {
  for (const { what, ...one } of cases) test(what, () => expectCase(shared, one));
}

function expectCase(shared: readonly JsonObject[], one: Omit<VendorCase, "what">): void {
  const { objects, kind, effective = {}, outcomes = {}, conditions = {}, findings = {} } = one;
  const made = vendorCluster([...shared, ...objects]);
  const which = kind === undefined ? {} : { kind };
  const got = {
    effective: Object.fromEntries(Object.keys(effective).map((path) => [path, made.spec(path, which)])),
    outcomes: Object.fromEntries(Object.keys(outcomes).map((name) => [name, made.outcome(name)])),
    conditions: Object.fromEntries(Object.keys(conditions).map((name) => [name, made.conditions(name)])),
    findings: Object.fromEntries(
      Object.keys(findings).map((name) => [name, made.findingsOn(name).map(({ code }) => code)]),
    ),
  };
  expect(got).toEqual({ effective, outcomes, conditions, findings });
}

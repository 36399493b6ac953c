/** Runs a table of cases about the policy kinds of one implementation. */
import { basename } from "node:path";
import { expect, test } from "vitest";
import { builtInDefinitions } from "../../src/definitions/built-in-definitions.ts";
import { vendorDefinitions } from "../../src/definitions/vendor-definitions.ts";
import type { JsonObject } from "../../src/index.ts";
import { type Cluster, cluster } from "../support/cluster/cluster.ts";
import { loadVendorFacts } from "../support/vendors/vendor-facts.ts";

export interface VendorCase {
  /** The rule, in our words. */
  readonly what: string;
  /** Policies and other objects, in addition to those that all cases of the table share. */
  readonly objects: readonly JsonObject[];
  /** The policy kind that `effective` is about, where there are several. */
  readonly kind?: string;
  /** The effective settings on the path through these nodes. `{}`: no policy takes effect there. */
  readonly effective?: Readonly<Record<string, JsonObject>>;
  /** The names of the policies on such a path, in the order of evaluation. */
  readonly order?: Readonly<Record<string, readonly string[]>>;
  /** `Enforced`, `Overridden by p2`, `Conflicted by p1`. The conditions of the policy must say the same. */
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
  const file = fileUnderTest();
  rules.set(file, [...(rules.get(file) ?? []), ...cases.filter(isWhole).map(({ what }) => ruleOf(what))]);
}

/** The rules of the cases of each test file. Test files share the module graph. */
const rules = new Map<string, readonly string[]>();

/** A case that says what takes effect, and what the status is. */
const isWhole = ({ effective, outcomes, conditions }: VendorCase): boolean =>
  effective !== undefined && (outcomes ?? conditions) !== undefined;

/** Cases that several kinds have in common begin with the kind: `RoutePolicy: a target that does not exist`. They are one rule. */
const ruleOf = (what: string): string => what.replace(/^[A-Z]\w+: /, "");

const fileUnderTest = (): string => basename(expect.getState().testPath ?? "");

/**
 * The number of cases that `vendor.yaml` states is that of the tables of this file: different rules, each with effective settings and a
 * status. Call it after the tables.
 */
export function statedCases(vendor: string): void {
  test(`src/definitions/${vendor}/vendor.yaml states the number of cases`, () => {
    const file = fileUnderTest();
    const facts = loadVendorFacts().find((one) => one.vendor === vendor);
    expect(facts?.cases[file]).toBe(new Set(rules.get(file)).size);
  });
}

function expectCase(shared: readonly JsonObject[], one: Omit<VendorCase, "what">): void {
  const { objects, kind, effective = {}, order = {}, outcomes = {}, conditions = {}, findings = {} } = one;
  const made = vendorCluster([...shared, ...objects]);
  const which = kind === undefined ? {} : { kind };
  const got = {
    effective: Object.fromEntries(Object.keys(effective).map((path) => [path, made.spec(path, which)])),
    order: Object.fromEntries(
      Object.keys(order).map((path) => [
        path,
        made.effectiveAt(path, which).order?.map(({ policy }) => policy.replace(/^.*\//, "")),
      ]),
    ),
    outcomes: Object.fromEntries(Object.keys(outcomes).map((name) => [name, made.outcome(name)])),
    conditions: Object.fromEntries(Object.keys(conditions).map((name) => [name, made.conditions(name)])),
    findings: Object.fromEntries(
      Object.keys(findings).map((name) => [name, made.findingsOn(name).map(({ code }) => code)]),
    ),
  };
  expect(got).toEqual({ effective, order, outcomes, conditions, findings });
  for (const name of Object.keys(outcomes)) expectStatus(made, name);
}

/** The conditions of a policy, by the first word of its outcome. */
const STATUS: Readonly<Record<string, RegExp>> = {
  Enforced:
    /^Accepted=True\/Accepted (Enforced=True\/Enforced|Programmed=True\/Programmed)( ResolvedRefs=True\/ResolvedRefs)?$/,
  PartiallyEnforced: /^Accepted=True\/Accepted Enforced=True\/PartiallyEnforced$/,
  Overridden: /^Accepted=True\/Accepted Enforced=False\/Overridden$/,
  // Where the status has no ancestors, it has no conditions either.
  NoPath: /^(|Accepted=True\/Accepted Enforced=False\/NoPath)$/,
  Conflicted: /^Accepted=False\/Conflicted$/,
  Undefined: /^Accepted=Unknown\/Undefined$/,
  TargetNotFound: /^Accepted=False\/TargetNotFound$/,
  Invalid: /^Accepted=False\/Invalid$/,
};

/** The status of a policy agrees with its outcome: at every ancestor, or at some where it is refused at others. A policy without a path may have none. */
function expectStatus(made: Cluster, name: string): void {
  const [word = ""] = made.outcome(name).split(" ");
  const lines = made.conditions(name).map((line) => line.replace(/^\S+: /, ""));
  const others = lines.filter((line) => STATUS[word]?.test(line) !== true);
  expect(others.filter((line) => word !== "Enforced" || !line.startsWith("Accepted=False/"))).toEqual([]);
  if (word !== "NoPath") expect(lines.length).toBeGreaterThan(others.length);
}

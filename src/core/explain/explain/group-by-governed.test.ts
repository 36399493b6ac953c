import { describe, expect, test } from "vitest";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import { gateway, policy, routeTo, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { policyKind } from "../../../../test/support/cluster/policy-kind.ts";
import { worldOf } from "../../evaluation.ts";
import { targetNamed } from "../../find-target.ts";
import type { PolicyDefinition } from "../../model/definition.ts";
import type { JsonObject } from "../../model/json.ts";
import { explainTarget } from "./explain-target.ts";
import { groupByGoverned, sourcesOf } from "./group-by-governed.ts";

type About = Pick<PolicyDefinition, "governs" | "governsPaths" | "parts">;

const kind = (name: string, about: About, merge: Partial<PolicyDefinition["merge"]> = {}): PolicyDefinition => ({
  ...policyKind(name, {
    targets: ["Gateway", "HTTPRoute"],
    ends: ["HTTPRoute/Rule"],
    merge: { granularity: { default: "Field", field: "strategy", values: {} }, ...merge },
  }),
  ...about,
});

/** `Retries: TrafficPolicy /retry /timeout`: the groups of HTTPRoute/r, and what each has of which kind. */
function groups(
  definitions: readonly PolicyDefinition[],
  specs: Readonly<Record<string, JsonObject>>,
): readonly string[] | undefined {
  const policies = Object.entries(specs).map(([name, spec]) => policy(name, name.toLowerCase(), "HTTPRoute/r", spec));
  const { evaluation } = cluster([gateway("g"), routeTo("r", "Gateway/g", "s"), service("s"), ...policies], {
    definitions,
  });
  const world = worldOf(evaluation);
  const target = targetNamed(world, "httproute/r");
  if (target === undefined) throw new Error("no HTTPRoute/r");
  const { kinds } = explainTarget(world, target, { group: true });
  return groupByGoverned(world, kinds)?.map(({ governs = "Other", kinds: members }) =>
    [
      `${governs}:`,
      ...members.map(({ kind: { policyKind: own, outcomes }, includes, first }) => {
        const pointers = outcomes
          .flatMap(sourcesOf)
          .filter(includes)
          .map((source) => source.pointer);
        return [own.kind, ...pointers, ...(first === undefined ? [] : [`after ${first}`])].join(" ");
      }),
    ].join(" "),
  );
}

const security = kind("AccessPolicy", { governs: "Security" });
const traffic = kind("TrafficPolicy", {
  governs: "Traffic",
  governsPaths: [
    { governs: "RateLimits", paths: ["limits.*.rate"] },
    { governs: "Retries", paths: ["retry", "timeout"] },
    { governs: "Telemetry", paths: ["retry.log"] },
  ],
});
const access: JsonObject = { allow: "staff" };

describe("the kinds of an answer, by what they govern", () => {
  test("one kind has no groups, whatever its settings are about", () => {
    expect(groups([security, traffic], { TrafficPolicy: { retry: { attempts: 1 }, rewrite: true } })).toBeUndefined();
  });

  test("two kinds that are about one thing have no groups", () => {
    expect(
      groups([security, kind("RolePolicy", { governs: "Security" })], { AccessPolicy: access, RolePolicy: access }),
    ).toBeUndefined();
  });

  test("groups are in the order of the words, and a setting is in that of the longest path", () => {
    const spec = {
      rewrite: true,
      retry: { attempts: 1, log: true },
      timeout: 5,
      timeouts: 6,
      limits: { a: { rate: 1 } },
    };
    expect(groups([traffic, security], { TrafficPolicy: spec, AccessPolicy: access })).toEqual([
      "Security: AccessPolicy /allow",
      "RateLimits: TrafficPolicy /limits/a/rate",
      "Traffic: TrafficPolicy /rewrite /timeouts after RateLimits",
      "Retries: TrafficPolicy /retry/attempts /timeout after RateLimits",
      "Telemetry: TrafficPolicy /retry/log after RateLimits",
    ]);
  });

  test("a kind whose definition says nothing is last, and is no reason for groups", () => {
    const some = kind("SomePolicy", {});
    const retries = kind("RetriesPolicy", { governs: "Retries" });
    expect(groups([some, security], { SomePolicy: access, AccessPolicy: access })).toBeUndefined();
    expect(
      groups([some, security, retries], { SomePolicy: access, AccessPolicy: access, RetriesPolicy: access }),
    ).toEqual(["Security: AccessPolicy /allow", "Retries: RetriesPolicy /allow", "Other: SomePolicy /allow"]);
  });

  test("a kind without a value is in the group of its kind", () => {
    const shield = kind("ShieldPolicy", {
      governs: "Retries",
      governsPaths: [{ governs: "Telemetry", paths: ["log"] }],
    });
    expect(groups([shield, security], { ShieldPolicy: {}, AccessPolicy: access })).toEqual([
      "Security: AccessPolicy /allow",
      "Retries: ShieldPolicy",
    ]);
  });

  test("the settings of a part are about what the part says, unless a longer path says something else", () => {
    const parts = kind("PartsPolicy", {
      governs: "Traffic",
      governsPaths: [{ governs: "Telemetry", paths: ["clients.log"] }],
      parts: [{ name: "clients", paths: ["clients"], governs: "Clients" }],
    });
    const spec = { clients: { idle: 1, log: true }, rewrite: true };
    expect(groups([parts, security], { PartsPolicy: spec, AccessPolicy: access })).toEqual([
      "Clients: PartsPolicy /clients/idle",
      "Security: AccessPolicy /allow",
      "Traffic: PartsPolicy /rewrite after Clients",
      "Telemetry: PartsPolicy /clients/log after Clients",
    ]);
  });

  test("where all policies take effect, the path is below the name of the policy", () => {
    const about: About = { governs: "Traffic", governsPaths: [{ governs: "Retries", paths: ["retry"] }] };
    const all = kind("AllPolicy", about, { accumulate: { order: ["Age"] } });
    expect(groups([all, security], { AllPolicy: { retry: { attempts: 1 } }, AccessPolicy: access })).toEqual([
      "Security: AccessPolicy /allow",
      "Retries: AllPolicy /default~1allpolicy/retry/attempts",
    ]);
  });
});

import { describe, expect, test } from "vitest";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import type { LiveState } from "../../controller/live-evaluation.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { createEvaluationMetrics } from "./evaluation-metrics.ts";

type Current = Pick<LiveState, "evaluation" | "unread">;

const retry = (name: string, target: string, block: "defaults" | "overrides", attempts: number): JsonObject =>
  policy("RetryPolicy", name, target, { [block]: { retry: { attempts } } }, { group: "prevail.dev" });
const base = [gatewayClass("class", "prevail.dev/gateway"), gateway("g"), routeTo("r", "Gateway/g", "s"), service("s")];

const rule = (name: string, condition: string): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name },
  spec: { targets: { levels: ["HTTPRouteRule"] }, policyKind: "RetryPolicy", condition },
});

const stateOf = (objects: readonly JsonObject[]): Current => ({
  evaluation: cluster([...base, ...objects], { definitions: builtInDefinitions(), completeness: "Complete" })
    .evaluation,
  unread: [],
});

const render = (current: () => Current | undefined, nowMs: () => number = () => 0): string =>
  createEvaluationMetrics({ current, nowMs })
    .map((family) => family.render())
    .join("");
/** Samples that are not zero, without help and type. */
const samples = (text: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith("prevail_") && !line.endsWith(" 0"));

test("before the cluster has been read there are no figures", () => {
  expect(samples(render(() => undefined))).toEqual([]);
  expect(render(() => undefined)).not.toMatch(/^prevail_policies/m);
});

test("policies by kind and verdict, and settings that are overridden", () => {
  const objects = [
    retry("house", "Gateway/g", "overrides", 5),
    retry("ana", "HTTPRoute/r", "defaults", 1),
    retry("lost", "HTTPRoute/none", "defaults", 1),
  ];
  const text = render(() => stateOf(objects));
  const kind = 'group="prevail.dev",kind="RetryPolicy"';
  expect(samples(text).filter((line) => /^prevail_(policies|overridden)/.test(line))).toEqual([
    `prevail_policies{${kind},verdict="Enforced"} 1`,
    `prevail_policies{${kind},verdict="Overridden"} 1`,
    `prevail_policies{${kind},verdict="TargetNotFound"} 1`,
    `prevail_overridden_settings{${kind}} 1`,
  ]);
  expect(text).toContain(`prevail_policies{${kind},verdict="Conflicted"} 0`);
});

test("targets that do not meet a CoverageRule, by rule; one that is met has 0", () => {
  const objects = [
    retry("ana", "HTTPRoute/r", "defaults", 1),
    rule("few", "spec.retry.attempts < 1"),
    rule("met", "true"),
  ];
  const text = render(() => stateOf(objects));
  expect(text).toContain('prevail_coverage_violations{rule="few"} 1\n');
  expect(text).toContain('prevail_coverage_violations{rule="met"} 0\n');
  expect(text).toContain('prevail_findings{code="NotCovered",severity="error"} 1\n');
});

test("labels are bounded, whatever tenants create", () => {
  const rules = Array.from({ length: 250 }, (_, index) => rule(`rule-${String(index).padStart(3, "0")}`, "false"));
  const lines = samples(render(() => stateOf(rules))).filter((line) => line.startsWith("prevail_coverage"));
  expect(lines).toHaveLength(101);
  expect(lines).toContain('prevail_coverage_violations{rule="other"} 150');
});

describe("figures are counted at most 2 % of the time", () => {
  test("after a count that took a second, the next one is made 50 seconds later", () => {
    const states = [stateOf([]), stateOf([retry("ana", "HTTPRoute/r", "defaults", 1)])];
    let at = 0;
    let clockMs = 0;
    let isCounting = true;
    // The clock moves by half a second with each reading, as long as figures are counted.
    const nowMs = (): number => (clockMs += isCounting ? 500 : 0);
    const families = createEvaluationMetrics({ current: () => states[at], nowMs });
    const text = (): string => families.map((family) => family.render()).join("");
    expect(text()).not.toMatch(/^prevail_policies\{/m);
    isCounting = false;
    at = 1;
    clockMs += 1000;
    expect(text()).not.toMatch(/^prevail_policies\{/m);
    expect(text()).toMatch(/^prevail_figures_age_seconds [1-9]/m);
    clockMs += 60_000;
    expect(text()).toMatch(/^prevail_policies\{.*verdict="Enforced"\} 1$/m);
    expect(text()).toContain("\nprevail_figures_age_seconds 0\n");
  });
});

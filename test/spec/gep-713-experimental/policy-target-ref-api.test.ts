/** GEP-713 experimental, "Policy TargetRef API" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy } from "../../support/cluster/gateway-objects.ts";
import { timeout, timeoutPolicy } from "./inherited-policies.ts";

describe("Policy TargetRef API", () => {
  test("each Policy resource MUST include a single targetRef field", () => {
    const { spec, ...rest } = timeoutPolicy("none", "Gateway/g", { defaults: { x: 1 } });
    const { targetRef: _, ...untargeted } = spec as JsonObject;
    const made = cluster([gateway("g"), { ...rest, spec: untargeted }], { definitions: [timeout] });
    expect(made.outcome("none")).toBe("Invalid");
    expect(made.message("none")).toMatch(/target/);
  });

  test("it must not target more than one resource at a time", () => {
    const two = policy("TimeoutPolicy", "two", ["Gateway/a", "Gateway/b"], { defaults: { x: 1 } });
    const made = cluster([gateway("a"), gateway("b"), two], { definitions: [timeout] });
    expect(made.outcome("two")).toBe("Invalid");
    expect(made.spec("Gateway/a")).toEqual({});
  });

  test("one target in targetRefs is one target", () => {
    const one = policy("TimeoutPolicy", "one", ["Gateway/a"], { defaults: { x: 1 } });
    expect(cluster([gateway("a"), one], { definitions: [timeout] }).outcome("one")).toBe("Enforced");
  });

  test("Namespace: when unspecified, the local namespace is inferred", () => {
    const made = cluster(
      [
        gateway("g", { namespace: "a" }),
        gateway("g", { namespace: "b" }),
        policy(
          "TimeoutPolicy",
          "p",
          { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" },
          { defaults: { x: 1 } },
          { namespace: "b" },
        ),
      ],
      { definitions: [timeout] },
    );
    expect(made.spec("Gateway/a/g")).toEqual({});
    expect(made.spec("Gateway/b/g")).toEqual({ x: 1 });
  });
});

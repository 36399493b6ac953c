/**
 * GEP-713, "Direct"
 * Direct policies: a policy on an object covers the sections that have none of their own.
 */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

describe("Direct policies", () => {
  const direct = policyKind("DirectPolicy", {
    class: "Direct",
    targets: ["Service/Port"],
    ends: ["Service", "Service/Port"],
  });
  const on = (name: string, target: string, created: number) =>
    policy("DirectPolicy", name, target, { x: name }, { created });

  test("a Direct policy on a Service covers the ports that have none of their own: no conflict", () => {
    const made = cluster(
      [service("s", { ports: { http: 80, admin: 81 } }), on("whole", "Service/s", 0), on("port", "Service/s#admin", 1)],
      {
        definitions: [direct],
      },
    );
    expect(made.spec("Service/s > Service/s#admin")).toEqual({ x: "port" });
    expect(made.outcome("port")).toBe("Enforced");
    expect(made.verdictOf("whole").state).toBe("Accepted");
    const whole = made
      .effective()
      .filter(({ spec }) => spec["x"] === "whole")
      .map(({ path }) => path.at(-1)?.sectionName ?? "s");
    expect(whole.length).toBeGreaterThan(0);
    expect(whole).not.toContain("admin");
  });

  test("two on one port are in conflict: the oldest wins", () => {
    const made = cluster([service("s"), on("a", "Service/s#http", 1), on("z", "Service/s#http", 0)], {
      definitions: [direct],
    });
    expect(made.spec("Service/s#http")).toEqual({ x: "z" });
    expect(made.outcome("a")).toBe("Conflicted by z");
  });
});

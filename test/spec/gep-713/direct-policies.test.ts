/**
 * GEP-713, "Direct": policies on an object and on its sections
 * A policy on an object covers the sections that have none of their own.
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

  test("a Direct policy on a Service whose ports all have their own is Overridden, naming them", () => {
    const objects = [
      service("s", { ports: { http: 80, admin: 81 } }),
      policy("DirectPolicy", "whole", "Service/s", { x: "whole", y: "whole" }, { created: 0 }),
      // A value that both set is the section's: Direct policies are replaced as a whole.
      policy("DirectPolicy", "of-http", "Service/s#http", { x: "of-http", y: "whole" }, { created: 1 }),
      on("of-admin", "Service/s#admin", 2),
    ];
    const made = cluster(objects, { definitions: [direct] });
    expect(made.outcome("whole")).toBe("Overridden by of-admin, of-http");
    expect(made.conditions("whole")).toEqual(["Service/s: Accepted=True/Accepted Enforced=False/Overridden"]);
    expect(made.spec("Service/s > Service/s#http")).toEqual({ x: "of-http", y: "whole" });
    expect(made.affectedBy("Service/s")).toEqual([]);
    expect(made.affectedBy("Service/s#http")).toEqual(["of-http"]);
    expect(made.outcome("of-http")).toBe("Enforced");
    const one = cluster(objects.slice(0, -1), { definitions: [direct] });
    expect(one.outcome("whole")).toBe("Enforced");
  });

  test("two on one port are in conflict: the oldest wins", () => {
    const made = cluster([service("s"), on("a", "Service/s#http", 1), on("z", "Service/s#http", 0)], {
      definitions: [direct],
    });
    expect(made.spec("Service/s#http")).toEqual({ x: "z" });
    expect(made.outcome("a")).toBe("Conflicted by z");
  });
});

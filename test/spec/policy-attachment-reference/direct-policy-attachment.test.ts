/** Policy attachment reference, "Direct Policy Attachment" */
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";

describe("Direct Policy Attachment", () => {
  const tls = (name: string, port: number, created: number, on: Json = "fooService") =>
    policy(
      "TLSConnectionPolicy",
      name,
      { group: "", kind: "Service", name: on },
      { tls: { certificateAuthorityRefs: [{ name: "CAcert" }], port } },
      { group: "gateway.networking.k8s.io", namespace: "foo", created },
    );
  const foo = service("fooService", { namespace: "foo" });

  test("TLSConnectionPolicy: connecting to the Service is TLS, validated by CAcert", () => {
    const made = cluster([foo, tls("tlsport8443", 8443, 0)], { definitions: ["tls-connection-policy"] });
    expect(made.paths()).toEqual(["Service/foo/fooService"]);
    expect(made.spec("Service/foo/fooService")).toEqual({
      tls: { certificateAuthorityRefs: [{ name: "CAcert" }], port: 8443 },
    });
    expect(made.outcome("foo/tlsport8443")).toBe("Enforced");
  });

  test("this would apply to every usage of that Service across any HTTPRoutes in that namespace", () => {
    const made = cluster(
      [
        gateway("g", { namespace: "foo" }),
        route("r1", "Gateway/g", { namespace: "foo", rules: [{ backends: ["fooService"] }] }),
        route("r2", "Gateway/g", { namespace: "foo", rules: [{ backends: ["fooService"] }] }),
        foo,
        tls("tlsport8443", 8443, 0),
      ],
      { definitions: ["tls-connection-policy"] },
    );
    expect(made.paths()).toEqual(["Service/foo/fooService"]);
    expect(made.tally("foo/tlsport8443")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.affectedTargets("foo/tlsport8443")).toEqual(["Service/foo/fooService"]);
  });

  test("Direct Policy Attachments must target one specific object", () => {
    const two = policy(
      "TLSConnectionPolicy",
      "two",
      ["Service/fooService", "Service/barService"],
      { tls: { port: 1 } },
      { group: "gateway.networking.k8s.io", namespace: "foo" },
    );
    const made = cluster([foo, service("barService", { namespace: "foo" }), two], {
      definitions: ["tls-connection-policy"],
    });
    expect(made.outcome("foo/two")).toBe("Invalid");
    expect(made.effective().filter(({ sources }) => sources.length > 0)).toEqual([]);
  });

  test("should only be used to target objects in the same namespace as the Policy object", () => {
    const away = policy(
      "TLSConnectionPolicy",
      "away",
      "Service/foo/fooService",
      { tls: { port: 1 } },
      { group: "gateway.networking.k8s.io", namespace: "bar" },
    );
    const made = cluster([foo, away], { definitions: ["tls-connection-policy"] });
    expect(made.outcome("bar/away")).toBe("TargetNotFound");
    expect(made.message("bar/away")).toMatch(/namespace/);
  });

  test("the modifications only affect the single object: never mixed, the oldest is taken", () => {
    const made = cluster([foo, tls("newer", 1, 1), tls("older", 2, 0)], { definitions: ["tls-connection-policy"] });
    expect(made.spec("Service/foo/fooService")).toEqual({
      tls: { certificateAuthorityRefs: [{ name: "CAcert" }], port: 2 },
    });
    expect(made.outcome("foo/older")).toBe("Enforced");
    expect(made.outcome("foo/newer")).toBe("Conflicted by foo/older");
  });
});

/** GEP-713 experimental, "Direct Policy Attachment" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";

describe("Direct Policy Attachment", () => {
  const tls = (name: string, spec: JsonObject, created = 0) =>
    policy("TLSConnectionPolicy", name, "Service/fooService", spec, {
      group: "gateway.networking.k8s.io",
      namespace: "foo",
      created,
    });
  const port8443 = { tls: { certificateAuthorityRefs: [{ name: "CAcert" }], port: 8443 } };
  const objects = [
    gateway("g", { namespace: "foo" }),
    route("r", "Gateway/g", { namespace: "foo", rules: [{ backends: ["fooService"] }] }),
    service("fooService", { namespace: "foo" }),
  ];
  const made = (...policies: readonly JsonObject[]) =>
    cluster([...objects, ...policies], { definitions: ["tls-connection-policy"] });

  test("TLSConnectionPolicy: only modifies the behavior of the object that matches its binding", () => {
    const one = made(tls("tlsport8443", port8443));
    expect(one.paths()).toEqual(["Service/foo/fooService"]);
    expect(one.spec("Service/foo/fooService")).toEqual(port8443);
    expect(one.affectedTargets("foo/tlsport8443")).toEqual(["Service/foo/fooService"]);
  });

  test("straightforward to communicate in one or two Conditions", () => {
    const two = made(tls("tlsport8443", port8443), tls("late", { tls: { port: 1 } }, 1));
    expect(two.conditions("foo/tlsport8443")).toEqual([
      "Service/foo/fooService: Accepted=True/Accepted Enforced=True/Enforced",
    ]);
    expect(two.conditions("foo/late")).toEqual(["Service/foo/fooService: Accepted=False/Conflicted"]);
  });
});

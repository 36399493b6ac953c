/**
 * Status in a cluster: the examples of GEP-713 and the stories of RFC 9, on a real API server
 * GEP-713, "Status reporting"
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type JsonObject, objectAt, objectsIn } from "../../src/core/model/json.ts";
import { paths, topology } from "../spec/gep-713/color-policies.ts";
import { auth, authn, merge, network } from "../spec/rfc-0009/compare-policies.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { gatewayClass, policy } from "../support/cluster/gateway-objects.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import {
  CONTROLLER_USER,
  REPORT_NAMESPACE,
  type ReportReplica,
  startReportReplica,
  untilReported,
} from "../support/kubernetes/report-replica.ts";
import { CLUSTER_TEST } from "../support/kubernetes/until.ts";
import {
  affectedBy,
  ancestorLines,
  applyAll,
  applyKinds,
  definitionText,
  getWritten,
  inNamespace,
  namespaceObject,
  policyCrd,
} from "./status-objects.ts";

const parts = await findKubernetes();

const own = [
  { kind: "ColorPolicy", group: "direct.policies.controller.io" },
  { kind: "ColorPolicy", group: "atomic.policies.controller.io" },
  { kind: "ColorPolicy", group: "patch.policies.controller.io" },
  { kind: "AuthPolicy", group: "kuadrant.example.io" },
];
const reportAffected = [{ kind: "Service", group: "" }];

const color = (name: string, on: string, spec: JsonObject, group: string): JsonObject =>
  policy("ColorPolicy", name, on, spec, { group: `${group}.policies.controller.io` });

/** Each story of RFC 9, by its namespace: the Platform Engineer's policy, the Application Developer's, and the words of both. */
const unrelated = authn({ own: "R" });
const atMost50 = { overrides: merge({ when: "spec.rules.authentication.a > 50", ...authn({ a: 50 }) }) };
const stories: readonly (readonly [string, JsonObject, JsonObject, string, string])[] = [
  ["gateway-default-policy", { defaults: authn({ a: "G" }) }, unrelated, "False/Overridden", "True/Enforced"],
  [
    "gateway-default-policy-rule",
    { defaults: merge(authn({ a: "G", own: "G" })) },
    unrelated,
    "True/PartiallyEnforced",
    "True/Enforced",
  ],
  ["gateway-override-policy", { overrides: authn({ a: "G" }) }, unrelated, "True/Enforced", "False/Overridden"],
  [
    "gateway-override-policy-rule",
    { overrides: merge(authn({ a: "G" })) },
    authn({ a: "R", own: "R" }),
    "True/Enforced",
    "True/PartiallyEnforced",
  ],
  ["route-replace-policy", authn({ a: "G", b: "G" }), unrelated, "False/Overridden", "True/Enforced"],
  ["route-add-policy-rule", { defaults: merge(authn({ a: "G" })) }, unrelated, "True/Enforced", "True/Enforced"],
  // Examples E2 and E1: a value that violates the constraint is clipped, one that complies with it stays.
  ["policy-constraints", atMost50, authn({ a: 100, b: 120 }), "True/Enforced", "True/PartiallyEnforced"],
  ["policy-constraints-met", atMost50, authn({ a: 30, b: 120 }), "True/Enforced", "True/Enforced"],
  // Examples F1 and F2: a default can be removed, an override cannot.
  [
    "route-disable-policy-rule",
    { defaults: merge(authn({ a: "G", b: "G" })) },
    { ...unrelated, remove: ["a"] },
    "True/PartiallyEnforced",
    "True/Enforced",
  ],
  [
    "route-disable-override",
    { overrides: merge(authn({ a: "G" })) },
    { ...unrelated, remove: ["a"] },
    "True/Enforced",
    "True/PartiallyEnforced",
  ],
];

/** What the condition Enforced says about a constraint and a removal: who overrides what. */
const storyMessages: readonly (readonly [string, string, string])[] = [
  ["policy-constraints", "rt", "AuthPolicy policy-constraints/gw"],
  ["policy-constraints-met", "gw", "constraint met"],
  ["route-disable-policy-rule", "gw", "AuthPolicy route-disable-policy-rule/rt"],
  ["route-disable-override", "rt", "AuthPolicy route-disable-override/gw"],
];

describe.skipIf(parts === undefined)("the status that a controller writes", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let replica: ReportReplica;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, { frontProxy: true, users: { [CONTROLLER_USER]: ["system:masters"] } });
    const groups = [...new Set(own.map(({ kind, group }) => `${kind} ${group}`))].map((text) => text.split(" "));
    await applyKinds(
      plane,
      ...groups.map(([kind = "", group = ""]) => policyCrd({ kind, group })),
      ...["color-policy-direct", "color-policy-atomic", "color-policy-patch", "auth-policy"].map(definitionText),
    );
    const namespaces = [REPORT_NAMESPACE, "direct", "atomic", "patch", ...stories.map(([name]) => name)];
    await applyAll(plane, [...namespaces.map(namespaceObject), gatewayClass("class")]);
    replica = await startReportReplica(plane, { own, reportAffected });
  }, 300_000);
  afterAll(async () => {
    await replica?.close();
    await plane?.close();
  });

  const lines = async (name: string, namespace: string, group = namespace): Promise<readonly string[]> =>
    ancestorLines(await getWritten(plane, `colorpolicies.${group}.policies.controller.io`, name, namespace));
  const affected = async (resource: string, name: string, namespace: string): Promise<readonly string[]> =>
    affectedBy(await getWritten(plane, resource, name, namespace), "ColorPolicy");

  test("GEP-713, Example 1. Direct Policy", async () => {
    await applyAll(
      plane,
      inNamespace(
        "direct",
        topology([
          ["g1", "r1", "b1"],
          ["g1", "r2", "b2"],
        ]),
      ),
    );
    await applyAll(plane, inNamespace("direct", [color("p1", "Service/b1", { color: "red" }, "direct")]));
    // Creation times have whole seconds; with equal times the name decides in the same way.
    await applyAll(plane, inNamespace("direct", [color("p2", "Service/b1", { color: "blue" }, "direct")]));
    await untilReported(plane, { own, reportAffected });
    expect(await affected("service", "b1", "direct")).toEqual(["p1"]);
    expect(await affected("service", "b2", "direct")).toEqual([]);
    expect(await lines("p1", "direct")).toEqual(["Service/b1: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(await lines("p2", "direct")).toEqual(["Service/b1: Accepted=False/Conflicted"]);
  });

  test("GEP-713, Example 2. Defaults & Overrides", async () => {
    await applyAll(plane, [
      ...inNamespace("atomic", topology(paths)),
      ...inNamespace("atomic", [
        color("p1", "Gateway/g1", { color: "red" }, "atomic"),
        color("p2", "HTTPRoute/r1", { color: "blue" }, "atomic"),
        color("p3", "Gateway/g2", { overrides: { color: "yellow" } }, "atomic"),
        color("p4", "HTTPRoute/r4", { color: "green" }, "atomic"),
      ]),
    ]);
    await untilReported(plane, { own, reportAffected });
    expect(await affected("service", "b1", "atomic")).toEqual(["p1", "p2", "p3"]);
    expect(await affected("service", "b2", "atomic")).toEqual(["p3"]);
    expect(await affected("gateway", "g1", "atomic")).toEqual(["p1"]);
    expect(await affected("httproute", "r1", "atomic")).toEqual(["p2"]);
    expect(await affected("httproute", "r4", "atomic")).toEqual(["p3"]);
    expect(await lines("p1", "atomic")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
    expect(await lines("p2", "atomic")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(await lines("p3", "atomic")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(await lines("p4", "atomic")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=False/Overridden"]);
    const p4 = await getWritten(plane, "colorpolicies.atomic.policies.controller.io", "p4", "atomic");
    expect(p4.status?.ancestors?.[0]?.conditions[1]?.message).toContain("overridden by ColorPolicy atomic/p3");
  });

  test("GEP-713, Example 3. Merged specs", async () => {
    await applyAll(plane, [
      ...inNamespace("patch", topology(paths)),
      ...inNamespace("patch", [
        color("p1", "Gateway/g1", { colors: { dark: "brown", light: "red" }, strategy: "atomic" }, "patch"),
        color("p2", "HTTPRoute/r1", { colors: { light: "blue" } }, "patch"),
        color("p3", "Gateway/g2", { overrides: { colors: { light: "yellow" }, strategy: "patch" } }, "patch"),
        color("p4", "HTTPRoute/r4", { colors: { dark: "olive", light: "green" } }, "patch"),
      ]),
    ]);
    await untilReported(plane, { own, reportAffected });
    expect(await affected("service", "b1", "patch")).toEqual(["p1", "p2", "p3"]);
    expect(await affected("service", "b2", "patch")).toEqual(["p3", "p4"]);
    expect(await lines("p1", "patch")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
    expect(await lines("p2", "patch")).toEqual(["Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(await lines("p3", "patch")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/Enforced"]);
    expect(await lines("p4", "patch")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=True/PartiallyEnforced"]);
  });

  test("RFC 9, User stories", async () => {
    await applyAll(
      plane,
      stories.flatMap(([name, higher, lower]) =>
        inNamespace(name, [...network, auth("gw", "Gateway/g", higher), auth("rt", "HTTPRoute/r", lower)]),
      ),
    );
    await untilReported(plane, { own, reportAffected });
    for (const [name, , , gw, rt] of stories) {
      const words = await Promise.all(
        ["gw", "rt"].map(async (one) =>
          ancestorLines(await getWritten(plane, "authpolicies.kuadrant.example.io", one, name)),
        ),
      );
      expect([name, ...words.flat()]).toEqual([
        name,
        `Gateway/g: Accepted=True/Accepted Enforced=${gw}`,
        `Gateway/g: Accepted=True/Accepted Enforced=${rt}`,
      ]);
    }
    for (const [namespace, name, words] of storyMessages) {
      const { status } = await getWritten(plane, "authpolicies.kuadrant.example.io", name, namespace);
      const enforced = status?.ancestors?.[0]?.conditions.find(({ type }) => type === "Enforced");
      expect([namespace, enforced?.message]).toEqual([namespace, expect.stringContaining(words)]);
    }
  });

  test("RFC 9, User stories: the effective policy, rules that were replaced, and how far a policy reaches", async () => {
    const ask = async (line: string): Promise<JsonObject> => {
      const { stdout, stderr, code } = await runCli(`${line} --kubeconfig ${plane.kubeconfig} -o json`);
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout) as JsonObject;
    };
    const explained = await ask("explain httproute/r -n gateway-default-policy-rule");
    const [kind] = objectsIn(explained["policyKinds"]);
    const [outcome = {}] = objectsIn(kind?.["outcomes"]);
    // view-effective-policy
    expect(outcome["spec"]).toEqual({ rules: { authentication: { a: "G", own: "R" } } });
    // view-policy-rule-status
    expect(outcome["sources"]).toMatchObject([
      { pointer: "/rules/authentication/a", lost: [] },
      { pointer: "/rules/authentication/own", lost: [{ policy: { name: "gw" }, reason: "replaced" }] },
    ]);
    // view-policy-rule-reach
    const reached = await ask("reach authpolicy/gw -n gateway-override-policy");
    expect(objectAt(reached, "counts")).toMatchObject({ paths: 1, full: 1 });
    expect(reached["reachedNodes"]).toContainEqual(
      expect.objectContaining({ target: expect.objectContaining({ kind: "HTTPRoute", name: "r" }), role: "Reached" }),
    );
  });

  test("a definition that goes takes its words with it, and they come back with it", async () => {
    await plane.kubectl(["delete", "policydefinition", "colorpolicies.atomic.policies.controller.io"]);
    await untilReported(plane, { own, reportAffected });
    expect(await affected("gateway", "g1", "atomic")).toEqual([]);
    expect(await lines("p1", "atomic")).toEqual([]);
    await applyAll(plane, [definitionText("color-policy-atomic")]);
    await untilReported(plane, { own, reportAffected });
    expect(await affected("gateway", "g1", "atomic")).toEqual(["p1"]);
    expect(await lines("p4", "atomic")).toEqual(["Gateway/g2: Accepted=True/Accepted Enforced=False/Overridden"]);
  });

  test("after a restart as another owner, the words about kinds that it does not own are withdrawn", async () => {
    await replica.close();
    const one = own.slice(2);
    replica = await startReportReplica(plane, { own: one });
    await untilReported(plane, { own: one });
    expect(await lines("p1", "direct")).toEqual([]);
    expect(await affected("gateway", "g1", "atomic")).toEqual([]);
    expect(await affected("gateway", "g1", "patch")).toEqual(["p1"]);
  });
});

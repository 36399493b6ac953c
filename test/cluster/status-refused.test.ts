/**
 * Writes that the API server refuses, targets that can have no status, and `controller --dry-run`
 *
 * An admission policy refuses with the codes of a quota (403) and of an object that is too large (413).
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ReportSettings } from "../../src/cli/controller/report-settings.ts";
import { type JsonObject, objectAt } from "../../src/core/model/json.ts";
import { gateway, gatewayClass, groupOf, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { anySpec } from "../support/crd/custom-resource.ts";
import { type AuditLog, createAuditLog } from "../support/kubernetes/audit-log.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import {
  CONTROLLER_USER,
  REPORT_NAMESPACE,
  type ReportReplica,
  reportSettings,
  startReportReplica,
  untilReported,
} from "../support/kubernetes/report-replica.ts";
import { CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import {
  affectedBy,
  ancestorLines,
  applyAll,
  applyKinds,
  getWritten,
  namespaceObject,
  policyCrd,
} from "./status-objects.ts";

const parts = await findKubernetes();
/** The group of kinds that `policy` targets and the table of groups does not have. */
const GROUP = groupOf("Crate");
const own = [...reportSettings.own, { kind: "CratePolicy", group: GROUP }];
const reportAffected = ["Crate", "Sack"].map((kind) => ({ kind, group: GROUP }));

const retries = (name: string, target: string, attempts: number): JsonObject => ({
  ...policy("RetryPolicy", name, [target], { retry: { attempts } }, { group: "prevail.dev" }),
  apiVersion: "prevail.dev/v1alpha1",
});

/** Refuses the writes of a status. */
const refusal = (name: string, group: string, resource: string, reason: string): readonly JsonObject[] => [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          { apiGroups: [group], apiVersions: ["*"], resources: [`${resource}/status`], operations: ["UPDATE"] },
        ],
      },
      validations: [{ expression: "false", reason, message: `the ${reason} of a test` }],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  },
];

const crateDefinition: JsonObject = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: `cratepolicy.${GROUP}` },
  spec: {
    policies: [{ group: GROUP, kind: "CratePolicy" }],
    class: "Direct",
    targeting: { kinds: reportAffected },
    hierarchy: { kinds: reportAffected },
  },
};

const box = (kind: string, name: string): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name, namespace: "default" },
  spec: {},
});

describe.skipIf(parts === undefined)("status that cannot be written", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let audit: AuditLog;
  let replica: ReportReplica;
  beforeAll(async () => {
    if (parts === undefined) return;
    audit = createAuditLog();
    const users = { [CONTROLLER_USER]: ["system:masters"] };
    plane = await startControlPlane(parts, { frontProxy: true, users, flags: audit.flags });
    const withConditions = { type: "object", properties: { conditions: { type: "array", items: anySpec } } };
    await applyKinds(
      plane,
      policyCrd({ group: GROUP, kind: "CratePolicy" }),
      policyCrd({ group: GROUP, kind: "Crate", status: withConditions, hasSubresource: false }),
      policyCrd({ group: GROUP, kind: "Sack", hasSubresource: false }),
      crateDefinition,
    );
    await applyAll(plane, [
      namespaceObject(REPORT_NAMESPACE),
      gatewayClass("class", reportSettings.controllerName),
      ...["g", "h"].map((name) => gateway(name)),
      service("s"),
      routeTo("r", "Gateway/g", "s"),
      routeTo("rh", "Gateway/h", "s"),
      retries("p", "Gateway/g", 1),
    ]);
  }, 300_000);
  afterEach(async () => {
    await replica?.close();
  });
  afterAll(async () => {
    await plane?.close();
    audit?.close();
  });

  const start = async (report: Partial<ReportSettings> = {}): Promise<void> => {
    replica = await startReportReplica(plane, { own, reportAffected, ...report });
  };
  const noted = (word: RegExp): readonly string[] => replica.notes.filter((note) => word.test(note));
  const ofController = () => audit.writes().filter(({ user }) => user === CONTROLLER_USER);

  test("--dry-run: a line for each object that would be written, also after a change, and no write", async () => {
    audit.mark();
    const before = audit.read().length;
    await start({ isDryRun: true });
    const lines = (): readonly string[] =>
      noted(/^dry run: the status of/)
        .map((note) => note.replace(/^dry run: the status of (.*) would be written$/, "$1"))
        .toSorted();
    const first = ["Gateway default/g", "HTTPRoute default/r", "RetryPolicy default/p"];
    await until(
      () => first.every((line) => lines().includes(line)),
      () => replica.notes.join("\n"),
    );
    expect(noted(/^dry run: no status is written, and no Event$/)).toHaveLength(1);
    await applyAll(plane, [retries("q", "Gateway/h", 2)]);
    const then = [...first, "Gateway default/h", "HTTPRoute default/rh", "RetryPolicy default/q"].toSorted();
    await until(
      () => then.every((line) => lines().includes(line)),
      () => replica.notes.join("\n"),
    );
    // A line for each object, and not once more for what is as it was.
    expect(lines()).toEqual(then);
    await replica.close();
    const written = ofController().filter(({ resource }) => resource.endsWith("/status") || resource === "events");
    expect(written).toEqual([]);
    const leases = audit
      .read()
      .slice(before)
      .filter(({ objectRef, user }) => objectRef?.resource === "leases" && user.username === CONTROLLER_USER);
    expect(leases).toEqual([]);
    expect((await getWritten(plane, "retrypolicy", "p", "default")).status).toBeUndefined();
  });

  test("refused as too large and by a quota: reported once, attempts become rarer, nothing else waits, and status follows when it is accepted", async () => {
    await start();
    await untilReported(plane, { own, reportAffected });
    const refusals = [
      ...refusal("too-large", "prevail.dev", "retrypolicies", "RequestEntityTooLarge"),
      ...refusal("quota", "gateway.networking.k8s.io", "httproutes", "Forbidden"),
    ];
    await applyAll(plane, refusals);
    // Admission policies are used some time after they were created.
    await until(async () => {
      const patch = JSON.stringify({ status: { ancestors: [] } });
      const codes = await Promise.all(
        ["retrypolicy/p", "httproute/r"].map((name) =>
          plane.kubectl(["patch", name, "--subresource=status", "--type=merge", "--dry-run=server", "-p", patch]).then(
            () => "",
            (error: unknown) => String(error),
          ),
        ),
      );
      return codes.every((text) => text.includes("of a test"));
    });
    audit.mark();
    await applyAll(plane, [
      gateway("i"),
      routeTo("ri", "Gateway/i", "s"),
      retries("p", "Gateway/i", 3),
      retries("large", "HTTPRoute/r", 3),
      routeTo("other", "Gateway/g", "s"),
      policy("CratePolicy", "free", "Crate/none", { a: 1 }, { group: GROUP }),
    ]);
    const attempts = (key: string) =>
      ofController()
        .filter(({ resource, name }) => `${resource} ${name}` === key)
        .map(({ code, completedMs }) => ({ code, completedMs }));
    await until(
      () => attempts("retrypolicies/status p").length >= 4 && attempts("httproutes/status r").length >= 4,
      () => replica.notes.slice(-10).join("\n"),
      200,
    );
    for (const [key, expected] of [
      ["retrypolicies/status p", 413],
      ["httproutes/status r", 403],
    ] as const) {
      const all = attempts(key);
      expect([key, ...new Set(all.map(({ code }) => code))]).toEqual([key, expected]);
      const waits = all.slice(1).map(({ completedMs }, at) => completedMs - (all[at]?.completedMs ?? 0));
      // At least 0.75 s, 1.5 s and 3 s.
      expect([key, ...waits.slice(0, 3).map((ms, at) => ms >= 740 * 2 ** at)]).toEqual([key, true, true, true]);
    }
    expect(noted(/RequestEntityTooLarge/)).toEqual([
      expect.stringMatching(/^the status of RetryPolicy default\/\w+ is not written: /),
    ]);
    expect(noted(/Forbidden of a test/)).toEqual([
      expect.stringMatching(/^the status of HTTPRoute default\/\w+ is not written: /),
    ]);
    // Objects that are not refused.
    expect(ancestorLines(await getWritten(plane, `cratepolicy.${GROUP}`, "free", "default"))).not.toEqual([]);
    expect(affectedBy(await getWritten(plane, "gateway", "i", "default"), "RetryPolicy")).toEqual(["p"]);
    await plane.kubectl(["delete", "validatingadmissionpolicybinding", "too-large", "quota"]);
    await untilReported(plane, { own, reportAffected });
  });

  test("a target without a status subresource: reported once where its schema has conditions, an annotation where it has none", async () => {
    await start();
    const boxes = ["one", "two"].flatMap((name) => [
      box("Crate", name),
      box("Sack", name),
      policy("CratePolicy", `crate-${name}`, `Crate/${name}`, { a: 1 }, { group: GROUP }),
      policy("CratePolicy", `sack-${name}`, `Sack/${name}`, { a: 1 }, { group: GROUP }),
    ]);
    await applyAll(plane, boxes);
    const read = async (kind: string, name: string): Promise<JsonObject> =>
      JSON.parse(await plane.kubectl(["get", `${kind}.${GROUP}`, name, "-n", "default", "-o", "json"])) as JsonObject;
    const annotations = async (name: string): Promise<JsonObject> =>
      objectAt(objectAt(await read("sack", name), "metadata"), "annotations");
    await until(
      async () =>
        noted(/Crate/).length > 0 &&
        (await annotations("one"))["prevail.dev/CratePolicyAffected"] === "true" &&
        (await annotations("two"))["prevail.dev/CratePolicyAffected"] === "true",
      () => replica.notes.slice(-10).join("\n"),
      200,
    );
    await until(
      async () => ancestorLines(await getWritten(plane, `cratepolicy.${GROUP}`, "crate-two", "default")).length > 0,
    );
    expect(noted(/Crate default/)).toEqual([
      expect.stringMatching(
        /^Crate default\/(one|two): the resource has no status subresource, so no status is written$/,
      ),
    ]);
    for (const name of ["one", "two"]) {
      const crate = await read("crate", name);
      expect(crate["status"]).toBeUndefined();
      expect(objectAt(crate, "metadata")["generation"]).toBe(1);
    }
    await plane.kubectl(["delete", `cratepolicy.${GROUP}`, "sack-one", "-n", "default"]);
    await until(async () => (await annotations("one"))["prevail.dev/CratePolicyAffected"] === undefined);
  });
});

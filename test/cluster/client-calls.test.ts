import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { LeaseClaim } from "../../src/adapters/cluster/client/lease-claim.ts";
import {
  applyObject,
  createObject,
  deleteObject,
  getObject,
  updateObject,
  updateStatus,
} from "../../src/adapters/cluster/client/object-requests.ts";
import { reviewAccess, reviewOwnAccess, reviewToken } from "../../src/adapters/cluster/client/reviews.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_START, CLUSTER_TEST } from "../support/kubernetes/until.ts";

const parts = await findKubernetes();
const RETRY_POLICIES = { group: "prevail.dev", version: "v1alpha1", plural: "retrypolicies" };
const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps" };

const policy = (name: string, attempts: number): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { namespace: "default", name },
  spec: {
    targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "r" }],
    defaults: { retry: { attempts } },
  },
});
const conditions = (message: string): JsonObject => ({
  ancestors: [
    {
      ancestorRef: { name: "g" },
      controllerName: "prevail.dev/gateway",
      conditions: [
        { type: "Accepted", status: "True", reason: "Accepted", message, lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    },
  ],
});
const configMap = (name: string, data: Readonly<Record<string, string>>): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name },
  data,
});

describe.skipIf(parts === undefined)("calls of the client", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let admin: KubeClient;
  let ana: KubeClient;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, { users: { ana: ["bakers"] } });
    [admin, ana] = [await clientAs(plane), await clientAs(plane, "ana")];
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(rightsOfBakers));
  }, CLUSTER_START);
  afterAll(async () => {
    admin?.close();
    ana?.close();
    await plane?.close();
  });

  test("create and get; an object that is not there is no error", async () => {
    await createObject(admin, RETRY_POLICIES, policy("a", 1));
    const name = { namespace: "default", name: "a" };
    expect(await getObject(admin, RETRY_POLICIES, name)).toMatchObject({
      spec: { defaults: { retry: { attempts: 1 } } },
    });
    expect(await getObject(admin, RETRY_POLICIES, { ...name, name: "b" })).toBeUndefined();
    await expect(createObject(admin, RETRY_POLICIES, policy("a", 2))).rejects.toMatchObject({ status: 409 });
  });

  test("an update of status changes nothing else, and an update of something older is a conflict", async () => {
    const first = await createObject(admin, RETRY_POLICIES, policy("status", 1));
    const changed = { ...first, spec: policy("status", 9)["spec"] ?? {}, status: conditions("one") };
    const second = await updateStatus(admin, RETRY_POLICIES, changed);
    expect(second).toMatchObject({ spec: { defaults: { retry: { attempts: 1 } } }, status: conditions("one") });
    await expect(updateStatus(admin, RETRY_POLICIES, { ...first, status: conditions("two") })).rejects.toMatchObject({
      status: 409,
      reason: "Conflict",
    });
    const third = await updateObject(admin, RETRY_POLICIES, { ...changed, metadata: second["metadata"] ?? {} });
    expect(third).toMatchObject({ spec: { defaults: { retry: { attempts: 9 } } }, status: conditions("one") });
    await expect(updateObject(admin, RETRY_POLICIES, policy("status", 2))).rejects.toThrow("resourceVersion");
  });

  test("server-side apply owns its fields; a field of another manager is a conflict unless forced", async () => {
    const apply = (manager: string, data: Readonly<Record<string, string>>, force = false): Promise<JsonObject> =>
      applyObject(admin, CONFIG_MAPS, configMap("shared", data), { fieldManager: manager, force });
    await apply("one", { a: "1", b: "1" });
    expect(await apply("two", { c: "2" })).toMatchObject({ data: { a: "1", b: "1", c: "2" } });
    await expect(apply("two", { a: "2" })).rejects.toMatchObject({ status: 409 });
    expect(await apply("two", { a: "2" }, true)).toMatchObject({ data: { a: "2", b: "1" } });
    expect((await apply("one", { b: "1" }))["data"]).toEqual({ a: "2", b: "1" });
  });

  test("only the version that was read is deleted", async () => {
    const read = await createObject(admin, CONFIG_MAPS, configMap("gone", {}));
    const newer = await updateObject(admin, CONFIG_MAPS, { ...read, data: { a: "1" } });
    await expect(deleteObject(admin, CONFIG_MAPS, read)).rejects.toMatchObject({ status: 409 });
    await deleteObject(admin, CONFIG_MAPS, newer);
    expect(await getObject(admin, CONFIG_MAPS, { namespace: "default", name: "gone" })).toBeUndefined();
  });

  test("a Lease has one owner; it passes on when it is released, or not renewed for its duration", async () => {
    let nowMs = 0;
    const claimOf = (identity: string): LeaseClaim =>
      new LeaseClaim({
        client: admin,
        namespace: "default",
        name: "leader",
        identity,
        durationSeconds: 15,
        monotonicMs: () => nowMs,
      });
    const [one, two] = [claimOf("one"), claimOf("two")];
    expect(await one.claim()).toEqual({ isOwned: true, untilMs: 15_000 });
    expect(await two.claim()).toEqual({ isOwned: false, owner: "one" });
    nowMs = 10_000;
    expect(await one.claim()).toEqual({ isOwned: true, untilMs: 25_000 });
    nowMs = 20_000;
    // The second sees the renewal now, and counts from now on.
    expect(await two.claim()).toEqual({ isOwned: false, owner: "one" });
    nowMs = 35_001;
    expect(await two.claim()).toEqual({ isOwned: true, untilMs: 50_001 });
    expect(await one.claim()).toEqual({ isOwned: false, owner: "two" });
    await one.release();
    expect(await one.claim()).toEqual({ isOwned: false, owner: "two" });
    await two.release();
    expect(await one.claim()).toMatchObject({ isOwned: true });
    const lease = await plane.kubectl(["get", "lease", "leader", "-o", "jsonpath={.spec.leaseTransitions}"]);
    expect(lease).toBe("2");
  });

  test("of several claims at once one succeeds", async () => {
    const claims = Array.from({ length: 8 }, (_, index) => {
      const identity = `process-${index}`;
      return new LeaseClaim({ client: admin, namespace: "default", name: "race", identity, ...fifteenSeconds }).claim();
    });
    const states = await Promise.all(claims);
    expect(states.filter(({ isOwned }) => isOwned)).toHaveLength(1);
  });

  test.each([
    ["get", "prevail.dev", "retrypolicies", "bakery", true],
    ["get", "prevail.dev", "retrypolicies", "shop", false],
    ["get", "prevail.dev", "retrypolicies", undefined, false],
    ["update", "prevail.dev", "retrypolicies/status", "bakery", false],
    ["delete", "prevail.dev", "retrypolicies", "bakery", false],
    ["list", "", "services", "bakery", false],
  ])("rights by a group: %s %s/%s in %s", async (verb, group, resource, namespace, allowed) => {
    const access = { verb, group, resource, namespace };
    const user = { user: "somebody", groups: ["bakers"], extra: {} };
    expect((await reviewAccess(admin, user, access)).allowed).toBe(allowed);
    expect((await reviewAccess(admin, { ...user, groups: [] }, access)).allowed).toBe(false);
    expect((await reviewOwnAccess(ana, access)).allowed).toBe(allowed);
  });

  test("who may not create SubjectAccessReviews gets an error, not a decision", async () => {
    const access = { verb: "get", group: "prevail.dev", resource: "retrypolicies", namespace: "bakery" };
    const user = { user: "ana", groups: ["bakers"], extra: {} };
    await expect(reviewAccess(ana, user, access)).rejects.toMatchObject({ status: 403 });
  });

  test("a token is known by its audience only", async () => {
    await plane.kubectl(["create", "serviceaccount", "oven", "-n", "default"]);
    const token = (await plane.kubectl(["create", "token", "oven", "--audience", "xds.prevail.dev"])).trim();
    expect(await reviewToken(admin, token, ["xds.prevail.dev"])).toMatchObject({
      authenticated: true,
      user: { user: "system:serviceaccount:default:oven" },
      audiences: ["xds.prevail.dev"],
    });
    expect(await reviewToken(admin, token, ["other"])).toMatchObject({ authenticated: false });
    expect(await reviewToken(admin, token, [])).toMatchObject({ authenticated: false });
    expect(await reviewToken(admin, "nonsense", ["xds.prevail.dev"])).toMatchObject({ authenticated: false });
    expect(await reviewToken(admin, plane.token("ana"), [])).toMatchObject({
      user: { user: "ana", groups: expect.arrayContaining(["bakers"]) },
    });
  });

  test("requests that the server rejects because it is too busy are sent again, and succeed", async () => {
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(oneAtATime));
    const access = { verb: "get", group: "prevail.dev", resource: "retrypolicies", namespace: "bakery" };
    const rejected = async (): Promise<boolean> =>
      /rejected_requests_total\{flow_schema="one-at-a-time",.*\} [1-9]/.test(
        await plane.kubectl(["get", "--raw", "/metrics"]),
      );
    // The server learns of the new level in a moment.
    for (let rounds = 0; rounds < 20 && !(await rejected()); rounds++) {
      const decisions = await Promise.all(Array.from({ length: 6 }, () => reviewOwnAccess(ana, access)));
      expect(decisions.every(({ allowed }) => allowed)).toBe(true);
    }
    expect(await rejected()).toBe(true);
  });
});

const fifteenSeconds = { durationSeconds: 15, monotonicMs: () => 0 };

const rightsOfBakers = {
  apiVersion: "v1",
  kind: "List",
  items: [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "bakery" } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "bakers", namespace: "bakery" },
      rules: [{ apiGroups: ["prevail.dev"], resources: ["retrypolicies"], verbs: ["get", "list"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "bakers", namespace: "bakery" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "bakers" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "bakers" }],
    },
  ],
};

/** API priority and fairness: of the requests of one user the server works on one, and rejects others. */
const oneAtATime = {
  apiVersion: "v1",
  kind: "List",
  items: [
    {
      apiVersion: "flowcontrol.apiserver.k8s.io/v1",
      kind: "PriorityLevelConfiguration",
      metadata: { name: "one-at-a-time" },
      spec: {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: 0,
          lendablePercent: 0,
          borrowingLimitPercent: 0,
          limitResponse: { type: "Reject" },
        },
      },
    },
    {
      apiVersion: "flowcontrol.apiserver.k8s.io/v1",
      kind: "FlowSchema",
      metadata: { name: "one-at-a-time" },
      spec: {
        priorityLevelConfiguration: { name: "one-at-a-time" },
        matchingPrecedence: 2,
        rules: [
          {
            subjects: [{ kind: "User", user: { name: "ana" } }],
            resourceRules: [
              { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true },
            ],
          },
        ],
      },
    },
  ],
};

/**
 * What the controller wrote is withdrawn when it does not report any more: a definition that goes, also while no controller runs, a kind that is not owned any
 * more, and `--cleanup`. Conditions of policies without ancestors name no controller; managed fields say who wrote them.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { getObject, updateStatus } from "../../src/adapters/cluster/client/object-requests.ts";
import type { ReportSettings } from "../../src/cli/controller/report-settings.ts";
import { cleanUp } from "../../src/controller/cleanup/clean-up.ts";
import { type JsonObject, objectAt } from "../../src/core/model/json.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { pluralOf } from "../support/crd/custom-resource.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import {
  CONTROLLER_USER,
  REPORT_NAMESPACE,
  type ReportReplica,
  reportSettings,
  startReportReplica,
} from "../support/kubernetes/report-replica.ts";
import { CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import { ancestorLines, applyAll, applyKinds, getWritten, namespaceObject, policyCrd } from "./status-objects.ts";

const parts = await findKubernetes();
const GROUP = "left.example.com";
const OTHER_NAME = "example.com/other";

/** As most CRDs declare conditions. */
const conditionsByType: JsonObject = {
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
  properties: {
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: {
        type: "object",
        required: ["type"],
        properties: { type: { type: "string" } },
        "x-kubernetes-preserve-unknown-fields": true,
      },
    },
  },
};

/** Their CRDs name no target, so without its definition none of these kinds is known as one of policies. */
const KINDS = ["KeyedPolicy", "ListPolicy", "EntryPolicy"] as const;
type Kind = (typeof KINDS)[number];

const definition = (kind: Kind, owner?: string): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: `${kind.toLowerCase()}.${GROUP}` },
  spec: {
    policies: [{ group: GROUP, kind }],
    class: "Inherited",
    targeting: { kinds: ["Gateway"] },
    hierarchy: { effectiveTargets: ["HTTPRoute"] },
    ...(kind === "EntryPolicy" && owner === undefined
      ? {}
      : {
          status: {
            ...(kind === "EntryPolicy" ? {} : { ancestors: "None" }),
            ...(owner === undefined ? {} : { owner }),
          },
        }),
  },
});

const theirs: JsonObject = {
  type: "example.com/Theirs",
  status: "True",
  reason: "Theirs",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

describe.skipIf(parts === undefined)("status that is withdrawn", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let client: KubeClient;
  const replicas: ReportReplica[] = [];
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, { frontProxy: true, users: { [CONTROLLER_USER]: ["system:masters"] } });
    client = await clientAs(plane);
    await applyKinds(
      plane,
      policyCrd({ group: GROUP, kind: "KeyedPolicy", status: conditionsByType }),
      policyCrd({ group: GROUP, kind: "ListPolicy" }),
      policyCrd({ group: GROUP, kind: "EntryPolicy" }),
    );
    await applyAll(plane, [
      namespaceObject(REPORT_NAMESPACE),
      gatewayClass("class", reportSettings.controllerName),
      gateway("g"),
      service("s"),
      routeTo("r", "Gateway/g", "s"),
      ...KINDS.map((kind) => policy(kind, "p", "Gateway/g", { a: 1 }, { group: GROUP })),
    ]);
    for (const kind of KINDS) await setStatus(kind, () => ({ conditions: [theirs] }), "theirs");
  }, 300_000);
  afterEach(stop);
  afterAll(async () => {
    client?.close();
    await plane?.close();
  });

  async function start(report: Partial<ReportSettings> = {}): Promise<ReportReplica> {
    const replica = await startReportReplica(plane, report);
    replicas.push(replica);
    return replica;
  }
  async function stop(): Promise<void> {
    await Promise.all(replicas.splice(0).map((replica) => replica.close()));
  }

  async function setStatus(
    kind: Kind,
    next: (status: JsonObject) => JsonObject,
    fieldManager: string,
    name = "p",
  ): Promise<void> {
    const resource = { group: GROUP, version: "v1", plural: pluralOf(kind) };
    const object = await getObject(client, resource, { namespace: "default", name });
    if (object === undefined) throw new Error(`there is a ${kind}`);
    await updateStatus(client, resource, { ...object, status: next(objectAt(object, "status")) }, { fieldManager });
  }

  const written = (kind: Kind) => getWritten(plane, `${kind.toLowerCase()}.${GROUP}`, "p", "default");
  /** The types of conditions, and the ancestors. */
  const words = async (kind: Kind): Promise<readonly string[]> => {
    const object = await written(kind);
    return [...(object.status?.conditions ?? []).map(({ type }) => type), ...ancestorLines(object)];
  };
  const THEIRS = ["example.com/Theirs"];
  const OURS: Readonly<Record<Kind, readonly string[]>> = {
    KeyedPolicy: [...THEIRS, "Accepted", "Enforced"],
    ListPolicy: [...THEIRS, "Accepted", "Enforced"],
    EntryPolicy: [...THEIRS, "Gateway/g: Accepted=True/Accepted Enforced=True/Enforced"],
  };
  const allWords = async (): Promise<unknown> =>
    Object.fromEntries(await Promise.all(KINDS.map(async (kind) => [kind, await words(kind)] as const)));
  let seen: unknown;
  const untilWords = (wanted: Readonly<Record<Kind, readonly string[]>>): Promise<void> =>
    until(
      async () => {
        seen = await allWords();
        return JSON.stringify(seen) === JSON.stringify(wanted);
      },
      () => `${JSON.stringify(seen)} ${replicas.flatMap(({ notes }) => notes.slice(-5)).join("\n")}`,
      200,
    );
  const NOTHING: typeof OURS = { KeyedPolicy: THEIRS, ListPolicy: THEIRS, EntryPolicy: THEIRS };
  const define = (owner?: string): Promise<string> =>
    applyAll(
      plane,
      KINDS.map((kind) => definition(kind, owner)),
    );
  const undefine = (): Promise<string> =>
    plane.kubectl(["delete", "policydefinition", ...KINDS.map((kind) => `${kind.toLowerCase()}.${GROUP}`)]);

  test("definitions that go while the controller runs", async () => {
    await define(reportSettings.controllerName);
    await start();
    await untilWords(OURS);
    await undefine();
    await untilWords(NOTHING);
    await define(reportSettings.controllerName);
    await untilWords(OURS);
  });

  test("definitions that go while no controller runs", async () => {
    await undefine();
    expect(await words("KeyedPolicy")).toEqual(OURS.KeyedPolicy);
    await start();
    await untilWords(NOTHING);
  });

  test("as long as a PolicyDefinition has an error, nothing is withdrawn from kinds without a definition", async () => {
    await define(reportSettings.controllerName);
    await start();
    await untilWords(OURS);
    await stop();
    await undefine();
    // Two definitions of one kind.
    const twice = ["one", "two"].map((name) => ({
      ...definition("KeyedPolicy"),
      metadata: { name },
      spec: {
        policies: [{ group: "twice.example.com", kind: "TwicePolicy" }],
        class: "Inherited",
        targeting: { kinds: ["Gateway"] },
      },
    }));
    // Another controller owns a kind with a definition, which is looked at after the others.
    await applyAll(plane, [...twice, definition("ListPolicy", OTHER_NAME)]);
    await start();
    await untilWords({ ...OURS, ListPolicy: THEIRS });
    await plane.kubectl(["delete", "policydefinition", "one", "two", `listpolicy.${GROUP}`]);
    await untilWords(NOTHING);
  });

  test("kinds that are not owned any more: another owner in the definition, and another --own after a restart", async () => {
    await define(reportSettings.controllerName);
    await start();
    await untilWords(OURS);
    await define(OTHER_NAME);
    await untilWords(NOTHING);
    await stop();
    await define();
    await start({ own: KINDS.map((kind) => ({ kind, group: GROUP })) });
    await untilWords(OURS);
    await stop();
    await start();
    await untilWords(NOTHING);
  });

  test("what another controller of this program wrote stays, and so does a condition that another writer changed", async () => {
    const lease = { ...reportSettings.lease, name: "other" };
    await define(OTHER_NAME);
    await start({ controllerName: OTHER_NAME, own: [], lease });
    await untilWords(OURS);
    await stop();
    // It is looked at after the others.
    await applyAll(plane, [policy("ListPolicy", "z", "Gateway/g", { a: 1 }, { group: GROUP })]);
    await setStatus("ListPolicy", () => ({ conditions: [{ ...theirs, type: "Accepted" }] }), "prevail-controller", "z");
    await start();
    await until(
      async () => (await getWritten(plane, `listpolicy.${GROUP}`, "z", "default")).status?.conditions?.length === 0,
    );
    await stop();
    await plane.kubectl(["delete", `listpolicy.${GROUP}`, "z"]);
    await untilWords(OURS);
    await setStatus(
      "KeyedPolicy",
      ({ conditions, ...status }) => ({
        ...status,
        conditions: (conditions as readonly JsonObject[]).map((one) =>
          one["type"] === "Enforced" ? { ...one, message: "by another writer" } : one,
        ),
      }),
      "another",
    );
    await undefine();
    await start({ controllerName: OTHER_NAME, own: [], lease });
    await untilWords({ ...NOTHING, KeyedPolicy: [...THEIRS, "Enforced"] });
    await setStatus("KeyedPolicy", () => ({ conditions: [theirs] }), "theirs");
  });

  test("--cleanup, with definitions that went while no controller ran", async () => {
    await define(reportSettings.controllerName);
    await start();
    await untilWords(OURS);
    await stop();
    await undefine();
    const notes: string[] = [];
    const { controllerName, lease } = reportSettings;
    const failures = await cleanUp({
      client,
      controllerName,
      isOwned: () => false,
      isReported: () => false,
      lease: { namespace: REPORT_NAMESPACE, name: lease.name },
      renewDeadlineMs: 0,
      isDryRun: false,
      signal: new AbortController().signal,
      nowMs: Date.now,
      note: (message) => notes.push(message),
    });
    expect([failures, notes.at(-1)]).toEqual([
      [],
      expect.stringMatching(/^withdrew conditions, entries and annotations of \d+ objects$/),
    ]);
    expect(await allWords()).toEqual(NOTHING);
  });
});

import { describe, expect, test } from "vitest";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../index.ts";
import { worldOf } from "../evaluation.ts";
import type { PolicyDefinition } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import { type ObjectRef, objectId, parseObjectId } from "../model/refs.ts";
import { bareKindName } from "../model/words/kind-names.ts";
import type { RetryKnowledge, TrafficCounts } from "../retry/retry-counts.ts";
import { cutView } from "./cut-view.ts";
import { blamedPolicies, effectiveSubjects, effectiveView, surveyEffective } from "./effective-view.ts";
import { reachView, surveyReach } from "./reach-view.ts";
import type { ViewContext, Viewer } from "./view-context.ts";
import { viewResources } from "./view-resources.ts";
import { viewCells } from "./view-rows.ts";
import type { EffectivePolicyView, PolicyReachView } from "./view-types.ts";
import { viewedObjects } from "./viewed-objects.ts";
import { REDACTED } from "./visible-values.ts";

const [retryDefinition] = builtInDefinitions().filter(({ name }) => name === "retrypolicies.prevail.dev");

const retry = (name: string, target: string, block: "defaults" | "overrides", attempts: number): JsonObject => {
  const spec = { [block]: { retry: { attempts, backoff: "1s" } } };
  const made = policy("RetryPolicy", name, target, spec, { group: "prevail.dev" });
  return { ...made, metadata: { ...(made["metadata"] as JsonObject), uid: "01234567-89AB-4cde-8f01-23456789abcd" } };
};

/** A route with a secret-keeping policy on its Gateway and a policy of its own. */
function contextWith(change: Partial<PolicyDefinition>): ViewContext {
  if (retryDefinition === undefined) throw new Error("RetryPolicy is built in");
  const objects = [
    gatewayClass("class", "prevail.dev/gateway"),
    gateway("g"),
    routeTo("r", "Gateway/g", "s"),
    service("s"),
    retry("house", "Gateway/g", "overrides", 5),
    retry("ana", "HTTPRoute/r", "defaults", 1),
  ];
  const { visibility: _, sensitive: __, ...definition } = retryDefinition;
  const { evaluation } = cluster(objects, { definitions: [{ ...definition, ...change }] });
  return { world: worldOf(evaluation), unread: [], pluralOf: () => undefined };
}

const [effectivePolicies = viewResources[0]] = viewResources;
const seesAll: Viewer = { mayRead: () => true, maySee: () => true };
/** May read `ana` but not `house`. */
const developer: Viewer = { mayRead: (id) => parseObjectId(id).name === "ana", maySee: () => true };

function viewOf(context: ViewContext, name: string, viewer: Viewer): EffectivePolicyView {
  if (effectivePolicies === undefined) throw new Error("there are resources");
  const [viewed] = viewedObjects(context, effectivePolicies, { namespace: "default", name });
  const survey = viewed === undefined ? undefined : surveyEffective(context, viewed, { withFailures: true });
  if (survey === undefined) throw new Error(`${name} has no view`);
  return effectiveView(context, survey, viewer);
}

const ref = (group: string, kind: string, name: string, namespace = "default") => ({ group, kind, namespace, name });
const [G, R, S] = [
  ref("gateway.networking.k8s.io", "Gateway", "g"),
  ref("gateway.networking.k8s.io", "HTTPRoute", "r"),
  ref("", "Service", "s"),
];
const counted = (route: ObjectRef, requests: number, retried: number, succeededByRetry: number): TrafficCounts => ({
  gateway: G,
  route,
  rule: "rule-1",
  backend: { ...S, namespace: route.namespace },
  port: 80,
  requests,
  retried,
  succeededByRetry,
});
/** Traffic through a Gateway of which a part goes to another namespace. */
const known = (more: Partial<RetryKnowledge> = {}): ViewContext => ({
  ...contextWith({ visibility: "Target" }),
  retries: () => ({
    report: {
      windowMs: 720_000,
      counts: [counted(R, 1000, 200, 180), counted({ ...R, namespace: "far" }, 100, 50, 0)],
      uncounted: 0,
    },
    counted: new Set([objectId(G)]),
    gaps: new Map(),
    ...more,
  }),
});

describe("a status that another writer resets", () => {
  const context: ViewContext = {
    ...contextWith({}),
    stoppedStatus: (id) =>
      [objectId(R), objectId(ref("prevail.dev", "RetryPolicy", "ana"))].includes(id)
        ? { manager: "hostile", until: "2026-01-01T12:00:00Z" }
        : undefined,
  };
  const words = (what: string): string =>
    `the status that the cluster shows of ${what} may be out of date: the field manager 'hostile' has reset it three times in ten minutes, and it is not written before 2026-01-01T12:00:00Z`;
  const messages = ({ caveats }: Pick<EffectivePolicyView, "caveats">): readonly string[] =>
    caveats.filter(({ code }) => code === "StatusNotKept").map(({ message }) => message);

  test("is a caveat of the view of the object, and of no other", () => {
    expect(messages(viewOf(context, "httproute.r", seesAll))).toEqual([words("HTTPRoute default/r")]);
    expect(messages(viewOf(context, "gateway.g", seesAll))).toEqual([]);
    expect(messages(viewOf(contextWith({}), "httproute.r", seesAll))).toEqual([]);
  });

  test("of a policy: a caveat of its reach", () => {
    const [reaches] = viewResources.filter(({ about }) => about === "Policies");
    const all = reaches === undefined ? [] : viewedObjects(context, reaches, { namespace: "default" });
    const found = all.map((viewed) => {
      const survey = surveyReach(context, viewed);
      return survey === undefined ? [] : messages(reachView(context, survey, seesAll));
    });
    expect(found.flat()).toEqual([words("RetryPolicy default/ana")]);
  });
});

describe("what retries are worth", () => {
  test("to the requests of a route, over the counted interval", () => {
    const { retries, caveats } = viewOf(known(), "httproute.r", seesAll);
    expect(retries).toEqual({
      windowSeconds: 720,
      requests: 1000,
      retried: 200,
      succeededByRetry: 180,
      traffic: [
        {
          gateway: G,
          route: R,
          rule: "rule-1",
          backend: { ...S, port: 80 },
          requests: 1000,
          retried: 200,
          succeededByRetry: 180,
        },
      ],
    });
    expect(caveats.map(({ code }) => code)).not.toContain("CountersNotRead");
  });

  test("to all requests of a Gateway; rules in namespaces that the user may not see are only counted", () => {
    const { retries } = viewOf(known(), "gateway.g", { ...seesAll, maySee: (namespace) => namespace === "default" });
    expect(retries).toMatchObject({ requests: 1100, succeededByRetry: 180, hidden: 1 });
    expect(retries?.traffic.map(({ route }) => route.namespace)).toEqual(["default"]);
  });

  test("absent counters are a caveat, never a zero", () => {
    const gaps = new Map([[objectId(G), "no Envoy reports them"]]);
    const { retries, caveats } = viewOf(known({ counted: new Set(), gaps }), "httproute.r", seesAll);
    expect(retries).toBeUndefined();
    expect(caveats.find(({ code }) => code === "CountersNotRead")?.message).toContain("no Envoy reports them");
    const part = viewOf(known({ gaps }), "httproute.r", seesAll);
    expect(part.retries?.requests).toBe(1000);
    expect(part.caveats.map(({ code }) => code)).toContain("CountersNotRead");
  });

  test("a counted Gateway without requests has zeros; a Gateway that is not served has nothing", () => {
    const none = { windowMs: 3_600_000, counts: [], uncounted: 0 };
    expect(viewOf(known({ report: none }), "httproute.r", seesAll).retries).toMatchObject({ requests: 0, traffic: [] });
    const { retries, caveats } = viewOf(known({ counted: new Set() }), "httproute.r", seesAll);
    expect(retries).toBeUndefined();
    expect(caveats.map(({ code }) => code)).not.toContain("CountersNotRead");
  });

  test("a policy about retries: the requests on the paths on which it takes effect", () => {
    const reachOf = (name: string): PolicyReachView => {
      const [reaches] = viewResources.filter(({ about }) => about === "Policies");
      const context = known();
      const all = reaches === undefined ? [] : viewedObjects(context, reaches, { namespace: "default" });
      const viewed = all.find(({ id }) => parseObjectId(id).name === name);
      const survey = viewed === undefined ? undefined : surveyReach(context, viewed);
      if (survey === undefined) throw new Error(`${name} has no view`);
      return reachView(context, survey, seesAll);
    };
    expect(reachOf("house").retries).toMatchObject({ requests: 1000, succeededByRetry: 180 });
    expect(reachOf("ana").retries).toBeUndefined();
  });
});

const shortly = ({ values }: EffectivePolicyView) =>
  values.map(({ field, value, redacted, source, lost }) => ({
    [field]: value ?? redacted,
    from: source?.policy?.name,
    lost: lost.map((one) => `${one.policy?.name} ${JSON.stringify(one.value ?? one.redacted)} ${one.reason}`),
  }));

describe("GEP-713 › Application Developer Discoverability: that a policy takes effect, which one, and what it does", () => {
  test("a user who may read both policies sees everything", () => {
    expect(shortly(viewOf(contextWith({}), "httproute.r", seesAll))).toEqual([
      { "retry.attempts": 5, from: "house", lost: ["ana 1 overridden"] },
      { "retry.backoff": "1s", from: "house", lost: ['ana "1s" equal'] },
    ]);
  });

  test("of a policy that they may not read: its name and its fields, no values", () => {
    expect(shortly(viewOf(contextWith({}), "httproute.r", developer))).toEqual([
      { "retry.attempts": REDACTED, from: "house", lost: ["ana 1 overridden"] },
      { "retry.backoff": REDACTED, from: "house", lost: ['ana "1s" equal'] },
    ]);
  });

  test("visibility: Target shows the values, but never those of sensitive paths or of what contains them", () => {
    const open = contextWith({ visibility: "Target", sensitive: ["retry.backoff.seconds"] });
    expect(shortly(viewOf(open, "httproute.r", developer))).toEqual([
      { "retry.attempts": 5, from: "house", lost: ["ana 1 overridden"] },
      { "retry.backoff": REDACTED, from: "house", lost: ['ana "1s" equal'] },
    ]);
  });

  test("an overridden policy that they may not read is not there at all", () => {
    const owner: Viewer = { mayRead: (id) => parseObjectId(id).name === "house", maySee: () => true };
    const view = viewOf(contextWith({}), "httproute.r", owner);
    expect(JSON.stringify(view)).not.toContain("ana");
    expect(viewCells(view, bareKindName).slice(1, 5)).toEqual([1, 2, 0, "RetryPolicy default/house"]);
    const open = viewOf(contextWith({ visibility: "Target" }), "httproute.r", owner);
    expect(shortly(open)[0]).toEqual({ "retry.attempts": 5, from: "house", lost: ["ana 1 overridden"] });
  });

  test("with redacted names, a handle stands for the policy, wherever it is named", () => {
    const context: ViewContext = { ...contextWith({ visibility: "Target" }), redactsNames: true };
    const view = viewOf(context, "httproute.r", developer);
    expect(JSON.stringify(view)).not.toContain("house");
    expect(shortly(view)[0]).toEqual({ "retry.attempts": 5, from: "~0123456789ab", lost: ["ana 1 overridden"] });
    expect(view.values[0]?.lost[0]?.by).toEqual([
      { group: "prevail.dev", kind: "RetryPolicy", namespace: "", name: "~0123456789ab" },
    ]);
    expect(viewCells(view, bareKindName)[4]).toBe("RetryPolicy ~0123456789ab");
    expect(shortly(viewOf(context, "httproute.r", seesAll))[0]).toMatchObject({ from: "house" });
  });

  test("objects below in namespaces that they may not see are counted and not named", () => {
    const blind: Viewer = { mayRead: () => true, maySee: () => false };
    const [value] = viewOf(contextWith({}), "gateway.g", blind).values;
    expect(value?.paths.groups).toEqual([
      { sections: ["http"], above: ["GatewayClass class > Namespace default"], below: [], hiddenBelow: 1 },
    ]);
    expect(viewOf(contextWith({}), "gateway.g", seesAll).values[0]?.paths.groups[0]?.below).toEqual([
      "HTTPRoute default/r#rule-1 > Service default/s#http",
    ]);
  });
});

test("blame: how the value of a policy was last written, for policies that the user may read", () => {
  if (effectivePolicies === undefined) throw new Error("there are resources");
  const context = contextWith({});
  const [viewed] = viewedObjects(context, effectivePolicies, { namespace: "default", name: "httproute.r" });
  const survey = viewed === undefined ? undefined : surveyEffective(context, viewed, { withFailures: true });
  if (survey === undefined) throw new Error("the route has a view");
  expect(blamedPolicies(survey, developer)).toEqual([]);
  const [house] = blamedPolicies(survey, seesAll);
  const fields = { "f:spec": { "f:overrides": { "f:retry": { "f:attempts": {} } } } };
  const entry = { manager: "kubectl-edit", operation: "Update", time: "2024-12-20T18:47:11Z", fieldsV1: fields };
  const metadata = { creationTimestamp: "2024-12-20T18:46:02Z", managedFields: [entry] };
  const whole = new Map(house === undefined ? [] : [[house, { metadata }]]);
  const written = effectiveView(context, survey, seesAll, whole).values.map(({ field, source }) => [
    field,
    source?.written,
  ]);
  const { fieldsV1: _, ...write } = entry;
  expect(written).toEqual([
    ["retry.attempts", { ...write, created: metadata.creationTimestamp }],
    ["retry.backoff", { created: metadata.creationTimestamp }],
  ]);
});

test("the rights that a view depends on are known before it is built", () => {
  if (effectivePolicies === undefined) throw new Error("there are resources");
  const context = contextWith({});
  const [viewed] = viewedObjects(context, effectivePolicies, { namespace: "default", name: "httproute.r" });
  const survey = viewed === undefined ? undefined : surveyEffective(context, viewed, { withFailures: true });
  const subjects = survey === undefined ? undefined : effectiveSubjects(survey);
  expect([...(subjects?.objects ?? [])].map((id) => parseObjectId(id).name).sort()).toEqual(["ana", "house"]);
  expect([...(subjects?.namespaces ?? [])]).toEqual(["default"]);
});

test("an object that no policy reaches has no view; names are those of kinds", () => {
  if (effectivePolicies === undefined) throw new Error("there are resources");
  const context = contextWith({});
  const all = viewedObjects(context, effectivePolicies, {});
  expect(all.map(({ name }) => name)).toEqual(["gateway.g", "httproute.r", "service.s"]);
  const [, , reach] = viewResources;
  if (reach === undefined) throw new Error("there are resources");
  expect(viewedObjects(context, reach, {}).map(({ name }) => name)).toEqual([
    "retrypolicies.prevail.dev.ana",
    "retrypolicies.prevail.dev.house",
  ]);
});

test("a view that would be too large has fewer values, and says so", () => {
  const view = viewOf(contextWith({}), "httproute.r", seesAll);
  expect(cutView(view)).toBe(view);
  const cut = cutView(view, JSON.stringify(view).length - 1);
  expect(cut.values).toEqual(view.values.slice(0, 1));
  expect(cut.notes).toEqual([expect.stringContaining("1 of 2 values are left out")]);
  expect(JSON.stringify({ ...cut, notes: [] }).length).toBeLessThan(JSON.stringify(view).length);
});

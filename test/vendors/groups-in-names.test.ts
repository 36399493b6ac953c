/** Two kinds of one name in a cluster: every text that the core writes for people names their groups. */
import { describe, expect, test } from "vitest";
import type { AdmissionRequest } from "../../src/core/admission/admission-request.ts";
import { admissionRefusal, admissionWarnings } from "../../src/core/admit.ts";
import { apply } from "../../src/core/apply.ts";
import { findCaveats } from "../../src/core/caveats/find-caveats.ts";
import { kindNamesIn } from "../../src/core/effective/findings/kind-names.ts";
import { worldOf } from "../../src/core/evaluation.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { changeEvents } from "../../src/core/view/change-events.ts";
import { effectiveView, surveyEffective } from "../../src/core/view/effective-view.ts";
import { reachView, surveyReach } from "../../src/core/view/reach-view.ts";
import type { ViewContext, Viewer } from "../../src/core/view/view-context.ts";
import { viewResources } from "../../src/core/view/view-resources.ts";
import { viewCells } from "../../src/core/view/view-rows.ts";
import { viewedObjects } from "../../src/core/view/viewed-objects.ts";
import { cluster } from "../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";
import { policyKind } from "../support/cluster/policy-kind.ts";

const [KUADRANT, NGF] = ["kuadrant.io", "gateway.nginx.org"];
const definition = (group: string) => ({
  ...policyKind("RateLimitPolicy", {
    group,
    targets: ["Gateway", "HTTPRoute"],
    ends: ["HTTPRoute/Rule"],
    merge: { granularity: { default: "Field", field: "strategy", values: {} }, sameTarget: "Conflicted" },
  }),
  visibility: "Target" as const,
  approximate: [{ because: "of a difference", paths: ["burst"] }],
});
const limit = (group: string, name: string, on: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => {
  const made = policy("RateLimitPolicy", name, on, spec, { group, created: 1 });
  return { ...made, metadata: { ...(made["metadata"] as JsonObject), generation: 2, ...metadata } };
};

const house = limit(KUADRANT, "house", "Gateway/g", { overrides: { rate: 1 } });
const burst = limit(NGF, "burst", "HTTPRoute/r", { burst: 5 });
const shop = limit(KUADRANT, "shop", "HTTPRoute/r", { rate: 9, wait: 2 });
const lost = limit(NGF, "lost", "HTTPRoute/rr", { burst: 1 });
const objects = [
  gatewayClass("class"),
  gateway("g"),
  routeTo("r", "Gateway/g", "s"),
  service("s"),
  house,
  burst,
  shop,
  lost,
];
const { evaluation } = cluster(objects, {
  definitions: [definition(KUADRANT), definition(NGF)],
  completeness: "Complete",
});
const world = worldOf(evaluation);

const BARE = /\bRateLimitPolic(?:y|ies)(?!\.)/;
/** Each text has a group, and none has the name of the kind alone. */
function expectGroups(texts: readonly string[], ...groups: readonly string[]): void {
  for (const group of groups) expect(texts.join("\n")).toMatch(new RegExp(`RateLimitPolic(?:y|ies)\\.${group}`));
  expect(texts.filter((text) => BARE.test(text))).toEqual([]);
}

test("caveats", () => {
  const texts = findCaveats(world, { about: "Input" }).flatMap(({ message, summary, fix }) => [message, summary, fix]);
  expectGroups(texts, NGF);
  expect(texts).toContain("the definition of RateLimitPolicy.gateway.nginx.org is approximate");
  expect(texts.join("\n")).toContain("2 RateLimitPolicies.gateway.nginx.org rest on it");
});

describe("admission", () => {
  const request = (operation: AdmissionRequest["operation"], object?: JsonObject, oldObject?: JsonObject) => ({
    operation,
    subResource: "",
    user: "ana",
    object,
    oldObject,
  });
  const deleted = request("DELETE", undefined, house);
  const plain = { refuseConflicts: true, confirmAbove: undefined };

  test.each([
    ["the object of the request", deleted],
    [
      "its own verdict",
      request(
        "CREATE",
        limit(KUADRANT, "late", "HTTPRoute/r", { rate: 3 }, { creationTimestamp: "2030-01-01T00:00:00Z" }),
      ),
    ],
    [
      "the policies that change",
      request(
        "CREATE",
        limit(
          KUADRANT,
          "all",
          "Gateway/g",
          { overrides: { rate: 1, wait: 1 } },
          { creationTimestamp: "2020-01-01T00:00:00Z" },
        ),
      ),
    ],
  ])("warnings: %s", (_, asked) => {
    for (const redactsNames of [false, true])
      expectGroups(admissionWarnings(evaluation, asked, { unread: [], redactsNames }), KUADRANT);
  });

  test("a refusal, and the command that confirms", () => {
    const refusal = admissionRefusal(evaluation, deleted, { ...plain, confirmAbove: 0 });
    expectGroups([refusal?.message ?? ""], KUADRANT);
    expect(refusal?.message).toContain("kubectl annotate ratelimitpolicy.kuadrant.io house -n default");
  });

  test("a refused conflict", () => {
    const late = limit(NGF, "late", "HTTPRoute/r", { burst: 3 }, { creationTimestamp: "2030-01-01T00:00:00Z" });
    expectGroups([admissionRefusal(evaluation, request("CREATE", late), plain)?.message ?? ""], NGF);
  });

  test("one kind of the name has no group", () => {
    const alone = cluster([...objects.slice(0, 5), shop], { definitions: [definition(KUADRANT), definition(NGF)] });
    expect(admissionWarnings(alone.evaluation, deleted, { unread: [] })[0]).toContain(
      "deleting RateLimitPolicy default/house",
    );
  });
});

describe("the view API", () => {
  const context: ViewContext = { world, unread: [], pluralOf: () => undefined };
  const everything: Viewer = { mayRead: () => true, maySee: () => true };
  const { kindName } = kindNamesIn(world);
  const resource = (plural: string) => {
    const found = viewResources.find((one) => one.plural === plural);
    if (found === undefined) throw new Error(plural);
    return found;
  };

  test("effective policies: cells of the table, caveats and policies without effect", () => {
    const [viewed] = viewedObjects(context, resource("effectivepolicies"), {
      namespace: "default",
      name: "httproute.r",
    });
    const survey = viewed && surveyEffective(context, viewed, { withFailures: true });
    if (survey === undefined) throw new Error("no view");
    const view = effectiveView(context, survey, everything);
    const cells = viewCells(view, kindName).map(String);
    expectGroups(cells, KUADRANT, NGF);
    expectGroups(
      [...view.caveats, ...(view.ineffective ?? [])].map(({ message }) => message),
      NGF,
    );
  });

  test("the reach of a policy: its verdict, its targets and the cells of the table", () => {
    const late = limit(NGF, "late", "HTTPRoute/r", { burst: 3 }, { creationTimestamp: "2030-01-01T00:00:00Z" });
    const after = worldOf(apply(evaluation, [{ upsert: late }]).evaluation);
    const own: ViewContext = { ...context, world: after };
    const texts = [...viewedObjects(own, resource("policyreaches"), { namespace: "default" })].flatMap((viewed) => {
      const survey = surveyReach(own, viewed);
      if (survey === undefined) return [];
      const { verdict, targets, ...view } = reachView(own, survey, everything);
      const cells = viewCells({ verdict, targets, ...view }, kindName)
        .slice(1)
        .map(String);
      return [...cells, verdict.message ?? "", ...targets.map(({ message }) => message ?? "")];
    });
    expectGroups(texts, KUADRANT, NGF);
  });

  test("events of a change", () => {
    const change = limit(KUADRANT, "house", "Gateway/g", { overrides: { rate: 2, wait: 1 } });
    const { evaluation: after, delta } = apply(evaluation, [{ upsert: change }]);
    const { events } = changeEvents({ before: world, after: worldOf(after) }, delta, () => true);
    expectGroups(
      events.map(({ message }) => message),
      KUADRANT,
    );
  });
});

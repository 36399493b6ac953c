import { describe, expect, test } from "vitest";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { worldOf } from "../evaluation.ts";
import type { JsonObject } from "../model/json.ts";
import { parseObjectId } from "../model/refs.ts";
import { reachSubjects, reachView, surveyReach } from "./reach-view.ts";
import type { ViewContext, Viewer } from "./view-context.ts";
import { viewResources } from "./view-resources.ts";
import { viewedObjects } from "./viewed-objects.ts";

const retry = (target: string): JsonObject =>
  policy("RetryPolicy", "p", target, { defaults: { retry: { attempts: 1 } } }, { group: "prevail.dev" });
const elsewhere = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), namespace: "prod" },
});

/** What a user sees of a policy with a misspelt target, and the names of the objects that their rights are asked about. */
function seen(target: string, viewer: Viewer) {
  const objects = [
    gatewayClass("class", "prevail.dev/gateway"),
    gateway("g"),
    routeTo("baker", "Gateway/g", "s"),
    elsewhere(routeTo("counter", "Gateway/g", "s")),
    service("s"),
    retry(target),
  ];
  const { evaluation } = cluster(objects, { definitions: builtInDefinitions(), completeness: "Complete" });
  const context: ViewContext = { world: worldOf(evaluation), unread: [], pluralOf: () => undefined };
  const resource = viewResources.find(({ plural }) => plural === "policyreaches");
  const [viewed] = resource === undefined ? [] : viewedObjects(context, resource, { namespace: "default" });
  const survey = viewed === undefined ? undefined : surveyReach(context, viewed);
  if (survey === undefined) throw new Error("the policy has a view");
  const { verdict, targets } = reachView(context, survey, viewer);
  const asked = [...reachSubjects(survey).objects]
    .map((id) => parseObjectId(id))
    .map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  return { texts: [verdict.message ?? "", ...targets.map(({ message }) => message ?? "")], asked };
}

const isPolicy = (id: Parameters<Viewer["mayRead"]>[0]): boolean => parseObjectId(id).kind === "RetryPolicy";

describe("a misspelt target of a policy that the user may read", () => {
  test.each<[string, string, Viewer, string]>([
    ["who may read the route", "HTTPRoute/bakr", { mayRead: () => true, maySee: () => false }, "did you mean 'baker'"],
    ["who may see the namespace", "HTTPRoute/bakr", { mayRead: isPolicy, maySee: () => true }, "did you mean 'baker'"],
    [
      "who may read the other one",
      "HTTPRoute/counter",
      { mayRead: () => true, maySee: () => false },
      "namespace 'prod'",
    ],
  ])("a user %s gets a suggestion", (_, target, viewer, expected) => {
    const { texts } = seen(target, viewer);
    for (const text of texts) expect(text).toContain(expected);
  });

  test.each(["HTTPRoute/bakr", "HTTPRoute/counter"])(
    "%s: a user who may read neither learns only that it is not there",
    (target) => {
      const { texts } = seen(target, { mayRead: isPolicy, maySee: () => false });
      expect(texts).toHaveLength(2);
      for (const text of texts) expect(text).toMatch(/no HTTPRoute/);
      expect(texts.join("\n")).not.toMatch(/baker|prod/);
    },
  );

  test("the rights to what could be suggested are asked for", () => {
    expect(seen("HTTPRoute/bakr", { mayRead: isPolicy, maySee: () => false }).asked).toContain(
      "HTTPRoute default/baker",
    );
    expect(seen("HTTPRoute/counter", { mayRead: isPolicy, maySee: () => false }).asked).toContain(
      "HTTPRoute prod/counter",
    );
  });
});

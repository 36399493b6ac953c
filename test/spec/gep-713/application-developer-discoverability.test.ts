/** GEP-713, "Application Developer Discoverability" */
import { describe, expect, test } from "vitest";
import { worldOf } from "../../../src/core/evaluation.ts";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import { parseObjectId } from "../../../src/core/model/refs.ts";
import { effectiveView, surveyEffective } from "../../../src/core/view/effective-view.ts";
import type { ViewContext, Viewer } from "../../../src/core/view/view-context.ts";
import { viewResourceFor } from "../../../src/core/view/view-resources.ts";
import { viewedObjects } from "../../../src/core/view/viewed-objects.ts";
import { builtInDefinitions } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../support/cluster/gateway-objects.ts";

/** `house` on the Gateway overrides `ana` on the route. The developer may read `ana` alone. */
function seenByDeveloper(change: Partial<PolicyDefinition>): readonly (readonly unknown[])[] {
  const retry = (name: string, target: string, block: string, attempts: number) =>
    policy("RetryPolicy", name, target, { [block]: { retry: { attempts, backoff: "1s" } } }, { group: "prevail.dev" });
  const objects = [
    gatewayClass("class", "prevail.dev/gateway"),
    gateway("g"),
    routeTo("r", "Gateway/g", "s"),
    service("s"),
    retry("house", "Gateway/g", "overrides", 5),
    retry("ana", "HTTPRoute/r", "defaults", 1),
  ];
  const definitions = builtInDefinitions()
    .filter(({ name }) => name === "retrypolicies.prevail.dev")
    .map(({ visibility: _, ...definition }) => ({ ...definition, ...change }));
  const { evaluation } = cluster(objects, { definitions });
  const context: ViewContext = { world: worldOf(evaluation), unread: [], pluralOf: () => undefined };
  const developer: Viewer = { mayRead: (id) => parseObjectId(id).name === "ana", maySee: () => true };
  const [viewed] = viewedObjects(context, viewResourceFor("Targets", "default"), { name: "httproute.r" });
  const survey = viewed === undefined ? undefined : surveyEffective(context, viewed, { withFailures: true });
  if (survey === undefined) throw new Error("policies reach the route");
  const { values } = effectiveView(context, survey, developer);
  return values.map(({ field, value, source }) => [field, value, source?.policy?.name]);
}

describe("Application Developer Discoverability", () => {
  test("that a policy takes effect, and which", () => {
    expect(seenByDeveloper({})).toEqual([
      ["retry.attempts", undefined, "house"],
      ["retry.backoff", undefined, "house"],
    ]);
  });
  test("and what it does, if its kind says so; sensitive values never", () => {
    expect(seenByDeveloper({ visibility: "Target", sensitive: ["retry.backoff"] })).toEqual([
      ["retry.attempts", 5, "house"],
      ["retry.backoff", undefined, "house"],
    ]);
  });
});

import { expect, test } from "vitest";
import { nodeFileSystem } from "../../adapters/files/node-file-system.ts";
import { loadSource } from "../../sources/load-source.ts";
import { effectiveView, surveyEffective } from "./effective-view.ts";
import { surveyMany } from "./survey-many.ts";
import type { ViewContext, Viewer } from "./view-context.ts";
import { viewResources } from "./view-resources.ts";
import { viewedObjects } from "./viewed-objects.ts";

test("a list has the objects that get has, each as get has it", async () => {
  const { world, unread } = await loadSource(["examples/bakery"], nodeFileSystem(process.stdin));
  const context: ViewContext = { world, unread, pluralOf: () => undefined };
  const viewer: Viewer = { mayRead: () => true, maySee: () => true };
  const viewed = viewResources
    .filter(({ about }) => about === "Targets")
    .flatMap((resource) => viewedObjects(context, resource, {}));
  const steps = surveyMany(context, viewed);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const listed = viewed
    .flatMap((one) => step.value?.get(one) ?? [])
    .map((survey) => effectiveView(context, survey, viewer));
  const got = viewed
    .flatMap((one) => surveyEffective(context, one, { withFailures: false }) ?? [])
    .map((survey) => effectiveView(context, survey, viewer));
  expect(listed.length).toBeGreaterThan(10);
  expect(listed).toEqual(got);
});

/** What a data plane would not do as the objects say. Which one serves is in no file, so somebody must say it. */
import { compileDataplane } from "../dataplane/compile-dataplane.ts";
import type { World } from "../effective/world/world.ts";
import { objectId } from "../model/refs.ts";
import type { MatchRegex } from "../model/regex.ts";
import { checkEnvoy } from "./check-envoy.ts";
import { type CheckFinding, findingAt } from "./check-finding.ts";

export type CheckedDataplane =
  | { readonly type: "embedded" }
  /** `matchRegex`: RE2's, as Envoy's are. */
  | { readonly type: "envoy"; readonly matchRegex: MatchRegex };

export function checkDataplane(world: World, dataplane: CheckedDataplane): readonly CheckFinding[] {
  const config = compileDataplane(world, { endpointAnnotations: "Used" });
  const unserved = config.problems.map(({ object, field, message }) =>
    findingAt(world.objects.byId.get(objectId(object)), {
      code: "NotServed",
      severity: "error",
      object: objectId(object),
      field,
      message,
    }),
  );
  switch (dataplane.type) {
    case "embedded":
      return unserved;
    case "envoy":
      return [...unserved, ...checkEnvoy(world, config, dataplane.matchRegex)];
  }
}

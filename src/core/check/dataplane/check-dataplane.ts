/** Findings about what a data plane would not do as the objects configure it. The caller names the data plane. */
import { compileDataplane } from "../../dataplane/compile-dataplane.ts";
import type { World } from "../../effective/world/world.ts";
import { objectId } from "../../model/refs.ts";
import type { MatchRegex } from "../../model/regex.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";
import { checkEmbedded } from "./check-embedded.ts";
import { checkEnvoy } from "./check-envoy.ts";

export type CheckedDataplane =
  | { readonly type: "embedded" }
  /** `matchRegex`: matches RE2 expressions, as Envoy does. */
  | { readonly type: "envoy"; readonly matchRegex: MatchRegex };

const NOT_SERVED = { code: "NotServed", severity: "error" } as const;
const IGNORED = { code: "SettingIgnored", severity: "warning" } as const;

export function checkDataplane(world: World, dataplane: CheckedDataplane): readonly CheckFinding[] {
  const config = compileDataplane(world, { endpointAnnotations: "Used" });
  const unserved = config.problems.map(({ object, field, message, isIgnored }) =>
    findingAt(world.objects.get(objectId(object)), {
      ...(isIgnored ? IGNORED : NOT_SERVED),
      object: objectId(object),
      field,
      message,
    }),
  );
  switch (dataplane.type) {
    case "embedded":
      return [...unserved, ...checkEmbedded(world, config)];
    case "envoy":
      return [...unserved, ...checkEnvoy(world, config, dataplane.matchRegex)];
  }
}

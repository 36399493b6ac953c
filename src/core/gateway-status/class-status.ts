import type { World } from "../effective/world/world.ts";
import { parametersProblem } from "../infrastructure/parameters-problem.ts";
import { objectAt, ownValue } from "../model/json.ts";
import { CRD, GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { condition } from "../status/conditions.ts";
import type { Condition, TargetStatus } from "../status/status-report.ts";
import { type GatewayStatusOptions, implementationOf } from "./dataplane-state.ts";

const BUNDLE_VERSION = `${GATEWAY_API}/bundle-version`;

/** The minor versions of Gateway API v1 whose CRDs are understood. */
const LAST_MINOR = 7;

export function classStatus(world: World, gatewayClass: KubeObject, options: GatewayStatusOptions): TargetStatus {
  const { supportedFeatures } = options;
  return {
    object: gatewayClass.id,
    location: { at: "Conditions" },
    conditions: [acceptance(world, gatewayClass, options), ...supportedVersion(world, gatewayClass)],
    ...(supportedFeatures === undefined
      ? {}
      : { fields: { supportedFeatures: [...supportedFeatures].sort().map((name) => ({ name })) } }),
  };
}

function acceptance(world: World, gatewayClass: KubeObject, options: GatewayStatusOptions): Condition {
  const type = "Accepted";
  const problem = parametersMessage(world, gatewayClass, options);
  return problem === undefined
    ? condition(gatewayClass, { type, status: "True", reason: type, message: "this controller serves the class" })
    : condition(gatewayClass, { type, status: "False", reason: "InvalidParameters", message: problem });
}

/** Why the parameters of a GatewayClass or Gateway cannot be used. */
export function parametersMessage(world: World, object: KubeObject, options: GatewayStatusOptions): string | undefined {
  const implementation = implementationOf(options);
  const problem = parametersProblem(world, object, { implementation, rights: options.parameters });
  return problem === undefined ? undefined : `${problem.field}: ${problem.message}`;
}

/**
 * SupportedVersion
 *
 * Each CRD of Gateway API has an annotation with its version. The condition is False if one of them has a version that the controller was not made for.
 * Without CRDs in the input there is no such condition.
 * Gateway API, "GatewayClassConditionStatusSupportedVersion"
 */
function supportedVersion(world: World, gatewayClass: KubeObject): readonly Condition[] {
  const versions = new Set<string>();
  for (const { raw } of world.objects.ofKind(CRD)) {
    const version = ownValue(objectAt(objectAt(raw, "metadata"), "annotations"), BUNDLE_VERSION);
    if (typeof version === "string") versions.add(version);
  }
  if (versions.size === 0) return [];
  const type = "SupportedVersion";
  const unsupported = [...versions].filter((version) => !isSupported(version)).sort();
  return [
    unsupported.length === 0
      ? condition(gatewayClass, {
          type,
          status: "True",
          reason: type,
          message: `the CRDs have Gateway API ${[...versions].sort().join(", ")}`,
        })
      : condition(gatewayClass, {
          type,
          status: "False",
          reason: "UnsupportedVersion",
          message: `CRDs have Gateway API ${unsupported.join(", ")}; supported: v1.0 to v1.${LAST_MINOR}`,
        }),
  ];
}

function isSupported(version: string): boolean {
  const [, minor] = /^v1\.(\d+)\./.exec(version) ?? [];
  return minor !== undefined && Number(minor) <= LAST_MINOR;
}

/** How warnings and refusals name objects beside the one that the request is about. */
import type { UncoveredTarget } from "../check/coverage/coverage-of.ts";
import { listNames, listPolicies } from "../check/list-names.ts";
import type { World } from "../effective/world/world.ts";
import { handleRef } from "../explain/policy-handle.ts";
import { formatRef, type ObjectRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import { countKind } from "../model/words/count-kinds.ts";

export interface NameSettings {
  /** True: a handle is written instead of the namespace and the name of every other policy, and a number instead of other names. */
  readonly redactsNames?: boolean;
}

export interface OtherNames {
  /** `total`: the number of all policies, if not all are given. */
  readonly policies: (policies: readonly PolicyId[], total?: number) => string;
  /** `namespace a`, `namespaces a and b`. */
  readonly namespaces: (namespaces: readonly string[]) => string;
  readonly targets: (targets: readonly UncoveredTarget[]) => string;
  /** `Service a/b:80`. */
  readonly backend: (backend: ObjectRef, port: number) => string;
  /** The end of a sentence about a verdict: its message, which may name other objects. */
  readonly because: (message: string) => string;
}

/** Names in one warning. */
const SHOWN = 3;

/**
 * Names in warnings
 *
 * A review says who the user is, but the API server shows no certificate unless it is configured to, so a client that can connect could name any user.
 * Names are therefore redacted for all users alike: with `--redact-names` each policy but that of the request has its handle.
 */
export const otherNames = (world: World, { redactsNames = false }: NameSettings): OtherNames =>
  redactsNames ? redactedNames(world) : FULL_NAMES;

const FULL_NAMES: OtherNames = {
  policies: (policies, total = policies.length) => listPolicies(policies.slice(0, SHOWN), total),
  namespaces: (names) =>
    `${names.length === 1 ? "namespace" : "namespaces"} ${listNames(names.slice(0, SHOWN), names.length)}`,
  targets: (targets) => {
    const [first] = targets;
    const more = targets.length > 1 ? ` and at ${countKind(targets.length - 1, "more target")}` : "";
    return first === undefined ? "" : `${formatRef(first.node, first.node.sectionName)}${more}`;
  },
  backend: (backend, port) => `${formatRef(backend)}:${port}`,
  because: (message) => `: ${message}`,
};

const redactedNames = ({ objects }: World): OtherNames => ({
  policies: (policies, total = policies.length) =>
    listNames(
      policies.slice(0, SHOWN).map((id) => formatRef(handleRef(parseObjectId(id), objects.get(id)))),
      total,
    ),
  namespaces: (names) => countKind(names.length, "namespace"),
  targets: (targets) => countKind(targets.length, "target"),
  backend: () => "one backend",
  because: () => "",
});

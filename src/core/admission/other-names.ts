/** How warnings and refusals name objects beside the one that the request is about. */
import type { UncoveredTarget } from "../check/coverage/coverage-of.ts";
import { listNames } from "../check/list-names.ts";
import { type KindNames, kindNamesIn } from "../effective/findings/kind-names.ts";
import type { World } from "../effective/world/world.ts";
import { handleRef } from "../explain/policy-handle.ts";
import { formatRef, type GroupKind, type ObjectRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import { countKind } from "../model/words/count-kinds.ts";

export interface NameSettings {
  /** True: a handle is written instead of the namespace and the name of every other policy, and a number instead of other names. */
  readonly redactsNames?: boolean;
}

export interface OtherNames {
  /** The object that the request is about. */
  readonly own: (ref: ObjectRef) => string;
  /** `RetryPolicy`. */
  readonly kind: (kind: GroupKind) => string;
  /** `total`: the number of all policies, if not all are given. */
  readonly policies: (policies: readonly PolicyId[], total?: number) => string;
  /** `namespace a`, `namespaces a and b`. */
  readonly namespaces: (namespaces: readonly string[]) => string;
  readonly targets: (targets: readonly UncoveredTarget[]) => string;
  /** `Service a/b:80`. */
  readonly backend: (backend: ObjectRef, port: number) => string;
  /** A message about an object, which names no other one. */
  readonly message: (message: string, about: GroupKind) => string;
  /** The end of a sentence about a verdict: its message, which may name other objects. */
  readonly because: (message: string, about: GroupKind) => string;
}

/** Names in one warning. */
const SHOWN = 3;

/**
 * Names in warnings do not depend on the user. A review says who the user is, but the API server shows no certificate unless it is
 * configured to, so a client that can connect could name any user. Names are therefore redacted for all users alike: with `--redact-names`
 * each policy but that of the request has its handle.
 */
export function otherNames(
  { redactsNames = false }: NameSettings,
  ...worlds: readonly [World, ...World[]]
): OtherNames {
  const names = kindNamesIn(...worlds);
  return redactsNames ? redactedNames(worlds[0], names) : fullNames(names);
}

/** With the group of the kind, where two kinds of one name are in the cluster. */
const refIn =
  ({ kindName }: KindNames) =>
  (ref: ObjectRef, sectionName?: string): string =>
    formatRef({ ...ref, kind: kindName(ref) }, sectionName);

function ownNames(names: KindNames): Pick<OtherNames, "own" | "kind" | "message"> {
  const format = refIn(names);
  return { own: (ref) => format(ref), kind: names.kindName, message: (text, about) => names.inText(text, [about]) };
}

function fullNames(names: KindNames): OtherNames {
  const format = refIn(names);
  return {
    ...ownNames(names),
    policies: (policies, total = policies.length) =>
      listNames(
        policies.slice(0, SHOWN).map((policy) => format(parseObjectId(policy))),
        total,
      ),
    namespaces: (namespaces) =>
      `${namespaces.length === 1 ? "namespace" : "namespaces"} ${listNames(namespaces.slice(0, SHOWN), namespaces.length)}`,
    targets: (targets) => {
      const [first] = targets;
      const more = targets.length > 1 ? ` and at ${countKind(targets.length - 1, "more target")}` : "";
      return first === undefined ? "" : `${format(first.node, first.node.sectionName)}${more}`;
    },
    backend: (backend, port) => `${format(backend)}:${port}`,
    because: (message, about) => `: ${names.inText(message, [about])}`,
  };
}

function redactedNames({ objects }: World, names: KindNames): OtherNames {
  const format = refIn(names);
  return {
    ...ownNames(names),
    policies: (policies, total = policies.length) =>
      listNames(
        policies.slice(0, SHOWN).map((id) => format(handleRef(parseObjectId(id), objects.get(id)))),
        total,
      ),
    namespaces: (namespaces) => countKind(namespaces.length, "namespace"),
    targets: (targets) => countKind(targets.length, "target"),
    backend: () => "one backend",
    because: () => "",
  };
}

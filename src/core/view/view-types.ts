/** The objects of the view API. `src/api/discovery/view-schemas.ts` describes each field for `kubectl explain`. */
import type { CaveatSeverity } from "../caveats/caveat-codes.ts";
import type { Json } from "../model/json.ts";
import type { WrittenValue } from "../model/managed-fields.ts";
import type { GroupKind, ObjectRef } from "../model/refs.ts";
import type { RetryCounts } from "../retry/retry-counts.ts";
import type { ViewKind } from "./view-resources.ts";

export interface ViewMetadata {
  readonly name: string;
  readonly namespace?: string;
  /** The labels of the object that the view is about. */
  readonly labels?: Readonly<Record<string, string>>;
}

interface View {
  readonly apiVersion: string;
  readonly kind: ViewKind;
  readonly metadata: ViewMetadata;
  readonly caveats: readonly ViewCaveat[];
  /** Notes about what was left out, and how to see it. */
  readonly notes: readonly string[];
}

/** The settings that take effect on one object, and why. */
export interface EffectivePolicyView extends View {
  readonly target: ObjectRef;
  readonly policyKinds: readonly ViewPolicyKind[];
  readonly values: readonly ViewValue[];
  /** The worth of retries to the requests through the target. Absent in lists, and where it is not known. */
  readonly retries?: ViewRetries;
  /** Policies that name the target and have no effect on it, of those that the user may read. Absent in lists. */
  readonly ineffective?: readonly ViewIneffective[];
}

export interface ViewIneffective {
  readonly policy: ObjectRef;
  /** `TargetNotFound`, `Conflicted`, `Invalid`. */
  readonly reason: string;
  readonly message: string;
}

/** One policy kind, and the policies that reach the target. */
export interface ViewPolicyKind extends GroupKind {
  /** The number of paths through the target. */
  readonly paths: number;
  readonly policies: readonly ViewPolicyPart[];
}

export interface ViewPolicyPart {
  readonly policy: ObjectRef;
  /** `Gateway infra/prod`. */
  readonly attachedTo: string;
  /** The text of the annotation `prevail.dev/contact` of the policy or its Namespace. */
  readonly contact?: string;
}

/** A value that takes effect on some paths through the target. */
export interface ViewValue {
  readonly policyKind: GroupKind;
  /** `retry.attempts`. */
  readonly field: string;
  /** The field as a JSON pointer: `/retry/attempts`. */
  readonly pointer: string;
  /** The field of an object that the value is merged into, where that is a list of its own. */
  readonly mappedTo?: string;
  /** Absent if nothing is set, or if the user may not see it. */
  readonly value?: Json;
  /** Why the value is not shown. */
  readonly redacted?: string;
  /** Absent: nothing is left of what policies set. */
  readonly source?: ViewSource;
  readonly lost: readonly ViewLost[];
  readonly paths: ViewPaths;
}

export interface ViewSource {
  readonly policy?: ObjectRef;
  /** The object that sets the value itself. */
  readonly object?: ObjectRef;
  readonly block?: string;
  /** The merge strategy by which it was decided. */
  readonly strategy: string;
  /** True if a custom strategy computed the value: no policy contains it. */
  readonly computed?: true;
  /** How the value was last written, if that was asked for. Only for a policy that the user may read. */
  readonly written?: WrittenValue;
}

/** A value that did not take effect here. */
export interface ViewLost {
  readonly policy?: ObjectRef;
  readonly block?: string;
  readonly value?: Json;
  readonly redacted?: string;
  /** `overridden`, `replaced`, `removed`, `deleted`, `gated`, `equal`. */
  readonly reason: string;
  readonly by: readonly ObjectRef[];
}

export interface ViewPaths {
  /** The number of paths on which the value takes effect. */
  readonly count: number;
  /** The number of paths of the policy kind through the target. */
  readonly of: number;
  /** Each group is every path from one of `above` through one of its sections to one of `below`. */
  readonly groups: readonly ViewPathGroup[];
  /** The number of further groups. */
  readonly more?: number;
}

export interface ViewPathGroup {
  /** The sections of the target: listeners, rules or ports. */
  readonly sections: readonly string[];
  readonly above: readonly string[];
  readonly below: readonly string[];
  /** The number of further ends below the target. */
  readonly moreBelow?: number;
  /** The number of ends below the target in namespaces that the user may not see. */
  readonly hiddenBelow?: number;
}

export interface ViewCaveat {
  readonly code: string;
  readonly severity: CaveatSeverity;
  readonly message: string;
  readonly fix: string;
}

/** Where one policy takes effect, and where it is overridden. */
export interface PolicyReachView extends View {
  readonly policy: ObjectRef;
  readonly policyKind: GroupKind;
  readonly verdict: ViewVerdict;
  readonly paths: ViewPathCounts;
  readonly targets: readonly ViewReachTarget[];
  readonly values: readonly ViewReachValue[];
  readonly reached: ViewReached;
  /** The worth of retries to the requests on the paths on which it takes effect, if it is about retries. Absent in lists, and where it is not known. */
  readonly retries?: ViewRetries;
}

/** The worth of retries in the last hour: the sums, and those of each rule and backend. */
export interface ViewRetries extends RetryCounts {
  /** The counted interval: an hour, or less if it has been counted for less. */
  readonly windowSeconds: number;
  /** The traffic of each rule and backend; the one that owes most to retries is first. */
  readonly traffic: readonly ViewTraffic[];
  /** The number of further rules and backends. */
  readonly more?: number;
  /** The number of rules and backends in namespaces that the user may not see. */
  readonly hidden?: number;
}

export interface ViewTraffic extends RetryCounts {
  readonly gateway: ObjectRef;
  readonly route: ObjectRef;
  readonly rule: string;
  readonly backend: ObjectRef & { readonly port: number };
}

export interface ViewVerdict {
  /** `Unknown`: none of the targets could be read. */
  readonly accepted: "True" | "False" | "Unknown";
  /** `Enforced`, `PartiallyEnforced`, `Overridden`, `NoPath`, `Incomplete`, or why it is not accepted. */
  readonly reason: string;
  readonly message?: string;
}

export interface ViewPathCounts {
  readonly count: number;
  readonly full: number;
  readonly partial: number;
  readonly none: number;
  readonly met: number;
  readonly idle: number;
}

export interface ViewReachTarget {
  readonly state: "Attached" | "Conflicted" | "Refused";
  /** `Gateway infra/prod#https`. Absent if it is refused. */
  readonly target?: string;
  readonly paths?: number;
  readonly by?: ObjectRef;
  readonly message?: string;
}

export interface ViewReachValue {
  readonly field: string;
  readonly pointer: string;
  readonly block: string;
  readonly value: Json;
  /** The condition of its block. */
  readonly when?: string;
  readonly inEffect: number;
  readonly equal: number;
  readonly overridden: number;
  readonly gated: number;
  readonly lost: readonly ViewReachLoss[];
}

export interface ViewReachLoss {
  readonly reason: string;
  readonly by: readonly ObjectRef[];
  readonly object?: ObjectRef;
  /** The value that takes effect instead. */
  readonly value?: Json;
  readonly redacted?: string;
  readonly paths: number;
}

export interface ViewReached {
  /** The number of objects and sections on which a setting takes effect. */
  readonly count: number;
  readonly byKind: readonly (GroupKind & { readonly count: number })[];
  readonly objects: readonly ViewReachedObject[];
  /** The number of further objects. */
  readonly more?: number;
  /** The number of objects in namespaces that the user may not see. */
  readonly hidden?: number;
}

export interface ViewReachedObject extends ObjectRef {
  readonly sectionName?: string;
  readonly paths: number;
  readonly inEffect: number;
}

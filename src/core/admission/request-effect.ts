/** The effect of a request. */
import type { BrokenCoverage } from "../check/coverage/coverage-changes.ts";
import type { Delta, Touched } from "../effective/update/delta.ts";
import type { World } from "../effective/world/world.ts";
import type { EvaluateCondition } from "../model/cel.ts";
import type { Finding } from "../model/finding.ts";
import type { GroupKind, ObjectId, ObjectRef, PolicyId } from "../model/refs.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import type { NameSettings, OtherNames } from "./other-names.ts";

export interface EffectSettings extends NameSettings {
  /** A delete that reaches more paths or objects than this is counted. */
  readonly countsAbove?: number;
}

interface Requested {
  readonly request: AdmissionRequest;
  readonly ref: ObjectRef;
  readonly id: ObjectId;
  readonly names: OtherNames;
}

/** The evaluation before and after the request. */
export interface ChangeEffect extends Requested {
  readonly state: "Change";
  readonly before: World;
  readonly after: World;
  readonly delta: Delta;
  /** Undefined: everything may differ. */
  readonly touched: Touched | undefined;
  readonly cel: EvaluateCondition;
}

/** A request about a PolicyDefinition: its own errors. All policies are evaluated again only when it is stored. */
export interface DefinitionEffect extends Requested {
  readonly state: "Definition";
  readonly errors: { readonly before: readonly Finding[]; readonly after: readonly Finding[] };
  /** The number of policies of its kinds. */
  readonly policies: number;
  readonly world: World;
}

/** True if values of the policy, or of any policy if the object is none, no longer take effect on more paths than this. */
export type LosesMoreThan = (paths: number) => boolean;

/** A delete of a policy that takes effect on very many paths: they are counted, and not compared one by one. */
export interface FarPolicyEffect extends Requested {
  readonly state: "FarPolicy";
  /** The paths on which settings of the policy take effect. */
  readonly paths: number;
  readonly ancestors: number;
  /** The CoverageRules that it breaks. They are judged on the call: their conditions are evaluated on every path. */
  readonly findBroken: () => readonly BrokenCoverage[];
  readonly losesMoreThan: LosesMoreThan;
}

/** A delete of a GatewayClass, Gateway or Namespace with very many objects: they are counted, and their paths are not compared one by one. */
export interface FarRemovalEffect extends Requested {
  readonly state: "FarRemoval";
  /** The objects that are deleted with a Namespace. */
  readonly deleted: readonly ReachedKind[];
  /** The objects to which paths led through what is deleted. */
  readonly below: readonly ReachedKind[];
  /** The policies that have no effect any more, those that are deleted apart. Sorted. */
  readonly ended: readonly PolicyId[];
  readonly losesMoreThan: LosesMoreThan;
}

export interface ReachedKind extends GroupKind {
  readonly count: number;
}

export type FarEffect = FarPolicyEffect | FarRemovalEffect;

export type RequestEffect = ChangeEffect | DefinitionEffect | FarEffect;

/** The effect of a request. */
import type { Delta, Touched } from "../effective/update/delta.ts";
import type { World } from "../effective/world/world.ts";
import type { EvaluateCondition } from "../model/cel.ts";
import type { Finding } from "../model/finding.ts";
import type { ObjectId, ObjectRef } from "../model/refs.ts";
import type { AdmissionRequest } from "./admission-request.ts";
import type { OtherNames } from "./other-names.ts";

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

/** A delete of a policy that takes effect on very many paths: they are counted, and not compared one by one. */
export interface FarEffect extends Requested {
  readonly state: "Far";
  /** The paths on which settings of the policy take effect. */
  readonly paths: number;
  readonly ancestors: number;
}

export type RequestEffect = ChangeEffect | DefinitionEffect | FarEffect;

/** Strategies that a user of the library registers: GEP-713's `<Custom>` atomicity. */
import type { BaseStrategy } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import type { PolicyId } from "../model/refs.ts";

export interface PolicyMetadata {
  readonly id: PolicyId;
  readonly namespace: string;
  readonly name: string;
  readonly metadata: JsonObject;
}

export interface CustomContest {
  readonly base: BaseStrategy;
  readonly established: { readonly spec: JsonObject; readonly policy: PolicyMetadata };
  readonly challenger: { readonly spec: JsonObject; readonly policies: readonly PolicyMetadata[] };
}

/** A pure function of both specs and the policies' metadata, never of the target: equal stacks share one result. */
export type CustomStrategy = (contest: CustomContest) => JsonObject;

export type CustomStrategies = Readonly<Record<string, CustomStrategy>>;

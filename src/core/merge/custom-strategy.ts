/** Strategies that a user of the library registers: GEP-713's `<Custom>` atomicity. */
import type { BaseStrategy } from "../model/definition.ts";
import type { JsonObject } from "../model/json.ts";
import type { PolicyId } from "../model/refs.ts";

/** The identity and the metadata of a policy in a contest. */
export interface PolicyMetadata {
  readonly id: PolicyId;
  readonly namespace: string;
  readonly name: string;
  readonly metadata: JsonObject;
}

/** The arguments of a custom strategy: the specs in conflict, each with its policies. */
export interface CustomContest {
  readonly base: BaseStrategy;
  readonly established: { readonly spec: JsonObject; readonly policy: PolicyMetadata };
  readonly challenger: { readonly spec: JsonObject; readonly policies: readonly PolicyMetadata[] };
}

/**
 * A pure function of both specs and the policies' metadata, never of the target: equal stacks share one result.
 *
 * @example
 * ```ts
 * const highest: CustomStrategy = ({ established, challenger }) => ({ ...challenger.spec, ...established.spec });
 * console.log(findings(evaluate(buildSnapshot(objects), { strategies: { highest } })).length);
 * ```
 */
export type CustomStrategy = (contest: CustomContest) => JsonObject;

/**
 * Custom strategies by the name that a definition selects them by.
 *
 * @example
 * ```ts
 * const strategies: CustomStrategies = { lowest: ({ challenger }) => challenger.spec };
 * console.log(findings(evaluate(buildSnapshot(objects), { strategies })).length);
 * ```
 */
export type CustomStrategies = Readonly<Record<string, CustomStrategy>>;

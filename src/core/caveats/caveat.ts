import type { Finding } from "../model/finding.ts";
import type { SourcePosition } from "../model/kube-object.ts";
import { type GroupKind, kindId, type ObjectId, type PolicyId } from "../model/refs.ts";
import type { CaveatCode, CaveatSeverity } from "./caveat-codes.ts";

/** Something that was left out of account and could change the answer. */
export interface Caveat {
  readonly code: CaveatCode;
  readonly severity: CaveatSeverity;
  readonly message: string;
  /** The message as a clause with counts instead of names, such as "3 AuthPolicies are ignored". */
  readonly summary: string;
  /** The objects that the caveat is about, the first ten in a defined order. */
  readonly objects: readonly CaveatObject[];
  /** The policies that the caveat concerns, counted by kind. */
  readonly policies: readonly CountedPolicies[];
  /** The step that removes the caveat. */
  readonly fix: string;
}

/** Equal for two caveats about the same thing, also if the numbers differ, as before and after a change. */
export const caveatKey = ({ code, message, policies }: Caveat): string =>
  `${code} ${policies.length === 0 ? message : policies.map((kind) => kindId(kind)).join(" ")}`;

/** An object that a caveat is about, and where it is written. */
export interface CaveatObject {
  /** Absent for a file or a document without an identity. */
  readonly object?: ObjectId;
  readonly field?: string;
  readonly source?: SourcePosition;
}

/** The number of policies of a kind. */
export interface CountedPolicies extends GroupKind {
  readonly count: number;
}

/**
 * The subject of a question. Only caveats that may change its answer are found.
 *
 * @example
 * ```ts
 * const about: CaveatQuestion = { about: "Objects", objects: [objectId(fridayFix)] };
 * console.log(caveatsFor(evaluation, about).length);
 * ```
 */
export type CaveatQuestion =
  /** Everything: `check`, `plan`, a list without names. */
  | { readonly about: "Input" }
  /** The settings that take effect on these objects, or on the objects below them. */
  | { readonly about: "Objects"; readonly objects: readonly ObjectId[] }
  /** Where these policies take effect. */
  | { readonly about: "Policies"; readonly policies: readonly PolicyId[] };

/** A data plane of this project. */
export type CaveatDataplane = "embedded" | "envoy";

/** The question, and what only the caller knows. */
export type CaveatScope = CaveatQuestion & {
  /** The data plane that carries the answer out. Undefined: the question is not about one. */
  readonly dataplane?: CaveatDataplane | undefined;
  /** Findings about files, documents and API resources that could not be read, so that the snapshot does not have them. */
  readonly unread?: readonly Finding[];
  /** The Gateways, or the Services of a mesh, that a traced request arrives at. */
  readonly arrivesAt?: readonly ObjectId[];
};

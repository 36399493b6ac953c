/** The rules of a definition for the status of policies, as data. */

/** The objects that have an entry in the status of a policy (Gateway API, PolicyAncestorStatus). */
export type Ancestors = "Gateway" | "Target";

/** The meanings that a condition can have for a policy: whether it is accepted, and whether it takes effect. */
export const statusStates = [
  "Accepted",
  "Invalid",
  "TargetNotFound",
  "Conflicted",
  "Enforced",
  "PartiallyEnforced",
  "Overridden",
  "NoPath",
] as const;
export type StatusState = (typeof statusStates)[number];

/** A condition that a controller writes. Without a reason: whatever the reason is. */
export interface StatusWord {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
}

/** The conditions that the controllers of a kind write in each state. */
export type StatusWords = Readonly<Partial<Record<StatusState, readonly StatusWord[]>>>;

export interface StatusRules {
  readonly vocabulary: "Enforced" | "Programmed";
  /** `None`: the status has conditions and no entries for ancestors. Absent: `Target` for Direct, `Gateway` for Inherited. */
  readonly ancestors?: Ancestors | "None";
  /** The controller that writes the status of the kind. Absent: not declared. */
  readonly owner?: string;
  /** Absent: the words of GEP-713. */
  readonly words?: StatusWords;
}

import type { Printer } from "./create-printer.ts";
import type { Source } from "./load-source.ts";
import type { Redaction } from "./redaction.ts";

/** One of the two evaluations, and where it has things from. */
export type PlanSide = Pick<Source, "world" | "locate">;

export interface PlanSides {
  readonly before: PlanSide;
  readonly after: PlanSide;
}

/** What whoever tells a plan needs. */
export interface PlanTelling {
  readonly print: Printer;
  readonly sides: PlanSides;
  readonly redaction: Redaction;
  /** `-o wide`: everything, however much it is. */
  readonly wide: boolean;
}

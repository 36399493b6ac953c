import type { Caveat } from "../../core/caveats/caveat.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import type { Printer } from "../print/terminal/create-printer.ts";

/** One of the two evaluations, and the positions of its objects. */
export type PlanSide = Pick<LoadedSource, "world" | "locate">;

export interface PlanSides {
  readonly before: PlanSide;
  readonly after: PlanSide;
}

/** Everything that printing a plan needs. */
export interface PlanTextContext {
  readonly print: Printer;
  readonly sides: PlanSides;
  readonly redaction: Redaction;
  /** Facts that the plan leaves out of account. */
  readonly caveats: readonly Caveat[];
  /** `-o wide`: print everything without a limit. */
  readonly wide: boolean;
  /** True if the changes have been made. */
  readonly hasHappened?: boolean;
}

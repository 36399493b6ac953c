import type { TargetId } from "../../core/model/refs.ts";
import type { Redaction } from "../args/redaction.ts";

/** Everything beside the graph that a drawing shows. */
export interface Drawn {
  readonly redaction: Redaction;
  /** The targets that were asked for. They are marked, and never folded. */
  readonly focus: ReadonlySet<TargetId>;
  /** Notes about nodes that are folded or left out. */
  readonly notes: readonly string[];
  readonly caveats: readonly string[];
}

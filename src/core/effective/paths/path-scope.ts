import type { ObjectId } from "../../model/refs.ts";

/** Restricts a search to paths through some objects: those of a change, or of a question. */
export interface PathScope {
  /** A path through one of these counts. */
  readonly dirty: ReadonlySet<ObjectId>;
  /** The dirty objects and everything below them. */
  readonly touched: ReadonlySet<ObjectId>;
}

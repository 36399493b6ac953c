import type { FindingCode } from "./finding-code.ts";
import type { SourcePosition } from "./kube-object.ts";
import type { ObjectId } from "./refs.ts";

export type Severity = "error" | "warning" | "info";

/** Something a person should know or fix. `code` is stable; `field` is a path within the object (`spec.targetRefs[0].name`). */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly object?: ObjectId;
  readonly field?: string;
  /** The CoverageRule that does not hold there. Several may break at one place. */
  readonly rule?: ObjectId;
  readonly message: string;
  readonly source?: SourcePosition;
}

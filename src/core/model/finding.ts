import type { FindingCode } from "./finding-code.ts";
import type { SourcePosition } from "./kube-object.ts";
import type { ObjectId } from "./refs.ts";

/** The severity of a finding. An `error` changes what takes effect or will be refused, a `warning` probably is a mistake, `info` is a hint. */
export type Severity = "error" | "warning" | "info";

/** A problem to report. `code` is stable; `field` is a path within the object (`spec.targetRefs[0].name`). */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly object?: ObjectId;
  readonly field?: string;
  /** The CoverageRule that the target does not meet. One target may break several of them. */
  readonly rule?: ObjectId;
  readonly message: string;
  readonly source?: SourcePosition;
}

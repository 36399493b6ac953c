import type { DocumentFindingCode } from "../../core/model/finding-code.ts";

/**
 * A finding about the text itself, independent of the meaning of its objects. Lines and columns count from 1.
 * With an *error* the document (or the path) is left out and everything else is still read; a *warning* has no effect.
 * An *info* says what was left out on purpose.
 */
export interface DocumentFinding {
  readonly code: DocumentFindingCode;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

import type { Severity } from "../../finding.ts";
import type { FindingCode } from "../../finding-code.ts";

/** A contradiction in a definition that fits its schema. */
export interface Problem {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly field: string;
  readonly message: string;
}

export const error = (code: FindingCode, field: string, message: string): Problem => ({
  code,
  severity: "error",
  field,
  message,
});

export const warning = (code: FindingCode, field: string, message: string): Problem => ({
  code,
  severity: "warning",
  field,
  message,
});

export const info = (code: FindingCode, field: string, message: string): Problem => ({
  code,
  severity: "info",
  field,
  message,
});

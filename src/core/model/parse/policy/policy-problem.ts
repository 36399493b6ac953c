import type { Finding } from "../../finding.ts";
import type { FindingCode } from "../../finding-code.ts";
import type { KubeObject } from "../../kube-object.ts";
import { placeholderFinding, splitPlaceholders } from "../../placeholder.ts";

/** The reason why a policy is Invalid. */
export interface PolicyProblem {
  readonly code: FindingCode;
  readonly field: string;
  readonly message: string;
}
export type Report = (code: FindingCode, field: string, message: string) => void;

const MAX_FINDINGS = 20;

export function toFindings(object: KubeObject, problems: readonly PolicyProblem[]): Finding[] {
  const { placeholders, others } = splitPlaceholders(object.raw, problems);
  const [first] = placeholders;
  return [
    ...others.slice(0, MAX_FINDINGS).map((problem) => toFinding(object, "error", problem)),
    ...(first === undefined ? [] : [placeholderFinding(object, first, "the policy is ignored")]),
  ];
}

export const toFinding = (object: KubeObject, severity: Finding["severity"], problem: PolicyProblem): Finding => ({
  code: problem.code,
  severity,
  object: object.id,
  field: problem.field,
  message: problem.message,
  ...(object.source === undefined ? {} : { source: object.source }),
});

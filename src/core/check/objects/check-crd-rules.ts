import { isCrd } from "../../effective/findings/ignored-policies.ts";
import type { World } from "../../effective/world/world.ts";
import { CRD } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { crdRuleProblems } from "../../model/schema/crd-rules.ts";
import { clipText } from "../../model/words/clip-text.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

/** Rules of CRDs that cannot be compiled, each at its field. The API server refuses a CRD with a syntax error in a rule. */
export const checkCrdRules = ({ objects }: World): readonly CheckFinding[] =>
  [...objects.ofKind(CRD)].filter(isCrd).flatMap((crd) => checkRules(crd));

const checkRules = (crd: KubeObject): readonly CheckFinding[] =>
  crdRuleProblems(crd.raw).map(({ field, expression, reason }) => {
    const isSyntax = reason.startsWith("syntax error");
    return findingAt(crd, {
      code: "SchemaRuleNotEvaluated",
      severity: isSyntax ? "warning" : "info",
      field,
      message: `the expression is not evaluated: ${reason} (${clipText(expression, 120)})`,
      fix: isSyntax
        ? "Correct the expression: the API server refuses the CRD."
        : "Apply the objects with --dry-run=server.",
    });
  });

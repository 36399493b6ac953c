import type { Finding } from "../../finding.ts";
import type { KubeObject } from "../../kube-object.ts";
import { formatRef } from "../../refs.ts";
import { clipText } from "../../words/clip-text.ts";
import type { UnevaluatedRule } from "./check-node.ts";

const MAX_RULE = 120;

/** A finding about a rule that could not be evaluated. Whether the API server would refuse the object is not known. */
export const unevaluatedFinding = (
  { id, ref, source }: KubeObject,
  { field, rule, reason }: UnevaluatedRule,
): Finding => ({
  code: "SchemaRuleNotEvaluated",
  severity: "info",
  object: id,
  field,
  message: `${formatRef(ref)}: a rule of the CRD for ${field === "" ? "the object" : field} was not evaluated, so the API server may refuse the object: ${reason} (${clipText(rule, MAX_RULE)})`,
  ...(source === undefined ? {} : { source }),
});

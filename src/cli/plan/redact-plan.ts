import { namespaceChanges } from "../../core/explain/plan/namespace-changes.ts";
import type { Plan } from "../../core/explain/plan/result.ts";
import type { ObjectId } from "../../core/model/refs.ts";
import type { Redaction } from "../args/redaction.ts";
import { isPolicy, redactFindings } from "../print/redact/redact-findings.ts";
import type { PlanSides } from "./text-context.ts";

/** A plan without the verdicts of hidden policies and without findings about them. The printer hides names and values. */
export function redactPlan(plan: Plan, sides: PlanSides, redaction: Redaction): Plan {
  const { before, after } = sides;
  const redacted = {
    ...plan,
    policies: plan.policies.filter(({ policy }) => !redaction.isHidden(policy)),
    findings: {
      added: redactFindings(plan.findings.added, after.world, redaction),
      removed: redactFindings(plan.findings.removed, before.world, redaction),
    },
  };
  // A namespace is not listed because of hidden policies alone, and their contacts are theirs.
  const seen = plan.objects.filter(({ id }) => !isHiddenPolicy(id, sides, redaction));
  const worlds = { before: before.world, after: after.world };
  return { ...redacted, namespaces: namespaceChanges({ ...redacted, objects: seen }, worlds) };
}

/** Only policies are hidden. The names of other objects stay visible. */
export const isHiddenPolicy = (id: ObjectId, { before, after }: PlanSides, { isHidden }: Redaction): boolean =>
  isHidden(id) && [before, after].some(({ world }) => isPolicy(id, world));

import { findingChanges } from "../../core/explain/plan/finding-changes.ts";
import { planChanges } from "../../core/explain/plan/plan-changes.ts";
import type { Plan } from "../../core/explain/plan/result.ts";
import type { Finding } from "../../core/model/finding.ts";
import type { SourceStep } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import type { CommandContext } from "../command.ts";
import { planJson } from "../plan/json.ts";
import { redactPlan } from "../plan/redact-plan.ts";
import { printFindings, printObjects, printPolicies } from "../plan/text.ts";
import type { PlanTextContext } from "../plan/text-context.ts";
import { printChangedValues } from "../plan/values-text.ts";
import { printData } from "../print/data/print-data.ts";
import { styled } from "../print/terminal/styled-text.ts";
import { type Focus, focusPlan, isQuietPlan, isWantedPath } from "./focus.ts";

/** Prints what one step of a followed cluster changes in an answer. */
export function printStep(
  { before, after, delta, changes }: SourceStep,
  findings: Readonly<Record<"before" | "after", readonly Finding[] | undefined>>,
  { redaction, focus }: { readonly redaction: Redaction; readonly focus: Focus },
  { print, output, io }: CommandContext,
): void {
  const worlds = [before.world, after.world];
  const planned = planChanges({
    before: before.world,
    after: after.world,
    delta,
    changes,
    findingsOf: () => [],
    isWanted: (path) => isWantedPath(path, focus),
  });
  const sides = { before, after };
  const changed = findingChanges(findings.before ?? [], findings.after ?? []);
  const focused: Plan = { ...focusPlan(planned, focus, worlds), findings: changed };
  if (isQuietPlan(focused, focus)) return;
  const shown = redactPlan(focused, sides, redaction);
  if (isQuietPlan(shown, focus)) return;
  if (output === "json") printData(print, output, planJson(shown, { sides, redaction, caveats: [] }));
  else if (output === "yaml") {
    print.line("---");
    printData(print, output, planJson(shown, { sides, redaction, caveats: [] }));
  } else
    printChanges(shown, { print, sides, redaction, caveats: [], wide: output === "wide", hasHappened: true }, io.now());
}

function printChanges(plan: Plan, context: PlanTextContext, nowMs: number): void {
  const { print, sides } = context;
  print.line();
  print.line(styled(`${new Date(nowMs).toISOString().slice(0, 19)}Z`, "dim"));
  printObjects({ ...plan, objects: plan.objects.filter(({ change }) => change !== "same") }, context);
  for (const kind of plan.kinds) printChangedValues(kind, context);
  printPolicies(plan.policies, context);
  printFindings("New findings", plan.findings.added, sides.after, context);
  printFindings("Resolved findings", plan.findings.removed, sides.before, context);
}

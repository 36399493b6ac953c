import type { World } from "../../core/effective/world/world.ts";
import { findingChanges } from "../../core/explain/plan/finding-changes.ts";
import { planChanges } from "../../core/explain/plan/plan-changes.ts";
import type { Plan } from "../../core/explain/plan/result.ts";
import type { Finding } from "../../core/model/finding.ts";
import type { LoadedSource, SourceStep } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import type { CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { planJson } from "../plan/json.ts";
import { redactPlan } from "../plan/redact-plan.ts";
import { printFindings, printObjects, printPolicies } from "../plan/text.ts";
import type { PlanTextContext } from "../plan/text-context.ts";
import { printChangedValues } from "../plan/values-text.ts";
import { printData } from "../print/print-data.ts";
import { styled } from "../print/styled-text.ts";
import { type Focus, focusPlan, isQuietPlan, isWantedPath } from "./focus.ts";

export interface FollowedAnswer {
  readonly source: LoadedSource;
  readonly redaction: Redaction;
  /** What of a change is part of the answer. A function if that depends on the objects before and after the change. */
  readonly focus: Focus | ((worlds: readonly World[]) => Focus);
}

/** Prints what changes in the answer until the command is ended. The code of the first answer is returned if the source is not followed. */
export async function followAnswer(
  { source, redaction, focus }: FollowedAnswer,
  context: CommandContext,
  code: ExitCode,
): Promise<ExitCode> {
  const { steps } = source;
  if (steps === undefined) return code;
  const focusOn = (...worlds: readonly World[]): Focus => (typeof focus === "function" ? focus(worlds) : focus);
  let found = await focusOn(source.world).findingsOf?.(source);
  for await (const step of steps) {
    const now = focusOn(step.before.world, step.after.world);
    const before = found;
    found = await now.findingsOf?.(step.after);
    printStep(step, findingChanges(before ?? [], found ?? []), { redaction, focus: now }, context);
  }
  return exitCodes.ok;
}

function printStep(
  { before, after, delta, changes }: SourceStep,
  findings: { readonly added: readonly Finding[]; readonly removed: readonly Finding[] },
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
  const focused: Plan = { ...focusPlan(planned, focus, worlds), findings };
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

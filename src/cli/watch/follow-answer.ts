import type { World } from "../../core/effective/world/world.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import type { CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { Focus } from "./focus.ts";

export interface FollowedAnswer {
  readonly source: LoadedSource;
  readonly redaction: Redaction;
  /** The parts of a change that belong to the answer. A function if that depends on the objects before and after the change. */
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
  // Most answers are not followed, and do without the code of plans.
  const { printStep } = await import("./print-step.ts");
  const focusOn = (...worlds: readonly World[]): Focus => (typeof focus === "function" ? focus(worlds) : focus);
  let found = await focusOn(source.world).findingsOf?.(source);
  for await (const step of steps) {
    const now = focusOn(step.before.world, step.after.world);
    const findings = { before: found, after: await now.findingsOf?.(step.after) };
    printStep(step, findings, { redaction, focus: now }, context);
    found = findings.after;
  }
  return exitCodes.ok;
}

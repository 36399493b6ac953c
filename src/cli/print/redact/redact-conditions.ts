import type { World } from "../../../core/effective/world/world.ts";
import type { Condition } from "../../../core/status/status-report.ts";
import type { Redaction } from "../../args/redaction.ts";
import { mentionsHidden } from "./redact-findings.ts";

/** Replaces the message of every condition that names a hidden policy. */
export function redactConditions(
  world: World,
  redaction: Redaction,
): (all: readonly Condition[]) => readonly Condition[] {
  const mentions = mentionsHidden(world, redaction);
  return (all) => all.map((one) => (mentions(one.message) ? { ...one, message: HIDDEN } : one));
}

const HIDDEN = "a policy that may not be shown has part in it";

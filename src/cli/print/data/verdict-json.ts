import type { Verdict } from "../../../core/effective/verdicts/verdict.ts";
import type { Redaction } from "../../args/redaction.ts";
import { refJson } from "./effective-json.ts";

/** The verdict of a policy with its counts. */
export function verdictJson(verdict: Verdict, redaction: Redaction): object {
  if (verdict.state === "Unknown")
    return { accepted: null, reason: verdict.reason, message: verdict.message, by: verdict.by };
  if (verdict.state === "NotAccepted") {
    const { reason, message, by } = verdict;
    const isOpen = by.every((winner) => !redaction.isHidden(winner));
    return {
      accepted: false,
      reason,
      ...(isOpen ? { message } : {}),
      by: by.map((winner) => refJson(winner, redaction)),
    };
  }
  const { paths, incomplete, full, partial, none, met, idle, overriddenBy, overriddenByTotal } = verdict.total;
  return {
    accepted: true,
    enforcement: verdict.enforcement,
    paths,
    incomplete,
    full,
    partial,
    none,
    met,
    idle,
    overriddenBy: overriddenBy.map(({ policy, paths: count }) => ({
      policy: refJson(policy, redaction),
      paths: count,
    })),
    overriddenByTotal,
  };
}

import type { Tally, Verdict } from "../core/effective/verdict.ts";
import type { PolicyDefinition } from "../core/model/definition.ts";
import { type Styled, styled } from "./text.ts";

/** A verdict in the words of its kind's status. GEP-713 has two vocabularies. */
export function showVerdict(verdict: Verdict, { status }: Pick<PolicyDefinition, "status">): Styled {
  if (verdict.state === "NotAccepted") return styled(verdict.reason, "red");
  const word = status.vocabulary === "Programmed" ? "Programmed" : "Enforced";
  switch (verdict.enforcement) {
    case "Enforced":
      return styled(word, "green");
    case "PartiallyEnforced":
      return styled(`Partially${word}`, "yellow");
    case "Overridden":
      return styled("Overridden", "red");
    case "NoPath":
      return styled("NoPath", "yellow");
  }
}

/** How much of a policy prevails: `all 8 paths`, `2 of 8 paths, 6 partly`. */
export function showPrevailing(verdict: Verdict): string {
  if (verdict.state === "NotAccepted" || verdict.enforcement === "NoPath") return "nowhere";
  const { paths, full, partial, met } = verdict.total;
  const whole = full + met;
  if (whole === paths) return `${everywhere(paths)}${metWords(verdict.total)}`;
  if (partial === paths) return `${everywhere(paths)}, partly`;
  if (whole === 0) return partial === 0 ? `none of ${paths}` : `${partial} of ${paths} paths, partly`;
  return `${whole} of ${paths} paths${partial === 0 ? "" : `, ${partial} partly`}`;
}

const everywhere = (paths: number): string => (paths === 1 ? "its only path" : `all ${paths} paths`);

const metWords = ({ met, paths }: Tally): string =>
  met === 0 ? "" : met === paths ? " (constraint met)" : ` (${met} met)`;

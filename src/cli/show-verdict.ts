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

/** How much of a policy prevails: `on all 8 paths`, `on 2 of 8 paths, partly on 6`. */
export function showPrevailing(verdict: Verdict): string {
  if (verdict.state === "NotAccepted" || verdict.enforcement === "NoPath") return "nowhere";
  const { paths, full, partial, met } = verdict.total;
  const whole = full + met;
  if (whole === paths) return `on ${all(paths)}${metWords(verdict.total)}`;
  const parts = [
    ...(whole > 0 ? [`on ${whole} of ${count(paths)}`] : []),
    ...(partial > 0
      ? [`partly on ${whole > 0 ? partial : partial === paths ? all(paths) : `${partial} of ${count(paths)}`}`]
      : []),
  ];
  if (parts.length > 0) return parts.join(", ");
  return paths === 1 ? "not on its only path" : `on none of ${paths} paths`;
}

const count = (paths: number): string => (paths === 1 ? "1 path" : `${paths} paths`);
const all = (paths: number): string => (paths === 1 ? "its only path" : `all ${paths} paths`);
const metWords = ({ met, paths }: Tally): string =>
  met === 0 ? "" : met === paths ? " (constraint met)" : ` (${met} met)`;

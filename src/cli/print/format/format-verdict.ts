import type { Tally, Verdict } from "../../../core/effective/verdicts/verdict.ts";
import type { PolicyDefinition } from "../../../core/model/definition.ts";
import { type Styled, styled } from "../terminal/styled-text.ts";

/** A verdict that rests on objects that are not in the input. */
const UNDECIDED: Styled = styled("Incomplete", "yellow");

/** A verdict in the words of its kind's status. GEP-713 has two vocabularies. */
export function formatVerdict(verdict: Verdict, { status }: Pick<PolicyDefinition, "status">): Styled {
  if (verdict.state === "Unknown") return verdict.reason === "Undefined" ? styled(verdict.reason, "yellow") : UNDECIDED;
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
    case "Incomplete":
      return UNDECIDED;
  }
}

/** The extent to which a policy takes effect: `all 8 paths`, `2 of 8 paths, 6 partly`, `2 of 3 paths, constraint met on 1`. */
export function formatExtent(verdict: Verdict): string {
  if (verdict.state === "Unknown") return "not known";
  if (verdict.state === "NotAccepted" || verdict.enforcement === "NoPath") return "nowhere";
  const { incomplete, paths } = verdict.total;
  if (verdict.enforcement === "Incomplete" && paths === 0) return "not known";
  if (verdict.enforcement === "Incomplete") return `not known on ${paths === 1 ? "1 path" : `${paths} paths`}`;
  return `${completeExtent(verdict.total)}${incomplete === 0 ? "" : `, not known on ${incomplete}`}`;
}

/** The extent on complete paths. */
function completeExtent({ paths: all, incomplete, full, partial, met, idle }: Tally): string {
  const paths = all - incomplete;
  if (full === paths) return everywhere(paths);
  if (partial === paths) return `${everywhere(paths)}, partly`;
  if (met === paths) return "constraint met";
  if (idle === paths) return "nothing to do";
  const rest = `${met === 0 ? "" : `, constraint met on ${met}`}${idle === 0 ? "" : `, nothing to do on ${idle}`}`;
  return `${extentWords({ paths, full, partial })}${rest}`;
}

function extentWords({ paths, full, partial }: Pick<Tally, "paths" | "full" | "partial">): string {
  if (full === 0) return partial === 0 ? `none of ${paths}` : `${partial} of ${paths} paths, partly`;
  return `${full} of ${paths} paths${partial === 0 ? "" : `, ${partial} partly`}`;
}

const everywhere = (paths: number): string => (paths === 1 ? "its only path" : `all ${paths} paths`);

import type { KindChange, PathChange, Plan, PolicyChange } from "../../core/explain/plan/result.ts";
import { keepsValue } from "../../core/explain/plan/value-changes.ts";
import type { Finding } from "../../core/model/finding.ts";
import { objectId } from "../../core/model/refs.ts";
import { listWords } from "../print/format-paths.ts";
import { countPlaces, countWord, inPathOrder } from "../print/print-targets.ts";
import { type Piece, styled } from "../print/styled-text.ts";

/** How much changes, in a few sentences: paragraphs, each of pieces. */
export function summarizePlan({ kinds, policies, findings, stillImplied }: Plan): readonly (readonly Piece[])[] {
  if (kinds.length + policies.length + findings.added.length + findings.gone.length === 0) {
    const nothing = stillImplied.length > 0 ? "As far as files can tell, nothing changes" : "Nothing changes";
    return [[`${nothing}: no value that holds anywhere, no verdict of a policy, no finding.`]];
  }
  const parts = [policyWords(policies), conflictWords(findings), findingWords(findings)].filter((text) => text !== "");
  return [valueWords(kinds), ...(parts.length === 0 ? [] : [[parts.join(" ")]])];
}

function valueWords(kinds: readonly KindChange[]): readonly Piece[] {
  const changes = kinds.flatMap((kind) => kind.changes);
  const pieces: Piece[] = [];
  for (const how of ["changed", "came", "went"] as const) {
    const paths = changes.filter(({ change }) => change === how);
    if (paths.length === 0) continue;
    const values = paths.flatMap((path) => path.values);
    const kept = values.filter(keepsValue).length;
    const differ = values.length - kept;
    const differing = how === "changed" ? paths.filter((path) => !path.values.every(keepsValue)) : paths;
    if (pieces.length > 0) pieces.push(" ");
    if (differ > 0) {
      pieces.push(
        styled(`${countWord(differ, "value")} ${VALUE_VERBS[how][differ === 1 ? 0 : 1]}`, "bold"),
        ` ${how === "changed" ? "on" : "with"} ${countWord(differing.length, "path")}, for ${placesOn(differing)}.`,
      );
    }
    if (kept > 0) {
      const more = differ > 0 ? "more " : "";
      pieces.push(
        `${differ > 0 ? " " : ""}${countWord(kept, `${more}value`)} stay${kept === 1 ? "s" : ""} the same by another decision.`,
      );
    }
  }
  return pieces.length === 0 ? ["No value that holds anywhere changes."] : pieces;
}

const VALUE_VERBS = {
  changed: ["changes", "change"],
  came: ["comes", "come"],
  went: ["goes", "go"],
} as const;

function placesOn(paths: readonly PathChange[]): string {
  const nodes = new Map(
    paths.flatMap((path) =>
      path.nodes.filter(isTraffic).map((node) => [`${objectId(node)}#${node.sectionName ?? ""}`, { node }] as const),
    ),
  );
  return countPlaces(inPathOrder([...nodes.values()], paths).map(({ node }) => node));
}

/** What traffic passes and is changed for, not what it merely comes through. */
const isTraffic = ({ kind, sectionName }: { readonly kind: string; readonly sectionName?: string }): boolean =>
  kind.endsWith("Route") ||
  kind === "Service" ||
  (sectionName !== undefined && kind !== "Gateway" && kind !== "ListenerSet");

function policyWords(policies: readonly PolicyChange[]): string {
  if (policies.length === 0) return "";
  const count = (isSo: (policy: PolicyChange) => boolean): number => policies.filter(isSo).length;
  const parts = [
    [count(({ before }) => before === undefined), "comes", "come"],
    [count(({ after }) => after === undefined), "goes", "go"],
    [
      count(
        ({ before, after, gains, loses }) =>
          before !== undefined && after !== undefined && gains.length > 0 && loses.length === 0,
      ),
      "gains",
      "gain",
    ],
    [
      count(
        ({ before, after, gains, loses }) =>
          before !== undefined && after !== undefined && loses.length > 0 && gains.length === 0,
      ),
      "loses",
      "lose",
    ],
  ] as const;
  const told = parts
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => `${number} ${number === 1 ? one : many}`);
  const how = told.length === 0 ? "" : `: ${listWords(told)}`;
  return `${countWord(policies.length, "policy")} fare${policies.length === 1 ? "s" : ""} differently${how}.`;
}

function conflictWords({ added }: Plan["findings"]): string {
  const conflicts = added.filter(({ code }) => code === "Conflicted").length;
  return conflicts === 0 ? "" : `${countWord(conflicts, "new conflict")}.`;
}

function findingWords({ added, gone }: Plan["findings"]): string {
  const others = (all: readonly Finding[]): number => all.filter(({ code }) => code !== "Conflicted").length;
  const [came, went] = [others(added), others(gone)];
  const parts = [
    ...(came > 0 ? [countWord(came, "new finding")] : []),
    ...(went > 0 ? [`${countWord(went, "finding")} gone`] : []),
  ];
  return parts.length === 0 ? "" : `${listWords(parts)}.`;
}

import type { Caveat } from "../../core/caveats/caveat.ts";
import type { KindChange, PathChange, Plan, PolicyChange } from "../../core/explain/plan/result.ts";
import { trafficNodes } from "../../core/explain/plan/traffic-nodes.ts";
import { keepsValue } from "../../core/explain/plan/value-changes.ts";
import type { Finding } from "../../core/model/finding.ts";
import { objectId } from "../../core/model/refs.ts";
import { qualification } from "../caveats/text.ts";
import { listWords } from "../print/format/format-paths.ts";
import { countTargets, countWord, inPathOrder } from "../print/print-targets.ts";
import { type Piece, styled } from "../print/terminal/styled-text.ts";

/** How much changes, in a few sentences. Each paragraph is a list of pieces. */
export function summarizePlan(
  { kinds, policies, findings, stillImplied }: Plan,
  caveats: readonly Caveat[],
): readonly (readonly Piece[])[] {
  if (kinds.length + policies.length + findings.added.length + findings.removed.length === 0) {
    const isQualified = stillImplied.length > 0 || caveats.length > 0;
    const nothing = isQualified ? "As far as the files show, nothing changes" : "Nothing changes";
    return [[`${nothing}: no effective value, no verdict of a policy, no finding${qualification(caveats)}.`]];
  }
  const parts = [policyWords(policies), conflictWords(findings), findingWords(findings)].filter((text) => text !== "");
  return [valueWords(kinds, caveats), ...(parts.length === 0 ? [] : [[parts.join(" ")]])];
}

function valueWords(kinds: readonly KindChange[], caveats: readonly Caveat[]): readonly Piece[] {
  const changes = kinds.flatMap((kind) => kind.changes);
  const pieces: Piece[] = [];
  for (const how of ["changed", "added", "removed"] as const) {
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
        ` ${how === "changed" ? "on" : "with"} ${countWord(differing.length, "path")}, for ${targetsOn(differing)}.`,
      );
    }
    if (kept > 0) {
      const more = differ > 0 ? "more " : "";
      pieces.push(
        `${differ > 0 ? " " : ""}${countWord(kept, `${more}value`)} stay${kept === 1 ? "s" : ""} the same, from another source.`,
      );
    }
  }
  if (pieces.length > 0) return pieces;
  return [
    `${caveats.length === 0 ? "No effective value" : "No known effective value"} changes${qualification(caveats)}.`,
  ];
}

const VALUE_VERBS = {
  changed: ["changes", "change"],
  added: ["is added", "are added"],
  removed: ["is removed", "are removed"],
} as const;

function targetsOn(paths: readonly PathChange[]): string {
  const nodes = new Map(
    paths.flatMap((path) =>
      trafficNodes(path.nodes).map((node) => [`${objectId(node)}#${node.sectionName ?? ""}`, { node }] as const),
    ),
  );
  return countTargets(inPathOrder([...nodes.values()], paths).map(({ node }) => node));
}

function policyWords(policies: readonly PolicyChange[]): string {
  if (policies.length === 0) return "";
  const count = (isSo: (policy: PolicyChange) => boolean): number => policies.filter(isSo).length;
  const parts = [
    [count(({ before }) => before === undefined), "added", "added"],
    [count(({ after }) => after === undefined), "removed", "removed"],
    [
      count(
        ({ before, after, nowInEffect, noLongerInEffect }) =>
          before !== undefined && after !== undefined && nowInEffect.length > 0 && noLongerInEffect.length === 0,
      ),
      "takes effect in more places",
      "take effect in more places",
    ],
    [
      count(
        ({ before, after, nowInEffect, noLongerInEffect }) =>
          before !== undefined && after !== undefined && noLongerInEffect.length > 0 && nowInEffect.length === 0,
      ),
      "takes effect in fewer places",
      "take effect in fewer places",
    ],
  ] as const;
  const words = parts
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => `${number} ${number === 1 ? one : many}`);
  const how = words.length === 0 ? "" : `: ${words.join(", ")}`;
  return `${countWord(policies.length, "policy")} change${policies.length === 1 ? "s" : ""}${how}.`;
}

function conflictWords({ added }: Plan["findings"]): string {
  const conflicts = added.filter(({ code }) => code === "Conflicted").length;
  return conflicts === 0 ? "" : `${countWord(conflicts, "new conflict")}.`;
}

function findingWords({ added, removed }: Plan["findings"]): string {
  const others = (all: readonly Finding[]): number => all.filter(({ code }) => code !== "Conflicted").length;
  const [more, fewer] = [others(added), others(removed)];
  const parts = [
    ...(more > 0 ? [countWord(more, "new finding")] : []),
    ...(fewer > 0 ? [`${countWord(fewer, "finding")} resolved`] : []),
  ];
  return parts.length === 0 ? "" : `${listWords(parts)}.`;
}

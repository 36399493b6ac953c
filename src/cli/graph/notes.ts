import type { Graph, GraphNode, KindCount } from "../../core/explain/graph/result.ts";
import { listWords, sectionWord } from "../print/format/format-paths.ts";
import { countWord } from "../print/print-targets.ts";
import { unglued } from "../print/terminal/styled-text.ts";

/** Sentences about the nodes that a drawing folds or leaves out. */
export function graphNotes({ nodes, leftOut }: Graph): readonly string[] {
  const { sections, lone, farther, otherKinds, otherPolicies } = leftOut;
  const bySection = sections.map(({ kind, count }) => ({ kind: sectionWord(kind), count }));
  return [
    ...foldNotes(nodes),
    ...leftOutNote(bySection, "without policies", "--sections draws them"),
    ...leftOutNote(lone, "without parents, children and policies", "--lone draws them"),
    ...leftOutNote(farther, "farther away than --depth"),
    ...leftOutNote(otherKinds, "of kinds that --kind does not name"),
    ...leftOutNote(
      otherPolicies === 0 ? [] : [{ kind: "policy", count: otherPolicies }],
      "of kinds that --kind does not name",
    ),
  ].map(unglued);
}

function foldNotes(nodes: readonly GraphNode[]): readonly string[] {
  const folded = nodes.flatMap(({ ref, fold }) => (fold === undefined ? [] : [{ kind: ref.kind, fold }]));
  const note = (isBare: boolean, why: string): readonly string[] => {
    const some = folded.filter(({ fold }) => (fold.policies.length === 0) === isBare);
    if (some.length === 0) return [];
    const counts = some.map(({ kind, fold }) => ({ kind, count: fold.members.length }));
    return [`Folded: ${countKinds(counts)} into ${countWord(some.length, "node")}, ${why} (--no-fold draws each).`];
  };
  return [
    ...note(true, "as they have no policies of their own"),
    ...note(false, "as each has policies of the same kinds with the same effect"),
  ];
}

function leftOutNote(counts: readonly KindCount[], what: string, how?: string): readonly string[] {
  if (counts.length === 0) return [];
  return [`Left out: ${countKinds(counts)} ${what}${how === undefined ? "" : ` (${how})`}.`];
}

/** `3 rules and 4 ports`. */
function countKinds(counts: readonly KindCount[]): string {
  const byWord = new Map<string, number>();
  for (const { kind, count } of counts) byWord.set(kind, (byWord.get(kind) ?? 0) + count);
  return listWords([...byWord].map(([word, count]) => countWord(count, word)));
}

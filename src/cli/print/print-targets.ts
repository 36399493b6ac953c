import type { PathNode } from "../../core/effective/paths/path-node.ts";
import { compareText, formatRef } from "../../core/model/refs.ts";
import { listWords, sectionWord } from "./format/format-paths.ts";
import type { Printer } from "./terminal/create-printer.ts";
import { glued, type Piece, styled } from "./terminal/styled-text.ts";

/** A node, and the text after its name. */
export interface ListedTarget {
  readonly node: PathNode;
  readonly remark?: string;
}

interface TargetGroup {
  readonly word: string;
  readonly targets: readonly ListedTarget[];
}

/** Groups targets by kind, in the order of the hierarchy: Gateways, listeners, routes. */
function groupTargets(targets: readonly ListedTarget[]): readonly TargetGroup[] {
  const groups = new Map<string, ListedTarget[]>();
  for (const target of targets) {
    const { kind, sectionName } = target.node;
    const word = sectionName === undefined ? kind : sectionWord(kind);
    const group = groups.get(word) ?? [];
    groups.set(word, group);
    group.push(target);
  }
  return [...groups].map(([word, own]) => ({ word, targets: own }));
}

/** The kinds from the top of the hierarchy down. Routes of all kinds are one level. */
export function inPathOrder<T extends ListedTarget>(
  targets: readonly T[],
  paths: ReadonlyArray<{ readonly nodes: readonly PathNode[] }>,
): readonly T[] {
  const levelOf = ({ kind, sectionName }: PathNode): string =>
    sectionName === undefined ? (kind.endsWith("Route") ? "Route" : kind) : sectionWord(kind);
  const depths = new Map<string, number>();
  for (const { nodes } of paths)
    for (const [depth, node] of nodes.entries())
      depths.set(levelOf(node), Math.max(depth, depths.get(levelOf(node)) ?? 0));
  const depthOf = ({ node }: T): number => depths.get(levelOf(node)) ?? 0;
  return targets.toSorted((a, b) => depthOf(a) - depthOf(b));
}

/** `1 Gateway, 3 listeners and 2 HTTPRoutes`. */
export const countTargets = (nodes: readonly PathNode[]): string =>
  listWords(groupTargets(nodes.map((node) => ({ node }))).map(({ word, targets }) => countWord(targets.length, word)));

/** `1 path`, `3 paths`, `2 GatewayClasses`. */
export const countWord = (count: number, word: string): string =>
  glued(`${count} ${count === 1 ? word : pluralWord(word)}`);

export const allPaths = (count: number): string =>
  count === 1 ? "the only path" : count === 2 ? "both paths" : `all ${count} paths`;

function pluralWord(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

const MOST = 20;

/** Prints one line for each kind, with the names of its targets. Sections are listed with their object. */
export function printTargets(
  print: Printer,
  targets: readonly ListedTarget[],
  { indent, all }: { readonly indent: number; readonly all: boolean },
): void {
  const groups = groupTargets(targets);
  const label = (group: TargetGroup): string => (group.targets.length === 1 ? group.word : pluralWord(group.word));
  const width = Math.max(0, ...groups.map((group) => label(group).length)) + 2;
  for (const group of groups) {
    const names = namesIn(group);
    const shown = all ? names : names.slice(0, MOST);
    const rest = names.length - shown.length;
    const lines = rest > 0 ? [...shown, `… and ${rest} more (-o wide lists them all)`] : shown;
    lines.forEach((line, index) => {
      const head = index === 0 ? label(group) : "";
      const pieces: readonly Piece[] = [styled(head, "dim"), glued(" ".repeat(width - head.length)), line];
      print.paragraph({ indent, hanging: width }, ...pieces);
    });
  }
}

/** Lists objects one by one, and the sections of one object in one line. */
function namesIn({ targets }: TargetGroup): readonly string[] {
  const owners = new Map<string, string[]>();
  for (const { node, remark = "" } of targets) {
    const { namespace, name, sectionName } = node;
    const own = namespace === "" ? name : `${namespace}/${name}`;
    const owner = sectionName === undefined ? `${own}${remark}` : formatRef(node);
    const sections = owners.get(owner) ?? [];
    owners.set(owner, sections);
    if (sectionName !== undefined) sections.push(`${sectionName}${remark}`);
  }
  return [...owners]
    .sort(([a], [b]) => compareText(a, b))
    .map(([owner, sections]) =>
      sections.length === 0 ? glued(owner) : `${listWords(sections.map(glued))} of ${glued(owner)}`,
    );
}

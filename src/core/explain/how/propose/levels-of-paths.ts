import type { PathNode } from "../../../effective/paths/path-node.ts";
import { compareText, kindId, objectId } from "../../../model/refs.ts";
import type { ObjectOrSection } from "../../paths-through.ts";
import type { TargetPath } from "../target-paths.ts";

/** Nodes of one level that cover all given paths together. */
export interface CoveringLevel {
  /** Sorted by id. */
  readonly nodes: readonly PathNode[];
  /** 0: the target itself; negative: below it; positive: above it. */
  readonly distance: number;
}

/** The levels that cover all paths: the target first, then what is below it, then what is above it, nearest first. */
export function coveringLevels(paths: readonly TargetPath[], target: ObjectOrSection): readonly CoveringLevel[] {
  const levels = new Map<string, { readonly nodes: Map<string, PathNode>; distance: number; paths: number }>();
  for (const { nodes } of paths) {
    const at = nodes.findLastIndex((node) => isTarget(node, target));
    const met = new Map<string, number>();
    for (const [index, node] of [...nodes.entries()].reverse()) {
      const kind = `${kindId(node)}${node.sectionName === undefined ? "" : "#"}`;
      const nth = met.get(kind) ?? 0;
      met.set(kind, nth + 1);
      const level = levels.get(`${kind} ${nth}`) ?? {
        nodes: new Map<string, PathNode>(),
        distance: at - index,
        paths: 0,
      };
      levels.set(`${kind} ${nth}`, level);
      level.nodes.set(nodeKey(node), node);
      level.paths++;
    }
  }
  const order = ({ distance }: CoveringLevel): number => (distance > 0 ? 1000 + distance : -distance);
  return [...levels.values()]
    .filter((level) => level.paths === paths.length)
    .map(({ nodes, distance }): CoveringLevel => {
      const sorted = [...nodes].sort(([a], [b]) => compareText(a, b)).map(([, node]) => node);
      return { nodes: sorted, distance };
    })
    .sort((a, b) => order(a) - order(b));
}

const isTarget = (node: PathNode, { id, sectionName }: ObjectOrSection): boolean =>
  objectId(node) === id && node.sectionName === sectionName;

export const nodeKey = (node: PathNode): string => `${objectId(node)}#${node.sectionName ?? ""}`;

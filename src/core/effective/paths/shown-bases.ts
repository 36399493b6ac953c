import type { PathNode } from "../fold/effective-policy.ts";
import { type Path, shownPath } from "./path.ts";

const NONE: readonly never[] = [];

/** The nodes of paths that many objects share: those of the last object's are mostly those of the next. */
export class ShownBases {
  #bases: readonly Path[] = NONE;
  #shown: readonly (readonly PathNode[])[] = NONE;

  of(bases: readonly Path[]): readonly (readonly PathNode[])[] {
    if (bases !== this.#bases) {
      this.#bases = bases;
      this.#shown = bases.map(shownPath);
    }
    return this.#shown;
  }
}

/** The nodes of a path that goes on to an object, and into a section of it. */
export function withTwoMore(above: readonly PathNode[], object: PathNode, section: PathNode): readonly PathNode[] {
  const { length } = above;
  // oxlint-disable-next-line unicorn/no-new-array -- of just this length: a million are made, and a list that grows is three times as large
  const nodes = new Array<PathNode>(length + 2);
  for (let i = 0; i < length; i++) nodes[i] = above[i] as PathNode;
  nodes[length] = object;
  nodes[length + 1] = section;
  return nodes;
}

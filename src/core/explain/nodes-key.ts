import type { PathNode } from "../effective/paths/path-node.ts";
import { objectId } from "../model/refs.ts";

/** The key of a path among those through one target: equal for equal nodes. */
export const nodesKey = (nodes: readonly PathNode[]): string =>
  nodes.map((node) => `${objectId(node)}#${node.sectionName ?? ""}`).join(">");

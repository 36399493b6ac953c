import type { GroupKind } from "../../model/refs.ts";

/** One node of a path as plain data. A path runs from the root (first) to the effective target (last). */
export interface PathNode extends GroupKind {
  readonly namespace: string;
  readonly name: string;
  readonly sectionName?: string;
}

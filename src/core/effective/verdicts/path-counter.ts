import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { Path } from "../paths/path.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { ancestorOf } from "./ancestor-of.ts";
import { countPaths, type TallyChanges } from "./tally-changes.ts";

/** Counts paths that come, or go. Adjacent paths with the same ends, effective spec and ancestor are counted together. */
export class PathCounter {
  readonly #changes: TallyChanges;
  readonly #kind: CompiledKind;
  readonly #sign: 1 | -1;
  /** The paths that are not counted yet. */
  #open: OpenCount | undefined;

  constructor(changes: TallyChanges, kind: CompiledKind, how: "Come" | "Go") {
    this.#changes = changes;
    this.#kind = kind;
    this.#sign = how === "Come" ? 1 : -1;
  }

  /** Counts a path. `sections`: the sections of its last object that it goes on to; undefined: it ends at its last node. */
  add(path: Path, effective: EffectiveSpec, sections?: readonly Section[]): void {
    const open = this.#open;
    const above = ancestorPath(path);
    const hasSameEnds =
      open?.first.node === path.node && open.sections === sections && open.first.incomplete === path.incomplete;
    if (hasSameEnds && open.effective === effective && open.above === above) open.paths++;
    else {
      this.finish();
      this.#open = { first: path, above, effective, sections, paths: 1 };
    }
  }

  /** Counts the last paths. */
  finish(): void {
    if (this.#open === undefined) return;
    const { first, effective, sections, paths } = this.#open;
    const counted = { last: first.node, sections, pathsToEach: paths * this.#sign, isIncomplete: first.incomplete };
    countPaths(this.#changes, effective, ancestorOf(first, this.#kind), counted);
    this.#open = undefined;
  }
}

interface OpenCount {
  readonly first: Path;
  /** The part of the paths down to their ancestor. */
  readonly above: Path;
  readonly effective: EffectiveSpec;
  readonly sections: readonly Section[] | undefined;
  paths: number;
}

/** The part of a path down to its ancestor. Paths with the same part have the same ancestor for every policy. */
function ancestorPath(path: Path): Path {
  let at = path;
  while (at.up !== undefined && (at.node.id !== path.ancestor || at.node.section !== undefined)) at = at.up;
  return at;
}

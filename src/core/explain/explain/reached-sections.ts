import type { Path } from "../../effective/paths/path.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { ObjectOrSection } from "../paths-through.ts";

/** Records, per policy kind, whether paths lead through an object and through which of its sections. */
export class ReachedSections {
  readonly #target: ObjectOrSection;
  readonly #reached = new Set<string>();

  constructor(target: ObjectOrSection) {
    this.#target = target;
  }

  add({ index }: CompiledKind, path: Path): void {
    for (let at: Path | undefined = path; at !== undefined; at = at.up) {
      if (at.node.id === this.#target.id) this.#reached.add(keyOf(index, at.node.section?.name));
    }
  }

  has({ index }: CompiledKind, sectionName: string | undefined): boolean {
    return this.#reached.has(keyOf(index, sectionName));
  }
}

const keyOf = (kind: number, section: string | undefined): string => `${kind}#${section ?? ""}`;

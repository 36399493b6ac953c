import type { Path } from "../effective/paths/path.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { Place } from "./paths-through.ts";

/** By policy kind, whether paths come through an object, and through which of its sections. */
export class PassedPlaces {
  readonly #place: Place;
  readonly #passed = new Set<string>();

  constructor(place: Place) {
    this.#place = place;
  }

  add({ index }: CompiledKind, path: Path): void {
    for (let at: Path | undefined = path; at !== undefined; at = at.up) {
      if (at.node.id === this.#place.id) this.#passed.add(keyOf(index, at.node.section?.name));
    }
  }

  has({ index }: CompiledKind, sectionName: string | undefined): boolean {
    return this.#passed.has(keyOf(index, sectionName));
  }
}

const keyOf = (kind: number, section: string | undefined): string => `${kind}#${section ?? ""}`;

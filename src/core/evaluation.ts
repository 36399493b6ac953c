import type { RulebookOptions } from "./effective/world/build-rulebook.ts";
import type { World } from "./effective/world/world.ts";

export interface EvaluationParts {
  readonly world: World;
  readonly options: RulebookOptions;
}

let readParts: (evaluation: Evaluation) => EvaluationParts;

/** Opaque outside of this project: it has no properties. `worldOf` reads it. */
export class Evaluation {
  readonly #parts: EvaluationParts;

  constructor(parts: EvaluationParts) {
    this.#parts = parts;
  }

  static {
    readParts = (evaluation) => evaluation.#parts;
  }
}

export const worldOf = (evaluation: Evaluation): World => readParts(evaluation).world;

/** The definitions and functions that the evaluation was made with. */
export const optionsOf = (evaluation: Evaluation): RulebookOptions => readParts(evaluation).options;

import { Readable } from "node:stream";

/** The body of a request as it comes from a client, at the pace at which somebody takes it. */
export class ClientBody extends Readable {
  readonly #onWanted: () => void;

  constructor(onWanted: () => void) {
    super();
    this.#onWanted = onWanted;
    // Whoever reads it hears of it; nobody may be reading.
    this.on("error", () => {});
  }

  override _read(): void {
    this.#onWanted();
  }
}

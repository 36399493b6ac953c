import { Readable } from "node:stream";

/** The body of a client's request. It is read from the connection only as fast as its reader consumes it. */
export class ClientBody extends Readable {
  readonly #onWanted: () => void;

  constructor(onWanted: () => void) {
    super();
    this.#onWanted = onWanted;
    // An error must not crash the process if nothing reads the body.
    this.on("error", () => {});
  }

  /** True if its reader can take more. */
  get isWanted(): boolean {
    return this.readableLength < this.readableHighWaterMark;
  }

  override _read(): void {
    this.#onWanted();
  }
}

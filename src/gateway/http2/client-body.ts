import type { ServerHttp2Stream } from "node:http2";
import { Readable } from "node:stream";

/**
 * The body of a client's request. All DATA frames that arrive in one turn are passed on as one piece, because a frame of one byte costs a hundred times
 * its size. It is read from the stream only as fast as its reader consumes it.
 */
export class Http2ClientBody extends Readable {
  readonly #stream: ServerHttp2Stream;
  readonly #feed = (): void => this.#take();
  #isWanted = false;
  #hasBegun = false;

  constructor(stream: ServerHttp2Stream) {
    super();
    this.#stream = stream;
    // An error must not crash the process if nothing reads the body.
    this.on("error", () => {});
  }

  override _read(): void {
    this.#isWanted = true;
    if (!this.#hasBegun) this.#begin();
    this.#take();
  }

  /** Stops reading the stream. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stream.off("readable", this.#feed);
    done(error);
  }

  #begin(): void {
    const stream = this.#stream;
    this.#hasBegun = true;
    stream.on("readable", this.#feed);
    stream.on("end", () => this.push(null));
    stream.on("close", () => {
      if (!stream.readableEnded) this.destroy(new Error("the client disconnected"));
    });
  }

  #take(): void {
    while (this.#isWanted && !this.destroyed) {
      const chunk: unknown = this.#stream.read();
      if (!Buffer.isBuffer(chunk)) return;
      this.#isWanted = this.push(chunk);
    }
  }
}

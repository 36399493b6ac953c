/**
 * The body of a request on its way to a backend, and perhaps to the next one. As long as it is short enough it is kept while it is sent,
 * and the next attempt gets what is kept before what is still to come.
 */
import { Readable } from "node:stream";

/** Bodies kept, of all requests together. */
export interface KeptBytes {
  readonly limit: number;
  used: number;
}

export interface RequestBodyOptions {
  /** What is kept for the next attempt; 0: nothing. */
  readonly maxBytes: number;
  readonly quota: KeptBytes;
  /** The first byte is asked for. */
  readonly onStart: () => void;
  /** As it comes from the client, once. */
  readonly onChunk: (chunk: Buffer) => void;
  readonly onEnd: () => void;
}

export class RequestBody {
  readonly #source: Readable;
  readonly #options: RequestBodyOptions;
  readonly #quota: KeptBytes;
  readonly #maxBytes: number;
  #kept: Buffer[] | undefined;
  #keptBytes = 0;
  #hasStarted = false;
  #hasEnded = false;
  #isLastAttempt = false;
  #reader: BodyReader | undefined;

  constructor(source: Readable, options: RequestBodyOptions) {
    this.#source = source;
    this.#maxBytes = options.maxBytes;
    this.#quota = options.quota;
    this.#options = options;
    this.#kept = options.maxBytes > 0 ? [] : undefined;
  }

  /** Whether all of it is still at hand: it was kept, or none of it was sent. */
  get canResend(): boolean {
    return !this.#hasStarted || this.#kept !== undefined;
  }

  /** For one attempt. The reader before it gets no more. */
  open(): Readable {
    this.#reader?.destroy();
    const reader = new BodyReader(this);
    this.#reader = reader;
    return reader;
  }

  /** No more attempts: what was kept is let go, once the last of them has had it. */
  release(): void {
    this.#isLastAttempt = true;
    const isWanted = this.#reader !== undefined && this.#reader.chunks < (this.#kept?.length ?? 0);
    if (!isWanted) this.#forget();
  }

  /** A reader wants more. */
  feed(reader: BodyReader): void {
    if (reader !== this.#reader) return;
    const kept = this.#kept?.[reader.chunks];
    if (kept !== undefined) {
      reader.push(kept);
      if (this.#isLastAttempt) this.release();
    } else if (this.#hasEnded) reader.push(null);
    else if (this.#hasStarted) this.#source.resume();
    else this.#start();
  }

  detach(reader: BodyReader): void {
    if (reader !== this.#reader) return;
    this.#reader = undefined;
    if (this.#isLastAttempt) this.#forget();
    if (this.#hasStarted && !this.#hasEnded) this.#source.pause();
  }

  #start(): void {
    this.#hasStarted = true;
    this.#options.onStart();
    this.#source.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#source.on("end", () => {
      this.#hasEnded = true;
      this.#options.onEnd();
      this.#reader?.push(null);
    });
    this.#source.on("error", (error: Error) => this.#reader?.destroy(error));
    this.#source.on("close", () => {
      if (!this.#hasEnded) this.#reader?.destroy(new Error("the client went away"));
    });
  }

  #take(chunk: Buffer): void {
    this.#keep(chunk);
    this.#options.onChunk(chunk);
    if (this.#reader?.push(chunk) !== true) this.#source.pause();
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === undefined || this.#isLastAttempt) return;
    const fits =
      this.#keptBytes + chunk.length <= this.#maxBytes && this.#quota.used + chunk.length <= this.#quota.limit;
    if (!fits) return this.#forget();
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    this.#quota.used += chunk.length;
  }

  #forget(): void {
    this.#quota.used -= this.#keptBytes;
    this.#keptBytes = 0;
    this.#kept = undefined;
  }
}

class BodyReader extends Readable {
  readonly #body: RequestBody;
  /** Those that it has had. */
  chunks = 0;

  constructor(body: RequestBody) {
    super();
    this.#body = body;
    // The attempt that it is for may still wait for a connection, and nobody listen.
    this.on("error", () => {});
  }

  override push(chunk: Buffer | null): boolean {
    this.chunks++;
    return super.push(chunk);
  }

  override _read(): void {
    this.#body.feed(this);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#body.detach(this);
    done(error);
  }
}

/**
 * The body of a request, for one attempt after the other. A body that is short enough is buffered while it is sent. The next attempt gets
 * the buffered part first, then the rest from the client.
 */
import { Readable } from "node:stream";

/** The size of the buffered bodies of all requests. */
export interface BufferedBytes {
  readonly limit: number;
  used: number;
}

export interface RequestBodyOptions {
  /** The maximum size of the buffer for the next attempt. 0: no buffer. */
  readonly maxBytes: number;
  readonly quota: BufferedBytes;
  /** Called before the first byte is read. */
  readonly onStart: () => void;
  /** Called once for each chunk from the client. */
  readonly onChunk: (chunk: Buffer) => void;
  readonly onEnd: () => void;
}

export class RequestBody {
  readonly #source: Readable;
  readonly #options: RequestBodyOptions;
  readonly #quota: BufferedBytes;
  readonly #maxBytes: number;
  #buffer: Buffer[] | undefined;
  #bufferedBytes = 0;
  #hasStarted = false;
  #hasEnded = false;
  #isLastAttempt = false;
  #reader: BodyReader | undefined;

  constructor(source: Readable, options: RequestBodyOptions) {
    this.#source = source;
    this.#maxBytes = options.maxBytes;
    this.#quota = options.quota;
    this.#options = options;
    this.#buffer = options.maxBytes > 0 ? [] : undefined;
  }

  /** True if the whole body can be sent again: it was buffered, or none of it was sent. */
  get canResend(): boolean {
    return !this.#hasStarted || this.#buffer !== undefined;
  }

  /** Opens the body for an attempt, and ends the reader of the attempt before. */
  open(): Readable {
    this.#reader?.destroy();
    const reader = new BodyReader(this);
    this.#reader = reader;
    return reader;
  }

  /** No attempt follows. Releases the buffer once the current reader has read it. */
  release(): void {
    this.#isLastAttempt = true;
    const isUnread = this.#reader !== undefined && this.#reader.chunks < (this.#buffer?.length ?? 0);
    if (!isUnread) this.#releaseBuffer();
  }

  /** Called when a reader wants more data. */
  feed(reader: BodyReader): void {
    if (reader !== this.#reader) return;
    const buffered = this.#buffer?.[reader.chunks];
    if (buffered !== undefined) {
      reader.push(buffered);
      if (this.#isLastAttempt) this.release();
    } else if (this.#hasEnded) reader.push(null);
    else if (this.#hasStarted) this.#source.resume();
    else this.#start();
  }

  detach(reader: BodyReader): void {
    if (reader !== this.#reader) return;
    this.#reader = undefined;
    if (this.#isLastAttempt) this.#releaseBuffer();
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
      if (!this.#hasEnded) this.#reader?.destroy(new Error("the client disconnected"));
    });
  }

  #take(chunk: Buffer): void {
    this.#addToBuffer(chunk);
    this.#options.onChunk(chunk);
    if (this.#reader?.push(chunk) !== true) this.#source.pause();
  }

  #addToBuffer(chunk: Buffer): void {
    if (this.#buffer === undefined || this.#isLastAttempt) return;
    const fits =
      this.#bufferedBytes + chunk.length <= this.#maxBytes && this.#quota.used + chunk.length <= this.#quota.limit;
    if (!fits) return this.#releaseBuffer();
    this.#buffer.push(chunk);
    this.#bufferedBytes += chunk.length;
    this.#quota.used += chunk.length;
  }

  #releaseBuffer(): void {
    this.#quota.used -= this.#bufferedBytes;
    this.#bufferedBytes = 0;
    this.#buffer = undefined;
  }
}

class BodyReader extends Readable {
  readonly #body: RequestBody;
  /** The number of chunks that it got. */
  chunks = 0;

  constructor(body: RequestBody) {
    super();
    this.#body = body;
    // An error must not crash the process while the attempt waits for a connection.
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

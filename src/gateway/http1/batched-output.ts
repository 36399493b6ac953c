/**
 * Collects what is written to a connection in one turn of the event loop and sends it at the end of the turn in one system call. A system
 * call costs more than copying some kilobytes.
 */
import type { Socket } from "node:net";

/** Longer pieces are sent at once: copying them costs more than a system call. */
const MAX_BATCHED_BYTES = 16_384;

export class BatchedOutput {
  readonly #socket: Socket;
  /** Latin-1: one character per byte. Node sends short strings without a copy to a buffer. */
  #text = "";
  #pieces = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** True if nothing waits for the end of the turn. */
  get isEmpty(): boolean {
    return this.#text === "";
  }

  /** How many pieces have been sent. */
  get pieces(): number {
    return this.#pieces;
  }

  /** The text has characters up to U+00FF only. */
  addText(text: string): void {
    if (this.#text === "") flushLater(this);
    this.#text += text;
    if (this.#text.length > MAX_BATCHED_BYTES) this.flush();
  }

  /** Copies the bytes. False: wait for the socket's `drain` event before the next call. */
  addBytes(bytes: Buffer): boolean {
    if (this.#text.length + bytes.length <= MAX_BATCHED_BYTES) this.addText(bytes.toString("latin1"));
    else {
      this.flush();
      this.#send(Buffer.from(bytes));
    }
    return !this.#socket.writableNeedDrain;
  }

  /** Adds the bytes as one chunk of a chunked body. They must not be empty, because an empty chunk ends the body. */
  addChunk(bytes: Buffer): boolean {
    this.addText(`${bytes.length.toString(16)}\r\n`);
    const hasRoom = this.addBytes(bytes);
    this.addText("\r\n");
    return hasRoom;
  }

  flush(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    this.#send(text);
  }

  #send(piece: string | Buffer): void {
    this.#pieces++;
    if (this.#socket.writable) this.#socket.write(piece, "latin1");
  }
}

/** The outputs that have something to send at the end of this turn. */
let waiting: BatchedOutput[] = [];

function flushLater(output: BatchedOutput): void {
  if (waiting.length === 0) setImmediate(flushAll);
  waiting.push(output);
}

function flushAll(): void {
  const outputs = waiting;
  waiting = [];
  for (const output of outputs) output.flush();
}

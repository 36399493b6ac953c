/**
 * What is written to a connection in one turn of the event loop goes out in one piece, at the end of that turn, together with what all others have
 * to send. A system call costs more than copying some kilobytes; and whoever is at the other end is woken once for all of it, not for each.
 */
import type { Socket } from "node:net";

/** Longer pieces gain nothing by being copied together with others. */
const MAX_JOINED_BYTES = 16_384;

export class JoinedOutput {
  readonly #socket: Socket;
  /** One character for each byte. Short texts are sent without a buffer in between. */
  #text = "";
  #pieces = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Whether there is nothing to send at the end of this turn. */
  get isEmpty(): boolean {
    return this.#text === "";
  }

  /** How many pieces have been sent so far. */
  get pieces(): number {
    return this.#pieces;
  }

  /** Of characters up to U+00FF. */
  addText(text: string): void {
    if (this.#text === "") flushLater(this);
    this.#text += text;
    if (this.#text.length > MAX_JOINED_BYTES) this.flush();
  }

  /** The bytes are lent: they are copied. False: there is more than the other side takes at the moment; `drain` tells when that has passed. */
  addBytes(bytes: Buffer): boolean {
    if (this.#text.length + bytes.length <= MAX_JOINED_BYTES) this.addText(bytes.toString("latin1"));
    else {
      this.flush();
      this.#send(Buffer.from(bytes));
    }
    return !this.#socket.writableNeedDrain;
  }

  /** The same as one chunk of a body in chunks; an empty one would end the body. */
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

/** Those that have something to send. */
let waiting: JoinedOutput[] = [];

function flushLater(output: JoinedOutput): void {
  if (waiting.length === 0) setImmediate(flushAll);
  waiting.push(output);
}

function flushAll(): void {
  const outputs = waiting;
  waiting = [];
  for (const output of outputs) output.flush();
}

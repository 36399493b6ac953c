/** What is written to a connection at one moment goes out in one piece: a system call costs more than copying some kilobytes. */
import type { Socket } from "node:net";

/** Longer pieces gain nothing by being copied together with others. */
const MAX_JOINED_BYTES = 16_384;

export class JoinedOutput {
  readonly #socket: Socket;
  /** One character for each byte. Short texts are sent without a buffer in between. */
  #text = "";
  #isScheduled = false;
  readonly #onTick = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Of characters up to U+00FF. Goes out when whoever is at it now is done, or at the next `flush`. */
  addText(text: string): void {
    this.#text += text;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(this.#onTick);
  }

  /** The bytes are lent: they are copied. False: there is more than the other side takes at the moment; `drain` tells when that has passed. */
  addBytes(bytes: Buffer): boolean {
    if (this.#text.length + bytes.length <= MAX_JOINED_BYTES) this.addText(bytes.toString("latin1"));
    else {
      this.flush();
      this.#socket.write(Buffer.from(bytes));
    }
    return !this.#socket.writableNeedDrain;
  }

  flush(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    if (this.#socket.writable) this.#socket.write(text, "latin1");
  }
}

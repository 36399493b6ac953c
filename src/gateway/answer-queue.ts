/** The requests of one connection: they are answered one after the other, and not even looked at before their turn. */
import type { ServerResponse } from "node:http";

/** So many may come before the first is answered. Whoever sends more means no good. */
const MAX_WAITING = 100;

export class AnswerQueue {
  readonly #waiting: { readonly response: ServerResponse; readonly serve: () => void }[] = [];
  #current: ServerResponse | undefined;
  #isOver = false;

  /** False: there are too many. */
  add(response: ServerResponse, serve: () => void): boolean {
    if (this.#isOver) return true;
    if (this.#current === undefined) this.#serve(response, serve);
    else this.#waiting.push({ response, serve });
    return this.#waiting.length <= MAX_WAITING;
  }

  /** What comes after this answer is not served: nobody can tell what it is. */
  end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Whether an answer of another kind, written now, would be taken for the one that is due. */
  get isPromised(): boolean {
    return this.#current?.headersSent === true || this.#waiting.length > 0;
  }

  #serve(response: ServerResponse, serve: () => void): void {
    this.#current = response;
    response.on("close", () => {
      this.#current = undefined;
      // The client has gone: nobody waits for the others.
      if (!response.writableFinished) this.end();
      const next = this.#waiting.shift();
      if (next !== undefined) this.#serve(next.response, next.serve);
    });
    serve();
  }
}

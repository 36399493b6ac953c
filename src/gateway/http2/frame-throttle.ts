/** Stops reading from a client that sends its bodies in too many DATA frames, for as long as the meter says. */
import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import type { PieceMeter } from "../contract/piece-meter.ts";

export class FrameThrottle {
  readonly #socket: Socket;
  readonly #meter: PieceMeter;
  readonly #clock: GatewayClock;
  #frames = 0;

  constructor(socket: Socket, meter: PieceMeter, clock: GatewayClock) {
    this.#socket = socket;
    this.#meter = meter;
    this.#clock = clock;
  }

  /** Counts the DATA frames of a stream. `node:http2` passes each one to `push`, and has no event for it that would not cost more. */
  watch(stream: ServerHttp2Stream): void {
    const push = stream.push.bind(stream);
    stream.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (this.#frames++ === 0) setImmediate(() => this.#settle());
      return push(chunk, encoding);
    };
  }

  #settle(): void {
    const waitMs = this.#meter.count(this.#frames);
    this.#frames = 0;
    if (waitMs === 0 || this.#socket.destroyed) return;
    const reading = readControl(this.#socket);
    reading?.stop();
    this.#clock.startTimer(waitMs, () => {
      if (!this.#socket.destroyed) reading?.start();
    });
  }
}

interface ReadControl {
  readonly stop: () => void;
  readonly start: () => void;
}

/** A session has taken over its socket, so `pause` has no effect any more. The handle below it can still be stopped. */
function readControl(socket: Socket): ReadControl | undefined {
  const handle: unknown = Reflect.get(socket, "_handle");
  if (typeof handle !== "object" || handle === null) return undefined;
  const call = (name: string): void => {
    const method: unknown = Reflect.get(handle, name);
    if (typeof method === "function") Reflect.apply(method, handle, []);
  };
  return { stop: () => call("readStop"), start: () => call("readStart") };
}

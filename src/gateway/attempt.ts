import type { Duplex } from "node:stream";
import type { Endpoint } from "../core/dataplane/gateway-config.ts";
import type { Fields } from "./fields.ts";
import type { GatewayClock, GatewayTimer } from "./gateway-clock.ts";
import type { AttemptFailure, AttemptSink, ResponseHead, RunningAttempt } from "./upstream.ts";

/** Whoever waits for an attempt. */
export interface AttemptOwner {
  /** Runs a step of the request's, so that a mistake in it ends this request and no other. */
  readonly guard: (step: () => void) => void;
  readonly takeHints: (fields: Fields) => void;
  readonly takeHead: (attempt: Attempt, head: ResponseHead) => void;
  /** False: no more before `resume`. */
  readonly takeData: (chunk: Buffer) => boolean;
  readonly takeEnd: (trailers: Fields) => void;
  readonly takeFailure: (attempt: Attempt, failure: AttemptFailure) => void;
  readonly takeUpgrade: (attempt: Attempt, head: ResponseHead, connection: Duplex) => void;
}

/** An answer that is not passed on is read up to here, and so long, for the sake of its connection. */
const MAX_DISCARDED_BYTES = 65_536;
const MAX_DISCARD_MS = 1000;

/** One attempt. Once another has begun it has no say any more, whatever still comes in. */
export class Attempt implements AttemptSink {
  readonly number: number;
  readonly endpoint: Endpoint;
  readonly startedMs: number;
  running: RunningAttempt | undefined;
  readonly #owner: AttemptOwner;
  #state: "waiting" | "passing" | "discarding" | "over" = "waiting";
  #discardedBytes = 0;
  #discardTimer: GatewayTimer | undefined;

  constructor(owner: AttemptOwner, number: number, endpoint: Endpoint, startedMs: number) {
    this.#owner = owner;
    this.number = number;
    this.endpoint = endpoint;
    this.startedMs = startedMs;
  }

  pass(): void {
    this.#state = "passing";
  }

  discard(clock: GatewayClock): void {
    this.#state = "discarding";
    this.#discardTimer = clock.startTimer(MAX_DISCARD_MS, () => this.cancel());
  }

  /** Whether somebody was still waiting for it. */
  cancel(): boolean {
    const wasWaiting = this.#state === "waiting" || this.#state === "passing";
    this.#end();
    this.running?.cancel();
    return wasWaiting;
  }

  onHints(fields: Fields): void {
    if (this.#state === "waiting") this.#owner.takeHints(fields);
  }

  onHead(head: ResponseHead): void {
    if (this.#state === "waiting") this.#owner.guard(() => this.#owner.takeHead(this, head));
  }

  onData(chunk: Buffer): boolean {
    if (this.#state === "passing") return this.#owner.takeData(chunk);
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > MAX_DISCARDED_BYTES) this.cancel();
    return true;
  }

  onEnd(trailers: Fields): void {
    const isPassing = this.#state === "passing";
    this.#end();
    if (isPassing) this.#owner.guard(() => this.#owner.takeEnd(trailers));
  }

  onFail(failure: AttemptFailure): void {
    const isAwaited = this.#state === "waiting" || this.#state === "passing";
    this.#end();
    if (isAwaited) this.#owner.guard(() => this.#owner.takeFailure(this, failure));
  }

  onUpgrade(head: ResponseHead, connection: Duplex): void {
    if (this.#state !== "waiting") {
      connection.destroy();
      return;
    }
    this.#end();
    this.#owner.guard(() => this.#owner.takeUpgrade(this, head, connection));
  }

  #end(): void {
    this.#state = "over";
    this.#discardTimer?.cancel();
  }
}

import type { Duplex } from "node:stream";
import type { Endpoint } from "../../core/dataplane/gateway-config.ts";
import type { GatewayClock, GatewayTimer } from "../contract/gateway-clock.ts";
import type { HeaderList } from "../contract/header-list.ts";
import type { AttemptFailure, AttemptSink, ResponseHead, RunningAttempt } from "../contract/upstream.ts";

/** The part of a request that receives the events of its attempts. */
export interface AttemptOwner {
  /** Runs a step of the request. An exception in it ends only this request. */
  readonly guard: (step: () => void) => void;
  readonly takeHints: (headers: HeaderList) => void;
  readonly takeHead: (attempt: Attempt, head: ResponseHead) => void;
  /** False: no more data until `resume`. */
  readonly takeData: (chunk: Buffer) => boolean;
  readonly takeEnd: (trailers: HeaderList) => void;
  readonly takeFailure: (attempt: Attempt, failure: AttemptFailure) => void;
  readonly takeUpgrade: (attempt: Attempt, head: ResponseHead, connection: Duplex) => void;
}

/** Limits for reading a response that is not forwarded, so that its connection can be reused. */
const MAX_DISCARDED_BYTES = 65_536;
const MAX_DISCARD_MS = 1000;

/** One attempt. Events that arrive after the next attempt has begun are ignored. */
export class Attempt implements AttemptSink {
  readonly number: number;
  readonly endpoint: Endpoint;
  readonly startedMs: number;
  running: RunningAttempt | undefined;
  readonly #owner: AttemptOwner;
  #state: "waiting" | "forwarding" | "discarding" | "over" = "waiting";
  #discardedBytes = 0;
  #discardTimer: GatewayTimer | undefined;

  constructor(owner: AttemptOwner, number: number, endpoint: Endpoint, startedMs: number) {
    this.#owner = owner;
    this.number = number;
    this.endpoint = endpoint;
    this.startedMs = startedMs;
  }

  forward(): void {
    this.#state = "forwarding";
  }

  discard(clock: GatewayClock): void {
    this.#state = "discarding";
    this.#discardTimer = clock.startTimer(MAX_DISCARD_MS, () => this.cancel());
  }

  /** Returns true if the request was still waiting for its response. */
  cancel(): boolean {
    const wasWaiting = this.#state === "waiting" || this.#state === "forwarding";
    this.#end();
    this.running?.cancel();
    return wasWaiting;
  }

  onHints(headers: HeaderList): void {
    if (this.#state === "waiting") this.#owner.takeHints(headers);
  }

  onHead(head: ResponseHead): void {
    if (this.#state === "waiting") this.#owner.guard(() => this.#owner.takeHead(this, head));
  }

  onData(chunk: Buffer): boolean {
    if (this.#state === "forwarding") return this.#owner.takeData(chunk);
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > MAX_DISCARDED_BYTES) this.cancel();
    return true;
  }

  onEnd(trailers: HeaderList): void {
    const isForwarding = this.#state === "forwarding";
    this.#end();
    if (isForwarding) this.#owner.guard(() => this.#owner.takeEnd(trailers));
  }

  onFail(failure: AttemptFailure): void {
    const isAwaited = this.#state === "waiting" || this.#state === "forwarding";
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

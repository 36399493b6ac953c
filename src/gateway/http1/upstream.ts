import type { AttemptSink, RunningAttempt, Upstream, UpstreamRequest } from "../contract/upstream.ts";
import { type ConnectionOptions, Http1Connection } from "./upstream-connection.ts";

/** A pool of HTTP/1.1 connections to one endpoint, one request at a time on each. */
export function createHttp1Upstream(options: Omit<ConnectionOptions, "onFree" | "onGone">): Upstream {
  return new Http1Pool(options);
}

class Http1Pool implements Upstream {
  readonly #options: ConnectionOptions;
  readonly #all = new Set<Http1Connection>();
  /** A stack: the connection used last is used next, so that surplus connections become old and are closed. */
  readonly #idle: Http1Connection[] = [];
  /** Requests that wait for a connection, in order. A set, so that a cancelled request can be removed at once. */
  readonly #waiting = new Set<Http1Attempt>();
  /** A counter instead of a set: a long-lived set would keep finished requests in memory until the next full garbage collection. */
  #running = 0;
  readonly #onOver = (over: Http1Attempt): void => {
    this.#running--;
    this.#waiting.delete(over);
  };
  #isClosed = false;

  constructor(options: Omit<ConnectionOptions, "onFree" | "onGone">) {
    this.#options = {
      ...options,
      onFree: (connection) => this.#free(connection),
      onGone: (connection) => this.#forget(connection),
    };
  }

  send(request: UpstreamRequest, sink: AttemptSink): RunningAttempt {
    const started = new Http1Attempt(request, sink, this.#onOver);
    this.#running++;
    const idle = this.#takeIdle();
    if (idle !== undefined) started.startOn(idle);
    else if (this.#all.size < this.#options.limits.maxConnectionsPerEndpoint) started.startOn(this.#open());
    else this.#waiting.add(started);
    return started;
  }

  sweep(): void {
    const nowMs = this.#options.clock.nowMs();
    for (const connection of this.#idle.filter((one) => !one.isUsable(nowMs))) connection.cancel();
    for (const connection of this.#all) connection.checkTime(nowMs);
  }

  running(): number {
    return this.#running;
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.cancel();
  }

  /** The connection on top was used last: if it is too old, all are. */
  #takeIdle(): Http1Connection | undefined {
    const idle = this.#idle.pop();
    if (idle === undefined || idle.isUsable(this.#options.clock.nowMs())) return idle;
    idle.cancel();
    this.sweep();
    return undefined;
  }

  #open(): Http1Connection {
    const connection = new Http1Connection(this.#options);
    this.#all.add(connection);
    return connection;
  }

  #free(connection: Http1Connection): void {
    const next = this.#nextWaiting();
    if (next !== undefined) next.startOn(connection);
    else if (this.#isClosed) connection.cancel();
    else this.#idle.push(connection);
  }

  #forget(connection: Http1Connection): void {
    this.#all.delete(connection);
    const index = this.#idle.lastIndexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    const next = this.#nextWaiting();
    if (next !== undefined) next.startOn(this.#open());
  }

  #nextWaiting(): Http1Attempt | undefined {
    const [next] = this.#waiting;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }
}

/** A request that waits for a connection, or uses one. */
class Http1Attempt implements RunningAttempt, AttemptSink {
  #isOver = false;
  readonly #request: UpstreamRequest;
  readonly #sink: AttemptSink;
  readonly #onOver: (over: Http1Attempt) => void;
  #connection: Http1Connection | undefined;

  constructor(request: UpstreamRequest, sink: AttemptSink, onOver: (over: Http1Attempt) => void) {
    this.#request = request;
    this.#sink = sink;
    this.#onOver = onOver;
  }

  startOn(connection: Http1Connection): void {
    this.#connection = connection;
    connection.send(this.#request, this);
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#end();
    if (this.#connection === undefined) this.#request.body?.destroy();
    else this.#connection.abandon();
  }

  resume(): void {
    if (!this.#isOver) this.#connection?.resume();
  }

  onHints(headers: readonly string[]): void {
    this.#sink.onHints(headers);
  }

  onHead(head: Parameters<AttemptSink["onHead"]>[0]): void {
    this.#sink.onHead(head);
  }

  onData(chunk: Buffer): boolean {
    return this.#sink.onData(chunk);
  }

  onEnd(trailers: readonly string[]): void {
    this.#end();
    this.#sink.onEnd(trailers);
  }

  onFail(failure: Parameters<AttemptSink["onFail"]>[0]): void {
    this.#end();
    this.#sink.onFail(failure);
  }

  onUpgrade(...upgrade: Parameters<AttemptSink["onUpgrade"]>): void {
    this.#end();
    this.#sink.onUpgrade(...upgrade);
  }

  #end(): void {
    this.#isOver = true;
    this.#onOver(this);
  }
}

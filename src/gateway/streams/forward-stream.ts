/** Forwards one connection of a client to an endpoint, as bytes. */
import { connect, type Socket } from "node:net";
import { connect as connectSecure, TLSSocket } from "node:tls";
import type { Endpoint } from "../../core/dataplane/gateway-config.ts";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import type { GatewayLimits } from "../contract/gateway-limits.ts";
import type { UpstreamTls } from "../contract/upstream.ts";
import { upstreamTlsOptions } from "../upstream/upstream-tls-options.ts";

export interface StreamOptions {
  readonly clock: GatewayClock;
  readonly limits: Pick<GatewayLimits, "connectMs" | "connectAttempts" | "streamIdleMs">;
  /** Undefined: there are no endpoints. */
  readonly pickEndpoint: (used: readonly Endpoint[]) => Endpoint | undefined;
  /** Records whether an endpoint accepted the connection. */
  readonly onConnected: (endpoint: Endpoint, hasFailed: boolean) => void;
  /** Undefined: plain text, or TLS of the client. */
  readonly tls: UpstreamTls | undefined;
  /** Called once, when both connections are closed. */
  readonly onFinished: (outcome: StreamOutcome) => void;
}

export interface StreamOutcome {
  /** Undefined: both sides finished, or one was idle for too long. */
  readonly failure: "NoEndpoints" | "NotConnected" | "Reset" | "ClientGone" | undefined;
  /** For logs only, because it may contain addresses. */
  readonly reason: string | undefined;
  /** Bytes from the client. */
  readonly receivedBytes: number;
  /** Bytes to the client. */
  readonly sentBytes: number;
  readonly attempts: number;
}

/** The client's socket may have bytes in its buffer. */
export function forwardStream(client: Socket, options: StreamOptions): void {
  new StreamForwarding(client, options).start();
}

class StreamForwarding {
  readonly #client: Socket;
  readonly #options: StreamOptions;
  readonly #used: Endpoint[] = [];
  #receivedBytes = 0;
  #sentBytes = 0;
  #failure: StreamOutcome["failure"];
  #reason: string | undefined;
  #isFinished = false;

  constructor(client: Socket, options: StreamOptions) {
    this.#client = client;
    this.#options = options;
  }

  start(): void {
    const client = this.#client;
    // Each side may finish while the other still sends.
    client.allowHalfOpen = true;
    client.pause();
    // An error is followed by `close`.
    client.on("error", (error) => this.#fail("ClientGone", error.message));
    client.on("close", () => this.#finish());
    this.#connect();
  }

  #connect(): void {
    const { pickEndpoint, clock, limits } = this.#options;
    if (this.#client.destroyed) return;
    const endpoint = pickEndpoint(this.#used);
    if (endpoint === undefined) return this.#refuse("NoEndpoints", "the backend has no endpoints");
    this.#used.push(endpoint);
    const backend = this.#open(endpoint);
    const timer = clock.startTimer(limits.connectMs, () => backend.destroy(new Error("connecting took too long")));
    const onClosed = (): void => void backend.destroy();
    let reason = "the connection was closed";
    const onError = (error: Error): void => {
      reason = error.message;
    };
    const onFailed = (): void => {
      timer.cancel();
      this.#client.off("close", onClosed);
      if (!this.#client.destroyed) this.#options.onConnected(endpoint, true);
      // Nothing was sent, so another endpoint may get the connection.
      if (this.#used.length < limits.connectAttempts) return this.#connect();
      this.#refuse("NotConnected", reason);
    };
    backend.on("error", onError);
    backend.on("close", onFailed);
    this.#client.on("close", onClosed);
    backend.once(this.#options.tls === undefined ? "connect" : "secureConnect", () => {
      timer.cancel();
      this.#options.onConnected(endpoint, false);
      backend.off("error", onError);
      backend.off("close", onFailed);
      this.#client.off("close", onClosed);
      this.#join(backend);
    });
  }

  #open({ address: host, port }: Endpoint): Socket {
    const { tls } = this.#options;
    const common = { host, port, allowHalfOpen: true, noDelay: true };
    return tls === undefined ? connect(common) : connectSecure({ ...common, ...upstreamTlsOptions(tls) });
  }

  #refuse(failure: "NoEndpoints" | "NotConnected", reason: string): void {
    this.#fail(failure, reason);
    abort(this.#client);
    this.#finish();
  }

  /** Forwards bytes both ways. When one side has finished, the other may still send. */
  #join(backend: Socket): void {
    const client = this.#client;
    client.on("data", (chunk) => (this.#receivedBytes += chunk.length));
    backend.on("data", (chunk) => (this.#sentBytes += chunk.length));
    backend.on("error", (error) => this.#fail("Reset", error.message));
    abortWith(client, backend);
    abortWith(backend, client);
    client.setTimeout(this.#options.limits.streamIdleMs, () => {
      this.#reason = "the connection was idle for too long";
      client.destroy();
      backend.destroy();
    });
    client.pipe(backend);
    backend.pipe(client);
  }

  #fail(failure: StreamOutcome["failure"], reason: string): void {
    this.#failure ??= failure;
    this.#reason ??= reason;
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#options.onFinished({
      failure: this.#failure,
      reason: this.#reason,
      receivedBytes: this.#receivedBytes,
      sentBytes: this.#sentBytes,
      attempts: this.#used.length,
    });
  }
}

/** If a connection closes before it has finished, the other one is aborted, so that its peer can detect that. */
function abortWith(one: Socket, other: Socket): void {
  one.on("close", () => {
    if (!one.readableEnded || one.errored !== null) abort(other);
  });
}

/** With TLS, the missing `close_notify` is the sign. */
function abort(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

import type { Socket } from "node:net";
import type { HandshakeFailureReason } from "../../adapters/sockets/failed-handshakes.ts";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import { MAX_HELLO_BYTES, readClientHello } from "./read-client-hello.ts";

export interface PeekOptions {
  readonly clock: GatewayClock;
  /** How long the client may take to send its first message. */
  readonly patienceMs: number;
  /** The connection is paused, and all bytes that were read are in its buffer again. */
  readonly onName: (serverName: string) => void;
  /** The connection is closed. */
  readonly onFailure: (reason: HandshakeFailureReason, message: string) => void;
}

/** The records of a ClientHello have headers of their own. */
const MAX_BYTES = MAX_HELLO_BYTES + 1024;

/** Reads the TLS server name that a client sends first. */
export function peekServerName(socket: Socket, { clock, patienceMs, onName, onFailure }: PeekOptions): void {
  let bytes: Buffer = Buffer.alloc(0);
  const stop = (): void => {
    timer.cancel();
    socket.off("data", take);
    socket.off("close", leave);
  };
  const fail = (reason: HandshakeFailureReason, message: string): void => {
    stop();
    socket.destroy();
    onFailure(reason, message);
  };
  const take = (chunk: Buffer): void => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const read = readClientHello(bytes);
    switch (read.state) {
      case "incomplete":
        if (bytes.length > MAX_BYTES) fail("protocol", "the ClientHello is too long");
        return;
      case "invalid":
        return fail("protocol", read.reason);
      case "hello":
        stop();
        socket.pause();
        socket.unshift(bytes);
        return onName(read.serverName);
    }
  };
  const leave = (): void => fail("disconnected", "the client disconnected before its ClientHello");
  const timer = clock.startTimer(patienceMs, () => fail("timed_out", "the client sent no ClientHello in time"));
  socket.on("data", take);
  socket.on("close", leave);
  // An error is followed by `close`.
  socket.on("error", () => {});
}

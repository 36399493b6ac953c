import type { Server, TLSSocket } from "node:tls";

export interface HandshakeFailure {
  readonly reason: HandshakeFailureReason;
  /** The client's address. Empty: the client has disconnected. */
  readonly client: string;
  /** For logs. */
  readonly message: string;
}

export type HandshakeFailureReason =
  | "timed_out"
  /** No listener serves the server name of the client. */
  | "server_name"
  /** The client's certificate is missing or not trusted. */
  | "certificate"
  | "disconnected"
  /** The bytes are not TLS, or both sides have no version or cipher in common. */
  | "protocol";

/** The error of an `SNICallback` that refuses a server name. */
export class UnknownServerName extends Error {}

/** Closes each connection whose handshake fails or takes too long. Node only reports it and leaves the connection open. */
export function closeFailedHandshakes(server: Server, onFailure: (failure: HandshakeFailure) => void): void {
  server.on("tlsClientError", (error, socket) => {
    // An error of the `SNICallback` is reported as a lost connection.
    const cause = socket.errored ?? error;
    onFailure({
      reason: reasonOf(cause, socket),
      client: socket.remoteAddress ?? "",
      message: messageOf(cause, socket),
    });
    socket.destroy();
  });
}

function reasonOf(error: Error, socket: TLSSocket): HandshakeFailureReason {
  if (error instanceof UnknownServerName) return "server_name";
  // Node closes the connection of a client without a valid certificate, and reports only the lost connection.
  if (refusalOf(socket) !== undefined) return "certificate";
  switch (codeOf(error)) {
    case "ERR_TLS_HANDSHAKE_TIMEOUT":
      return "timed_out";
    case "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE":
      return "certificate";
    case "ECONNRESET":
    case "EPIPE":
      return "disconnected";
    default:
      return "protocol";
  }
}

const codeOf = (error: Error): unknown => ("code" in error ? error.code : undefined);

/** Why the client's certificate is not valid: a code, whatever its type says. */
function refusalOf(socket: TLSSocket): string | undefined {
  const code: unknown = socket.authorizationError;
  return typeof code === "string" ? code : undefined;
}

function messageOf(error: Error, socket: TLSSocket): string {
  const refusal = refusalOf(socket);
  return refusal === undefined ? error.message : `the certificate is not valid (${refusal})`;
}

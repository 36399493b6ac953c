import type { HandshakeFailure } from "../../adapters/sockets/failed-handshakes.ts";
import type { XdsEvent } from "../../xds/serve/xds-event.ts";

/** Health checks and port scans connect without a handshake, so only what an operator must correct is logged. */
function formatHandshakeFailure({ reason, client, message }: HandshakeFailure): string | undefined {
  const who = client === "" ? "a client" : client;
  return reason === "certificate" || reason === "protocol" ? `${who} was turned away: TLS: ${message}` : undefined;
}

/** Formats an event for the log. Undefined if the event is not logged. */
export function formatEvent(event: XdsEvent): string | undefined {
  switch (event.type) {
    case "Connected":
      return `Envoy ${event.node} has come, for Gateway ${event.gateway}`;
    case "Disconnected":
      return `Envoy ${event.node} has gone`;
    case "Refused":
      return `Envoy ${event.node} refuses ${event.refusal.type} ${event.refusal.name}: ${event.refusal.reason}`;
    case "Rejected":
      return `${event.node} was turned away: ${event.reason}`;
    case "HandshakeFailed":
      return formatHandshakeFailure(event.failure);
    case "Sent":
    case "Received":
    case "Current":
      return undefined;
  }
}

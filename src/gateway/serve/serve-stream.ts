/** Serves one connection that is not HTTP: finds the rule of its server name, and forwards it, or closes it. */
import type { Socket } from "node:net";
import type { BackendConfig, ListenerConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import { clientAddress } from "../contract/http-exchange.ts";
import type { ConnectionFinished, RequestFlag } from "../observe/gateway-event.ts";
import { forwardStream, type StreamOutcome } from "../streams/forward-stream.ts";
import { pickBackend } from "./pick-backend.ts";
import type { PreparedPort } from "./prepared-port.ts";
import type { ServingContext } from "./serving-context.ts";

/** `serverName`: empty without TLS, or if the client sent none. */
export interface StreamConnection {
  readonly socket: Socket;
  readonly serverName: string;
  readonly listener: ListenerConfig;
}

export function serveStream(context: ServingContext, port: PreparedPort, connection: StreamConnection): void {
  const { socket, listener, serverName } = connection;
  const finish = createFinish(context, port, connection);
  const refuse = (flag: RequestFlag, reason: string, rule?: RuleConfig): void => {
    // An error is followed by `close`.
    socket.on("error", () => {});
    socket.destroy();
    finish({ rule, flags: [flag], reason });
  };
  const rule = port.routes.findStream(listener, serverName)?.rule;
  if (rule === undefined) return refuse("NoRoute", "no route matches");
  const { action } = rule;
  if (action.type !== "Forward") {
    return refuse("Unavailable", action.type === "Respond" ? action.reason : "the rule does not forward", rule);
  }
  const { target } = pickBackend(action.backends, context.clock.random());
  if (target.type === "Unavailable") return refuse("Unavailable", target.reason, rule);
  const { backend } = target;
  const found = port.lookup.tlsOf(backend);
  if (found.state === "unusable") return refuse("Unavailable", found.message, rule);
  const { upstreams } = context;
  const endpoints = port.lookup.endpointsOf(backend.endpoints);
  forwardStream(socket, {
    clock: context.clock,
    limits: context.limits,
    pickEndpoint: (used) => upstreams.pick(backend.endpoints, endpoints, used),
    onConnected: (endpoint, hasFailed) => upstreams.record(backend.endpoints, endpoints, endpoint, hasFailed),
    tls: found.state === "tls" ? found.tls : undefined,
    onFinished: (outcome) => finish({ rule, backend, ...finishedOf(outcome) }),
  });
}

type Finished = Pick<ConnectionFinished, "flags" | "reason"> &
  Partial<Pick<ConnectionFinished, "receivedBytes" | "sentBytes" | "attempts">> & {
    readonly rule?: RuleConfig | undefined;
    readonly backend?: BackendConfig;
  };

const finishedOf = ({ failure, ...rest }: StreamOutcome): Omit<Finished, "rule" | "backend"> => ({
  ...rest,
  flags: failure === undefined ? [] : [failure],
});

/** Reports the connection once it has ended. */
function createFinish(
  { clock, emit }: ServingContext,
  { gateway, config }: PreparedPort,
  { socket, serverName }: StreamConnection,
): (finished: Finished) => void {
  const startedAtMs = clock.wallClockMs();
  const startedMs = clock.nowMs();
  // The address is not known any more after the connection is closed.
  const client = clientAddress(socket.remoteAddress);
  return ({ rule, backend, flags, reason, receivedBytes = 0, sentBytes = 0, attempts = 0 }) =>
    emit({
      type: "ConnectionFinished",
      startedAtMs,
      durationMs: clock.nowMs() - startedMs,
      client,
      gateway,
      port: config.port,
      serverName,
      rule,
      backend,
      receivedBytes,
      sentBytes,
      attempts,
      flags,
      reason,
    });
}

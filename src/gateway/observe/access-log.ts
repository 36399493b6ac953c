/** Formats one access log line per request, or per connection that is not HTTP, as text or as JSON. */

import type { BackendConfig } from "../../core/dataplane/gateway-config.ts";
import { formatRef } from "../../core/model/refs.ts";
import type { ConnectionFinished, GatewayEvent, RequestFinished, RequestRefused } from "./gateway-event.ts";

export type AccessLogFormat = "text" | "json";

/** Undefined: the event is not part of the access log. */
export function formatAccessLine(event: GatewayEvent, format: AccessLogFormat, nowMs: number): string | undefined {
  switch (event.type) {
    case "RequestFinished":
      return format === "json" ? `${JSON.stringify(finishedJson(event))}\n` : `${finishedText(event)}\n`;
    case "RequestRefused":
      return format === "json" ? `${JSON.stringify(refusedJson(event, nowMs))}\n` : `${refusedText(event, nowMs)}\n`;
    case "ConnectionFinished":
      return format === "json" ? `${JSON.stringify(connectionJson(event))}\n` : `${connectionText(event)}\n`;
    case "HandshakeFailed":
    case "AttemptFinished":
    case "RetryScheduled":
    case "BudgetRefused":
      return undefined;
  }
}

const time = (ms: number): string => new Date(ms).toISOString();
const milliseconds = (ms: number): number => Math.round(ms * 10) / 10;
const target = ({ path, query }: RequestFinished): string => (query === "" ? path : `${path}?${query}`);
const ruleName = ({ rule }: Pick<RequestFinished, "rule">): string | undefined =>
  rule === undefined ? undefined : formatRef(rule.route, rule.rule);
const backendName = (backend: BackendConfig | undefined): string | undefined =>
  backend === undefined ? undefined : `${formatRef(backend.object)}:${backend.port}`;

/** Quotes text of clients as JSON, so that it cannot contain a line break. */
const quoted = (text: string): string => JSON.stringify(text);

/** `… 127.0.0.1 "GET baker.example/menu HTTP/1.1" 200 12B 7.3ms HTTPRoute bakery/baker#menu → Service bakery/baker:8080, 2 attempts`. */
function finishedText(event: RequestFinished): string {
  const { startedAtMs, client, method, host, protocol, status, responseBytes, durationMs } = event;
  const request = quoted(`${method} ${host}${target(event)} ${protocol}`);
  const head = `${time(startedAtMs)} ${client} ${request} ${status ?? "-"} ${responseBytes}B ${milliseconds(durationMs)}ms`;
  return withNotes(head, event);
}

/** `… 127.0.0.1 "connection to db.example" received 12B sent 90B 7.3ms TLSRoute bakery/db#rule-1 → Service bakery/db:5432`. */
function connectionText(event: ConnectionFinished): string {
  const { startedAtMs, client, serverName, port, receivedBytes, sentBytes, durationMs } = event;
  const connection = quoted(`connection to ${serverName === "" ? `port ${port}` : serverName}`);
  const bytes = `received ${receivedBytes}B sent ${sentBytes}B`;
  return withNotes(`${time(startedAtMs)} ${client} ${connection} ${bytes} ${milliseconds(durationMs)}ms`, event);
}

/** The rule and the backend, and what was unusual. */
function withNotes(head: string, event: RequestFinished | ConnectionFinished): string {
  const { attempts, flags, reason } = event;
  const served = [ruleName(event), backendName(event.backend)].filter((part) => part !== undefined).join(" → ");
  const notes = [
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(flags.length > 0 ? [flags.join(" ")] : []),
    ...(reason === undefined ? [] : [reason]),
  ];
  const tail = [...(served === "" ? [] : [served]), ...notes].join(", ");
  return tail === "" ? head : `${head} ${tail}`;
}

const connectionJson = (event: ConnectionFinished): object => ({
  time: time(event.startedAtMs),
  client: event.client,
  gateway: formatRef(event.gateway),
  port: event.port,
  serverName: event.serverName,
  receivedBytes: event.receivedBytes,
  sentBytes: event.sentBytes,
  durationMs: milliseconds(event.durationMs),
  route: ruleName(event),
  backend: backendName(event.backend),
  attempts: event.attempts,
  flags: event.flags,
  reason: event.reason,
});

const finishedJson = (event: RequestFinished): object => ({
  time: time(event.startedAtMs),
  client: event.client,
  protocol: event.protocol,
  gateway: formatRef(event.gateway),
  port: event.port,
  method: event.method,
  host: event.host,
  path: event.path,
  query: event.query,
  userAgent: event.userAgent,
  status: event.status,
  responseBytes: event.responseBytes,
  durationMs: milliseconds(event.durationMs),
  route: ruleName(event),
  backend: backendName(event.backend),
  attempts: event.attempts,
  flags: event.flags,
  reason: event.reason,
});

const refusedText = ({ client, status, reason }: RequestRefused, nowMs: number): string =>
  `${time(nowMs)} ${client} - ${status} refused: ${reason}`;

const refusedJson = ({ client, gateway, port, status, reason }: RequestRefused, nowMs: number): object => ({
  time: time(nowMs),
  client,
  gateway: formatRef(gateway),
  port,
  status,
  flags: ["BadRequest"],
  reason,
});

/** Answers that the gateway gives in the place of a backend: plain text that names the route and never an address. */
import { STATUS_CODES } from "node:http";
import type { ClientExchange } from "./client-exchange.ts";
import { type Fields, findValue } from "./fields.ts";
import type { RequestHead } from "./request-head.ts";

export interface OwnAnswer {
  readonly status: number;
  readonly message: string;
  readonly fields?: Fields;
  /** The connection cannot be used for another request. */
  readonly isLast?: boolean;
}

/** The bytes of its body. */
export function sendOwnAnswer(
  exchange: ClientExchange,
  head: RequestHead | undefined,
  { status, message, fields = [], isLast = false }: OwnAnswer,
): number {
  if (head !== undefined && isGrpc(head.fields)) {
    sendGrpcAnswer(exchange, status, message, isLast);
    return 0;
  }
  const hasBody = status >= 400;
  const body = Buffer.from(hasBody ? `${status} ${STATUS_CODES[status] ?? ""}: ${message}\n` : "");
  const framing = hasBody ? ["content-type", "text/plain; charset=utf-8"] : [];
  const length = status === 204 ? [] : ["content-length", String(body.length)];
  exchange.sendHead({ status, statusText: "", fields: [...fields, ...framing, ...length], isLast });
  if (hasBody && head?.method !== "HEAD") exchange.write(body);
  exchange.end([]);
  return head?.method === "HEAD" ? 0 : body.length;
}

const isGrpc = (fields: Fields): boolean =>
  /^application\/grpc(?:$|[+;])/i.test(findValue(fields, "content-type") ?? "");

/** gRPC, "HTTP to gRPC status code mapping", from the point of view of a proxy that knows more. */
const GRPC_STATUS: ReadonlyMap<number, number> = new Map([
  [400, 13],
  [401, 16],
  [403, 7],
  [404, 12],
  [500, 14],
  [503, 14],
  [504, 4],
]);

/** A gRPC client expects 200, and the failure as `grpc-status`. */
function sendGrpcAnswer(exchange: ClientExchange, status: number, message: string, isLast: boolean): void {
  exchange.sendHead({
    status: 200,
    statusText: "",
    fields: [
      "content-type",
      "application/grpc",
      "grpc-status",
      String(GRPC_STATUS.get(status) ?? 2),
      "grpc-message",
      message.replace(/[^ -$&-~]/g, (character) => encodeURIComponent(character)),
      ...(exchange.protocol === "HTTP/2" ? [] : ["content-length", "0"]),
    ],
    isLast,
  });
  exchange.end([]);
}

/** Responses of the gateway itself: plain text that names the route and never an address. */
import { STATUS_CODES } from "node:http";
import { findHeader, type HeaderList } from "../contract/header-list.ts";
import type { HttpExchange } from "../contract/http-exchange.ts";
import type { RequestHead } from "../contract/request-head.ts";

export interface LocalResponse {
  readonly status: number;
  readonly message: string;
  readonly headers?: HeaderList;
  /** True if an HTTP/1 connection is closed after this response. */
  readonly isLast?: boolean;
}

/** Returns the size of the body that was sent. */
export function sendLocalResponse(
  exchange: HttpExchange,
  head: RequestHead | undefined,
  { status, message, headers = [], isLast = false }: LocalResponse,
): number {
  if (head !== undefined && isGrpc(head.headers)) {
    sendGrpcResponse(exchange, status, message, isLast);
    return 0;
  }
  const hasBody = status >= 400;
  const body = Buffer.from(hasBody ? `${status} ${STATUS_CODES[status] ?? ""}: ${message}\n` : "");
  const framing = hasBody ? ["content-type", "text/plain; charset=utf-8"] : [];
  const length = status === 204 ? [] : ["content-length", String(body.length)];
  exchange.sendHead({ status, statusText: "", headers: [...headers, ...framing, ...length], isLast });
  if (hasBody && head?.method !== "HEAD") exchange.write(body);
  exchange.end([]);
  return head?.method === "HEAD" ? 0 : body.length;
}

const isGrpc = (headers: HeaderList): boolean =>
  /^application\/grpc(?:$|[+;])/i.test(findHeader(headers, "content-type") ?? "");

/** gRPC, "HTTP to gRPC status code mapping", with more precise codes where the gateway knows the cause. */
const GRPC_STATUS: ReadonlyMap<number, number> = new Map([
  [400, 13],
  [401, 16],
  [403, 7],
  [404, 12],
  [500, 14],
  [503, 14],
  [504, 4],
]);

/** A gRPC client expects status 200 and the error as `grpc-status`. */
function sendGrpcResponse(exchange: HttpExchange, status: number, message: string, isLast: boolean): void {
  exchange.sendHead({
    status: 200,
    statusText: "",
    headers: [
      "content-type",
      "application/grpc",
      "grpc-status",
      String(GRPC_STATUS.get(status) ?? 2),
      "grpc-message",
      message.replace(/[^ -$&-~]/g, (character) => encodeURIComponent(character)),
      ...(exchange.protocol === "HTTP/2" ? [] : ["content-length", "0"]),
    ],
    isLast,
    isWhole: true,
  });
  exchange.end([]);
}

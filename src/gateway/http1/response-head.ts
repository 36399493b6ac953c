/** Formats the head of an HTTP/1.1 response, and decides how its body is framed. Framing headers of backends and filters are ignored. */
import { STATUS_CODES } from "node:http";
import { formatHeader } from "../contract/header-list.ts";
import { isHopByHop } from "../contract/hop-by-hop.ts";
import type { ClientResponseHead } from "../contract/http-exchange.ts";

export interface ResponseContext {
  readonly isHead: boolean;
  readonly isHttp10: boolean;
  /** True if the connection may be used for another request. */
  readonly keepsAlive: boolean;
  readonly keepAliveMs: number;
  readonly wallClockMs: () => number;
}

export interface FormattedHead {
  readonly text: string;
  readonly framing: ResponseFraming;
  readonly keepsAlive: boolean;
}

export type ResponseFraming =
  | { readonly type: "None" }
  | { readonly type: "Length"; readonly bytes: number }
  | { readonly type: "Chunked" }
  /** The response ends when the connection closes, for clients of HTTP/1.0. */
  | { readonly type: "UntilClose" };

const NO_BODY: ResponseFraming = { type: "None" };
const CHUNKED: ResponseFraming = { type: "Chunked" };
const UNTIL_CLOSE: ResponseFraming = { type: "UntilClose" };

export function formatResponseHead(head: ClientResponseHead, context: ResponseContext): FormattedHead {
  const { status, headers } = head;
  const hasNoBody = context.isHead || status === 204 || status === 304;
  let text = formatStatusLine(head);
  let length: string | undefined;
  let hasDate = false;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    const value = headers[i + 1] ?? "";
    if (name === "content-length") {
      // RFC 9110, 8.6: no Content-Length with 204. Only filters can produce several; the first one is used.
      if (length !== undefined || status === 204 || !/^[0-9]{1,15}$/.test(value)) continue;
      length = value;
    } else if (isHopByHop(name)) continue;
    hasDate ||= name === "date";
    text += formatHeader(name, value);
  }
  if (!hasDate) text += `date: ${httpDate(context.wallClockMs())}\r\n`;
  const framing = hasNoBody ? NO_BODY : bodyFraming(length, context);
  if (framing === CHUNKED) text += "transfer-encoding: chunked\r\n";
  const keepsAlive = context.keepsAlive && !head.isLast && framing !== UNTIL_CLOSE;
  text += keepsAlive ? formatKeepAlive(context.keepAliveMs) : "connection: close\r\n\r\n";
  return { text, framing, keepsAlive };
}

function bodyFraming(length: string | undefined, { isHttp10 }: ResponseContext): ResponseFraming {
  if (length !== undefined) return { type: "Length", bytes: Number(length) };
  return isHttp10 ? UNTIL_CLOSE : CHUNKED;
}

export const formatStatusLine = ({ status, statusText }: Pick<ClientResponseHead, "status" | "statusText">): string =>
  `HTTP/1.1 ${status} ${statusText === "" ? (STATUS_CODES[status] ?? "") : statusText}\r\n`;

/** The client learns how long the connection is kept, so that it does not send a request on a connection that is being closed. */
const formatKeepAlive = (keepAliveMs: number): string =>
  `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;

/** The date of one second, shared by all connections: it depends on the second alone. */
let dateSecond = Number.NaN;
let dateText = "";

/** Formats the date once per second. */
function httpDate(wallClockMs: number): string {
  const second = Math.floor(wallClockMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(wallClockMs).toUTCString();
  }
  return dateText;
}

/** The head of an answer of HTTP/1.1 as text, and how its body is framed: decided here, whatever a backend or a filter says about it. */
import { STATUS_CODES } from "node:http";
import type { AnswerHead } from "./client-exchange.ts";
import { fieldText } from "./fields.ts";
import { isHopByHop } from "./hop-by-hop.ts";

export interface AnswerContext {
  readonly isHead: boolean;
  readonly isHttp10: boolean;
  /** Whether the connection may be used again. */
  readonly keepsAlive: boolean;
  readonly keepAliveMs: number;
  readonly wallClockMs: () => number;
}

export interface Http1AnswerHead {
  readonly text: string;
  readonly framing: AnswerFraming;
  readonly keepsAlive: boolean;
}

export type AnswerFraming =
  | { readonly type: "None" }
  | { readonly type: "Length"; readonly bytes: number }
  | { readonly type: "Chunked" }
  /** For clients that know no chunks: the answer ends with the connection. */
  | { readonly type: "UntilClose" };

const NO_BODY: AnswerFraming = { type: "None" };
const CHUNKED: AnswerFraming = { type: "Chunked" };
const UNTIL_CLOSE: AnswerFraming = { type: "UntilClose" };

export function buildAnswerHead(head: AnswerHead, context: AnswerContext): Http1AnswerHead {
  const { status, fields } = head;
  const hasNoBody = context.isHead || status === 204 || status === 304;
  let text = statusLine(head);
  let length: string | undefined;
  let hasDate = false;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? "";
    const value = fields[i + 1] ?? "";
    if (name === "content-length") {
      // RFC 9110, 8.6: not with 204. Of several, which only filters can make, the first counts.
      if (length !== undefined || status === 204 || !/^[0-9]{1,15}$/.test(value)) continue;
      length = value;
    } else if (isHopByHop(name)) continue;
    hasDate ||= name === "date";
    text += fieldText(name, value);
  }
  if (!hasDate) text += `date: ${httpDate(context.wallClockMs())}\r\n`;
  const framing = hasNoBody ? NO_BODY : bodyFraming(length, context);
  if (framing === CHUNKED) text += "transfer-encoding: chunked\r\n";
  const keepsAlive = context.keepsAlive && !head.isLast && framing !== UNTIL_CLOSE;
  text += keepsAlive ? keepAliveText(context.keepAliveMs) : "connection: close\r\n\r\n";
  return { text, framing, keepsAlive };
}

function bodyFraming(length: string | undefined, { isHttp10 }: AnswerContext): AnswerFraming {
  if (length !== undefined) return { type: "Length", bytes: Number(length) };
  return isHttp10 ? UNTIL_CLOSE : CHUNKED;
}

export const statusLine = ({ status, statusText }: Pick<AnswerHead, "status" | "statusText">): string =>
  `HTTP/1.1 ${status} ${statusText === "" ? (STATUS_CODES[status] ?? "") : statusText}\r\n`;

/** How long the connection is kept is told, so that no request meets a closing door. */
const keepAliveText = (keepAliveMs: number): string =>
  `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;

let dateSecond = Number.NaN;
let dateText = "";

/** Made once a second. */
function httpDate(wallClockMs: number): string {
  const second = Math.floor(wallClockMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(wallClockMs).toUTCString();
  }
  return dateText;
}

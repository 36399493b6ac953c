/** Reads bytes with the gateway's HTTP/1 reader and returns plain data that tests can compare. */
import type { ReadHead, RequestHead } from "../../../src/gateway/contract/request-head.ts";
import { BadMessage, BadRequest, RequestReader } from "../../../src/gateway/http1/http1.ts";

export interface RequestReading {
  /** The requests that were read to their end. */
  readonly requests: readonly ReadRequest[];
  /** Why reading ended; undefined if more could follow. */
  readonly end: RefusedAs | "Last" | "Upgrade" | undefined;
  /** The bytes that were not read. */
  readonly rest: string;
}

export interface ReadRequest {
  readonly head: RequestHead;
  readonly body: string;
  readonly trailers: readonly string[];
}

interface RefusedAs {
  readonly status: number;
}

export const READER_LIMITS = { maxHeaderBytes: 1000, maxHeaders: 10 };

/** Reads requests one after the other, each with a response at once, as a connection does. `sizes` are the sizes of the pieces in which the bytes arrive. */
export function readRequests(text: string, sizes: readonly number[] = []): RequestReading {
  const requests: ReadRequest[] = [];
  let head: RequestHead | undefined;
  let body = "";
  let end: RequestReading["end"];
  const finish = (trailers: readonly string[]): void => {
    if (head === undefined) return;
    requests.push({ head, body, trailers });
    if (head.upgrade !== undefined) end = "Upgrade";
    else if (!head.keepsAlive) end = "Last";
    head = undefined;
    body = "";
  };
  const begin = (read: ReadHead): void => {
    if (read.state === "refused") {
      end = { status: read.status };
      return;
    }
    head = read.head;
    if (!head.hasBody) finish([]);
  };
  const reader = new RequestReader(
    { onHead: begin, onData: (chunk) => (body += chunk.toString("latin1")), onEnd: finish },
    READER_LIMITS,
  );
  const goOn = (read: () => void): void => {
    try {
      read();
      while (end === undefined && reader.state === "done") reader.proceed();
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      end = { status: error instanceof BadRequest ? error.status : 400 };
    }
  };
  let at = 0;
  for (const size of [...sizes, text.length]) {
    const piece = text.slice(at, at + size);
    at += size;
    // A connection that has ended reads no more requests.
    if (piece !== "" && (end === undefined || end === "Upgrade")) goOn(() => reader.take(Buffer.from(piece, "latin1")));
  }
  return { requests, end, rest: end === undefined || end === "Upgrade" ? reader.takeRest().toString("latin1") : "" };
}

/** Reads the same bytes with the gateway's HTTP/1 reader and with Node's parser, and compares the requests. */
import { createServer, type IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { inspect, isDeepStrictEqual } from "node:util";
import { readRequestHead } from "../../../src/gateway/http1/http1.ts";
import { READER_LIMITS, readRequests } from "./read-requests.ts";

interface ComparedRequest {
  readonly head: unknown;
  readonly body: string;
  readonly isComplete: boolean;
}

export interface ReaderComparison {
  /** The number of requests that the gateway's reader accepted. */
  readonly accepted: number;
  /** True if the gateway's reader refused a part of the bytes. */
  readonly isRefused: boolean;
  /** Undefined: Node's parser reads every accepted request the same way. */
  readonly difference: string | undefined;
}

export interface ReaderComparer {
  readonly compare: (text: string) => Promise<ReaderComparison>;
  readonly close: () => void;
}

/**
 * Every request that the gateway's reader accepts must be the same request for Node's parser: the same head, the same body, in the same
 * order. Node's parser may accept what the gateway's reader refuses.
 */
export function createReaderComparer(): ReaderComparer {
  const node = createNodeReader();
  return {
    compare: async (text) => {
      const { requests, end } = readRequests(text);
      const ours = requests.map(({ head, body }): ComparedRequest => ({ head, body, isComplete: true }));
      const nodes = await node.read(text);
      const isRefused = typeof end === "object";
      return { accepted: ours.length, isRefused, difference: findDifference(ours, nodes, end === undefined) };
    },
    close: node.close,
  };
}

/** `isWaiting`: the gateway's reader waits for more bytes, so Node's parser must not have seen another complete request. */
function findDifference(
  ours: readonly ComparedRequest[],
  nodes: readonly ComparedRequest[],
  isWaiting: boolean,
): string | undefined {
  const isSame =
    isDeepStrictEqual(nodes.slice(0, ours.length), ours) &&
    (!isWaiting || nodes.filter(({ isComplete }) => isComplete).length === ours.length);
  if (isSame) return undefined;
  const format = (requests: readonly ComparedRequest[]): string => inspect(requests, { depth: 5 });
  return `gateway: ${format(ours)}\nNode:    ${format(nodes)}`;
}

function createNodeReader(): {
  readonly read: (text: string) => Promise<readonly ComparedRequest[]>;
  close: () => void;
} {
  let seen: { readonly request: IncomingMessage; readonly chunks: Buffer[] }[] = [];
  const note = (request: IncomingMessage): void => {
    const chunks: Buffer[] = [];
    seen.push({ request, chunks });
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
  };
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 100_000 });
  server.on("request", (request, response) => {
    note(request);
    response.end();
  });
  for (const event of ["checkContinue", "checkExpectation"]) {
    server.on(event, (request, response) => server.emit("request", request, response));
  }
  server.on("upgrade", note);
  server.on("clientError", (_, socket) => socket.destroy());
  return {
    read: async (text) => {
      seen = [];
      const connection = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
      connection.on("error", () => {});
      server.emit("connection", connection);
      connection.push(Buffer.from(text, "latin1"));
      // After four turns of the event loop the parser has emitted all requests in the bytes.
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      const requests = seen.map(({ request, chunks }) => ({
        head: headOf(request),
        body: Buffer.concat(chunks).toString("latin1"),
        isComplete: request.complete,
      }));
      connection.destroy();
      return requests;
    },
    close: () => void server.close(),
  };
}

function headOf({ method = "", url = "", httpVersionMinor, rawHeaders }: IncomingMessage): unknown {
  const headers = rawHeaders.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));
  const version = httpVersionMinor === 0 ? "1.0" : "1.1";
  const read = readRequestHead({ method, target: url, version, headers, maxHeaders: READER_LIMITS.maxHeaders });
  return read.state === "value" ? read.head : read;
}

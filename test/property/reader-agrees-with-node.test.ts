/**
 * The gateway reads requests itself. Node's own parser has been under attack for many years; so whatever our reader takes, Node's must take for the
 * same: the same requests, with the same fields and the same bodies, in the same order. What ours refuses, Node's may take.
 */
import { createServer, type IncomingMessage, type Server } from "node:http";
import { Duplex } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRequestHead } from "../../src/gateway/http1/http1.ts";
import { READER_LIMITS, readRequests } from "../support/read-requests.ts";
import { PROPERTY_TIMEOUT_MS } from "./property-run.ts";
import { randomConnection } from "./random-connection.ts";

const RUNS = 4000;

interface NodeRequest {
  readonly head: unknown;
  readonly body: string;
  readonly isWhole: boolean;
}

let server: Server;
/** Of the connection that is being read. */
let seen: { readonly request: IncomingMessage; readonly chunks: Buffer[] }[] = [];

beforeAll(() => {
  const note = (request: IncomingMessage): void => {
    const chunks: Buffer[] = [];
    seen.push({ request, chunks });
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
  };
  server = createServer({ requireHostHeader: false, maxHeaderSize: 100_000 });
  server.on("request", (request, response) => {
    note(request);
    response.end();
  });
  for (const event of ["checkContinue", "checkExpectation"]) {
    server.on(event, (request, response) => server.emit("request", request, response));
  }
  server.on("upgrade", note);
  server.on("clientError", (_, socket) => socket.destroy());
});
afterAll(() => void server.close());

/** The bytes as one piece over a connection that is none. */
async function readByNode(text: string): Promise<readonly NodeRequest[]> {
  seen = [];
  const connection = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  connection.on("error", () => {});
  server.emit("connection", connection);
  connection.push(Buffer.from(text, "latin1"));
  // What was parsed has been outputOf by then; what is not whole never will be.
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  const requests = seen.map(({ request, chunks }) => ({
    head: headOf(request),
    body: Buffer.concat(chunks).toString("latin1"),
    isWhole: request.complete,
  }));
  connection.destroy();
  return requests;
}

function headOf({ method = "", url = "", httpVersionMinor, rawHeaders }: IncomingMessage): unknown {
  const headers = rawHeaders.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
  const version = httpVersionMinor === 0 ? "1.0" : "1.1";
  const read = readRequestHead({ method, target: url, version, headers, maxHeaders: READER_LIMITS.maxHeaders });
  return read.state === "value" ? read.head : read;
}

test(
  "whatever is taken is what Node's parser takes it for",
  async () => {
    let taken = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(randomConnection, async (text) => {
        const { requests, end } = readRequests(text);
        taken += requests.length;
        refused += typeof end === "object" ? 1 : 0;
        const ofNode = await readByNode(text);
        expect(ofNode.slice(0, requests.length)).toEqual(
          requests.map(({ head, body }) => ({ head, body, isWhole: true })),
        );
        // Where ours waits for more, Node's has not seen another end either.
        if (end === undefined) expect(ofNode.filter(({ isWhole }) => isWhole)).toHaveLength(requests.length);
      }),
      { numRuns: RUNS },
    );
    // Neither of the two is a rarity, or the above would say little.
    expect(taken).toBeGreaterThan(RUNS / 2);
    expect(refused).toBeGreaterThan(RUNS / 5);
  },
  PROPERTY_TIMEOUT_MS,
);

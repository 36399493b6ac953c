import { PassThrough, type Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { RequestBody, type RequestBodyOptions } from "./request-body.ts";

const CHUNKS = ["flour ", "water ", "salt ", "yeast"];
const WHOLE = CHUNKS.join("");

function start(options: Partial<RequestBodyOptions> = {}) {
  const source = new PassThrough();
  const quota = options.quota ?? { limit: 1000, used: 0 };
  const nothing = { onStart: () => {}, onChunk: () => {}, onEnd: () => {} };
  const body = new RequestBody(source, { maxBytes: 100, quota, ...nothing, ...options });
  return { source, body, quota };
}

async function readAll(reader: Readable): Promise<string> {
  let text = "";
  for await (const chunk of reader) text += String(chunk);
  return text;
}

/** The first so many chunks, and no more are asked for. */
async function readSome(reader: Readable, count: number): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of reader) {
    chunks.push(String(chunk));
    if (chunks.length === count) break;
  }
  return chunks.join("");
}

async function send(source: PassThrough, chunks = CHUNKS): Promise<void> {
  for (const chunk of chunks) {
    source.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  source.end();
}

describe("a body that is kept", () => {
  test("is read again from its beginning", async () => {
    const { source, body } = start();
    const first = readAll(body.open());
    await send(source);
    expect([await first, body.canResend, await readAll(body.open())]).toEqual([WHOLE, true, WHOLE]);
  });

  test("goes on where the attempt before it broke off", async () => {
    const { source, body } = start();
    const first = readSome(body.open(), 2);
    const sent = send(source);
    expect(await first).toBe("flour water ");
    expect(await readAll(body.open())).toBe(WHOLE);
    await sent;
  });

  test("is let go of only when the last attempt has had all of it", async () => {
    const { source, body, quota } = start();
    const first = readAll(body.open());
    await send(source);
    await first;
    const last = body.open();
    body.release();
    expect([quota.used, await readAll(last), quota.used]).toEqual([WHOLE.length, WHOLE, 0]);
  });

  test("is let go of when the last attempt is given up", async () => {
    const { source, body, quota } = start();
    const first = readAll(body.open());
    await send(source);
    await first;
    const last = body.open();
    body.release();
    last.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(quota.used).toBe(0);
  });
});

describe("a body that is not kept", () => {
  test.each([
    ["longer than the limit", { maxBytes: 10 }],
    ["no room with all the others", { quota: { limit: 10, used: 0 } }],
    ["nothing is to be kept", { maxBytes: 0 }],
  ])("%s", async (_, options) => {
    const { source, body, quota } = start(options);
    expect(body.canResend).toBe(true);
    const first = readAll(body.open());
    await send(source);
    expect([await first, body.canResend, quota.used]).toEqual([WHOLE, false, 0]);
  });
});

test("a client that goes away breaks the reader off", async () => {
  const { source, body } = start();
  const reading = readAll(body.open());
  source.write("flour");
  setImmediate(() => source.destroy());
  await expect(reading).rejects.toThrow("the client disconnected");
});

import { createServer, type Socket } from "node:net";
import { connect } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { Cleanup } from "../../../test/support/gateway/gateway-harness.ts";
import { readClientHello } from "./read-client-hello.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** The first bytes that a TLS client of Node sends. */
async function helloOf(servername: string | undefined): Promise<Buffer> {
  let take: (bytes: Buffer) => void = () => {};
  const bytes = new Promise<Buffer>((resolve) => (take = resolve));
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", (chunk) => {
      take(chunk);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const client = connect({ port, host: "127.0.0.1", ...(servername === undefined ? {} : { servername }) });
  client.on("error", () => {});
  return bytes;
}

/** Splits the handshake message into records of this many bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

test("the server name, in lower case, however the bytes arrive", async () => {
  const hello = await helloOf("Shop.Example");
  for (let length = 0; length < hello.length; length++)
    expect(readClientHello(hello.subarray(0, length)), `${length} bytes`).toEqual({ state: "incomplete" });
  expect(readClientHello(hello)).toEqual({ state: "hello", serverName: "shop.example" });
  expect(readClientHello(Buffer.concat([hello, Buffer.from("more")]))).toMatchObject({ serverName: "shop.example" });
});

test.each([1, 7, 50, 16_384])("a message in records of %i bytes", async (size) => {
  const hello = inRecords(await helloOf("shop.example"), size);
  expect(readClientHello(hello)).toEqual({ state: "hello", serverName: "shop.example" });
  expect(readClientHello(hello.subarray(0, -1))).toEqual({ state: "incomplete" });
});

test("no server name", async () => {
  expect(readClientHello(await helloOf(undefined))).toEqual({ state: "hello", serverName: "" });
});

test.each([
  ["HTTP", Buffer.from("GET / HTTP/1.1\r\n"), "the bytes are not TLS"],
  ["another kind of record", Buffer.from([23, 3, 3, 0, 5]), "the bytes are not TLS"],
  ["SSL 2", Buffer.from([22, 2, 0, 0, 5]), "the bytes are not TLS"],
  ["a record without bytes", Buffer.from([22, 3, 1, 0, 0]), "a TLS record has an invalid length"],
  ["a record that is too long", Buffer.from([22, 3, 1, 255, 255]), "a TLS record has an invalid length"],
  ["another message", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]), "the first message is no ClientHello"],
  [
    "a message that is too long",
    Buffer.from([22, 3, 1, 0, 4, 1, 255, 0, 0]),
    "the ClientHello is longer than 16384 bytes",
  ],
  ["an empty message", Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0]), "the ClientHello is malformed"],
])("%s is refused", (_, bytes, reason) => {
  expect(readClientHello(bytes)).toEqual({ state: "invalid", reason });
});

test("a server name with other characters, or two of them, is refused", async () => {
  const hello = await helloOf("shop.example");
  const at = hello.indexOf("shop.example");
  for (const character of ["\0", " ", "\n", "\xff", "/"]) {
    const changed = Buffer.from(hello);
    changed.write(character, at, "latin1");
    expect(readClientHello(changed)).toMatchObject({ state: "invalid" });
  }
});

test("no change of a byte makes it throw", async () => {
  const hello = await helloOf("shop.example");
  for (let at = 0; at < hello.length; at++) {
    for (const value of [0, 1, 127, 255]) {
      const changed = Buffer.from(hello);
      changed[at] = value;
      expect(["hello", "incomplete", "invalid"]).toContain(readClientHello(changed).state);
    }
  }
});

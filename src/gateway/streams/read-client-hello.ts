/** Reads the server name of a TLS ClientHello (RFC 8446, 4.1.2; RFC 6066, 3) without taking part in the handshake. */

export type ReadHello =
  /** More bytes are needed. */
  | { readonly state: "incomplete" }
  /** In lower case. Empty: the client sent no server name. */
  | { readonly state: "hello"; readonly serverName: string }
  | { readonly state: "invalid"; readonly reason: string };

/** The limit of Envoy, too. */
export const MAX_HELLO_BYTES = 16_384;

const RECORD_HEADER = 5;
const HANDSHAKE_RECORD = 22;
const MAX_RECORD_BYTES = 16_384;
const MESSAGE_HEADER = 4;
const CLIENT_HELLO = 1;
const INCOMPLETE: ReadHello = { state: "incomplete" };
const SERVER_NAME = 0;
const HOST_NAME = 0;

const invalid = (reason: string): ReadHello => ({ state: "invalid", reason });

/** `bytes`: all bytes of the connection so far. */
export function readClientHello(bytes: Buffer): ReadHello {
  const message = collectRecords(bytes);
  if (typeof message === "string") return invalid(message);
  if (message.length > 0 && message.readUInt8(0) !== CLIENT_HELLO)
    return invalid("the first message is no ClientHello");
  if (message.length < MESSAGE_HEADER) return INCOMPLETE;
  const length = message.readUIntBE(1, 3);
  if (length > MAX_HELLO_BYTES) return invalid(`the ClientHello is longer than ${MAX_HELLO_BYTES} bytes`);
  if (message.length < MESSAGE_HEADER + length) return INCOMPLETE;
  const serverName = findServerName(new Reader(message.subarray(MESSAGE_HEADER, MESSAGE_HEADER + length)));
  return serverName === undefined ? invalid("the ClientHello is malformed") : { state: "hello", serverName };
}

/** The handshake messages in the records, as far as they have arrived. A message may be split into records. A text is the reason why the bytes are no TLS. */
function collectRecords(bytes: Buffer): Buffer | string {
  const fragments: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes.readUInt8(at) !== HANDSHAKE_RECORD) return "the bytes are not TLS";
    if (at + 1 < bytes.length && bytes.readUInt8(at + 1) !== 3) return "the bytes are not TLS";
    if (at + RECORD_HEADER > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > MAX_RECORD_BYTES) return "a TLS record has an invalid length";
    const start = at + RECORD_HEADER;
    fragments.push(bytes.subarray(start, Math.min(start + length, bytes.length)));
    at = start + length;
    // Data after the ClientHello is of no interest, and may be encrypted.
    if (isWhole(fragments)) break;
  }
  return fragments.length === 1 ? (fragments[0] ?? Buffer.alloc(0)) : Buffer.concat(fragments);
}

function isWhole(fragments: readonly Buffer[]): boolean {
  const message = Buffer.concat(fragments);
  return message.length >= MESSAGE_HEADER && message.length >= MESSAGE_HEADER + message.readUIntBE(1, 3);
}

/** Undefined: the message is malformed. */
function findServerName(hello: Reader): string | undefined {
  hello.skip(2 + 32);
  hello.take(1);
  hello.take(2);
  hello.take(1);
  // Without extensions there is no server name.
  if (hello.isAtEnd && !hello.isBroken) return "";
  const extensions = hello.take(2);
  let serverName: string | undefined;
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const data = extensions.take(2);
    if (type !== SERVER_NAME) continue;
    // A second server name would be ambiguous.
    if (serverName !== undefined) return undefined;
    serverName = hostName(data.take(2));
    if (serverName === undefined || !data.isAtEnd || data.isBroken) return undefined;
  }
  return hello.isBroken || extensions.isBroken || !hello.isAtEnd ? undefined : (serverName ?? "");
}

/** Letters, digits, dots, dashes and underscores: no control characters, no spaces. */
const HOST_NAME_CHARACTERS = /^[\w.-]+$/;

function hostName(list: Reader): string | undefined {
  const type = list.number(1);
  const name = list.take(2).text();
  if (list.isBroken || !list.isAtEnd || type !== HOST_NAME || !HOST_NAME_CHARACTERS.test(name)) return undefined;
  return name.toLowerCase();
}

/** Reads numbers and vectors. After a read beyond the end the reader is broken, and returns zeros. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #isBroken = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  skip(length: number): void {
    this.#at += length;
    if (this.#at > this.#bytes.length) this.#break();
  }

  number(size: 1 | 2): number {
    if (this.#at + size > this.#bytes.length) return this.#break();
    const value = this.#bytes.readUIntBE(this.#at, size);
    this.#at += size;
    return value;
  }

  /** A vector whose length is a number of that size. */
  take(size: 1 | 2): Reader {
    const length = this.number(size);
    const start = this.#at;
    this.skip(length);
    return new Reader(this.#isBroken ? Buffer.alloc(0) : this.#bytes.subarray(start, start + length));
  }

  text(): string {
    return this.#bytes.toString("latin1");
  }

  #break(): number {
    this.#isBroken = true;
    this.#at = this.#bytes.length;
    return 0;
  }
}

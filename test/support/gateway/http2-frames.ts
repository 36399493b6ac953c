/** Frames of HTTP/2, byte by byte, for clients that a library would not let misbehave. */
export const FRAME = { DATA: 0, HEADERS: 1, RST_STREAM: 3, SETTINGS: 4, PING: 6, WINDOW_UPDATE: 8 } as const;
export const END_STREAM = 1;
export const END_HEADERS = 4;
export const PREFACE: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export interface ReadFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The whole frames at the start of the bytes, and the rest. */
export function readFrames(bytes: Buffer): { readonly frames: readonly ReadFrame[]; readonly rest: Buffer } {
  const frames: ReadFrame[] = [];
  let at = 0;
  while (at + 9 <= bytes.length) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    const [type, flags, stream] = [bytes.readUInt8(at + 3), bytes.readUInt8(at + 4), bytes.readUInt32BE(at + 5)];
    frames.push({ type, flags, stream, payload: bytes.subarray(at + 9, end) });
    at = end;
  }
  return { frames, rest: bytes.subarray(at) };
}

/** A string of HPACK without Huffman coding. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

/** A block of headers that are not added to a table. */
export const headerBlock = (headers: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(headers.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));

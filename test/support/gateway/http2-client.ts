/** A client of HTTP/2 without TLS that sends one request frame by frame, and never acknowledges the server's settings. */
import { connect, type Socket } from "node:net";
import { type Cleanup, waitUntil } from "./gateway-harness.ts";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  type ReadFrame,
  readFrames,
} from "./http2-frames.ts";

/** The headers of a request for `/`. */
export const requestBlock = (method: string, ...more: readonly (readonly [string, string])[]): Buffer =>
  headerBlock([[":method", method], [":scheme", "http"], [":path", "/"], [":authority", "a"], ...more]);

export function openHttp2(
  port: number,
  cleanup: Cleanup,
): { readonly socket: Socket; readonly frames: () => readonly ReadFrame[] } {
  const chunks: Buffer[] = [];
  const socket = connect(port, "127.0.0.1");
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  cleanup.add(() => void socket.destroy());
  socket.write(PREFACE);
  return { socket, frames: () => readFrames(Buffer.concat(chunks)).frames };
}

/** The status of the first response, or how the stream ended. */
export async function statusOf(port: number, block: Buffer, cleanup: Cleanup): Promise<number | "reset" | "closed"> {
  const { socket, frames } = openHttp2(port, cleanup);
  socket.write(Buffer.concat([frame(FRAME.SETTINGS, 0, 0), frame(FRAME.HEADERS, END_STREAM | END_HEADERS, 1, block)]));
  const found = (type: number) => frames().find((one) => one.type === type && one.stream === 1);
  await waitUntil(() => found(FRAME.HEADERS) !== undefined || found(FRAME.RST_STREAM) !== undefined || socket.closed);
  const response = found(FRAME.HEADERS);
  if (response === undefined) return found(FRAME.RST_STREAM) === undefined ? "closed" : "reset";
  return readStatus(response.payload);
}

/** The indexed statuses of HPACK's static table, or a literal of three digits. */
function readStatus(payload: Buffer): number {
  const indexed = [200, 204, 206, 304, 400, 404, 500][(payload[0] ?? 0) - 0x88];
  const digits = /[1-5][0-9][0-9]/.exec(payload.toString("latin1"));
  return indexed ?? (digits === null ? decodeHuffmanStatus(payload) : Number(digits[0]));
}

/** The codes of digits in HPACK's Huffman table have five or six bits. */
function decodeHuffmanStatus(payload: Buffer): number {
  const codes = new Map<string, string>([
    ["00000", "0"],
    ["00001", "1"],
    ["00010", "2"],
    ["011001", "3"],
    ["011010", "4"],
    ["011011", "5"],
    ["011100", "6"],
    ["011101", "7"],
    ["011110", "8"],
    ["011111", "9"],
  ]);
  const start = payload.findIndex((byte, at) => at > 0 && (byte & 0x80) !== 0);
  const bits = [...payload.subarray(start + 1, start + 4)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let digits = "";
  let code = "";
  for (const bit of bits) {
    code += bit;
    const digit = codes.get(code);
    if (digit === undefined) continue;
    digits += digit;
    code = "";
    if (digits.length === 3) break;
  }
  return Number(digits);
}

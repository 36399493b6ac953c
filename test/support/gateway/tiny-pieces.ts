/** Clients that send a body of so many bytes in pieces of one byte. */
import { connect, type Socket } from "node:net";
import { END_HEADERS, END_STREAM, FRAME, frame, headerBlock, PREFACE, readFrames } from "./http2-frames.ts";

export interface TinyPieces {
  readonly host: string;
  readonly path?: string;
  /** Infinity: until the connection is closed. */
  readonly bytes: number;
}

const BATCH = 1000;

/** In chunks of HTTP/1.1. */
export function sendTinyChunks(port: number, { host, path = "/", bytes }: TinyPieces): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  let left = bytes;
  const send = (): void => {
    for (let hasRoom = true; hasRoom && left > 0; left -= BATCH) {
      hasRoom = socket.write("1\r\nx\r\n".repeat(Math.min(BATCH, left)));
      if (left <= BATCH) socket.write("0\r\n\r\n");
    }
  };
  socket.on("drain", send);
  send();
  return socket;
}

/** In DATA frames of HTTP/2, without TLS. */
export function sendTinyFrames(port: number, { host, path = "/", bytes }: TinyPieces): Socket {
  const socket = connect(port, "127.0.0.1");
  const headers = headerBlock([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", host],
  ]);
  socket.on("error", () => {});
  socket.write(Buffer.concat([PREFACE, frame(FRAME.SETTINGS, 0, 0), frame(FRAME.HEADERS, END_HEADERS, 1, headers)]));
  const piece = frame(FRAME.DATA, 0, 1, Buffer.from("x"));
  const windows = { stream: 65_535, connection: 65_535 };
  let left = bytes;
  const send = (): void => {
    while (left > 0 && !socket.writableNeedDrain) {
      const count = Math.min(BATCH, left, windows.stream, windows.connection);
      if (count === 0) return;
      socket.write(Buffer.alloc(count * piece.length, piece));
      left -= count;
      windows.stream -= count;
      windows.connection -= count;
      if (left === 0) socket.write(frame(FRAME.DATA, END_STREAM, 1));
    }
  };
  let received: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    const { frames, rest } = readFrames(Buffer.concat([received, chunk]));
    received = rest;
    for (const { type, flags, stream, payload } of frames) {
      if (type === FRAME.SETTINGS && flags === 0) socket.write(frame(FRAME.SETTINGS, 1, 0));
      if (type === FRAME.WINDOW_UPDATE) windows[stream === 0 ? "connection" : "stream"] += payload.readUInt32BE(0);
    }
    send();
  });
  socket.on("drain", send);
  send();
  return socket;
}

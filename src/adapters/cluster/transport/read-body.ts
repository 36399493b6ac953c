import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { TransportResponse } from "./transport-types.ts";

/** The body without its content encoding. */
export function decodeBody({ header, body }: TransportResponse): Readable {
  if (header("content-encoding") !== "gzip") return body;
  // The callback is needed; the reader of the result gets the error.
  return pipeline(body, createGunzip(), () => undefined);
}

export async function readText(response: TransportResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of decodeBody(response)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Undefined if the body is not JSON. */
export async function readJson(response: TransportResponse): Promise<unknown> {
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

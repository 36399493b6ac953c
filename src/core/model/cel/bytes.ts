/** Text as bytes, in UTF-8. */
import { CelError } from "./values.ts";

/** A surrogate without its other half becomes a replacement character, as everywhere in JavaScript. */
export function encodeText(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
  return Uint8Array.from(escaped.match(/%[0-9A-F]{2}|[^%]/g) ?? [], (part) =>
    part.length === 1 ? part.charCodeAt(0) : Number.parseInt(part.slice(1), 16),
  );
}

/** Bytes from a text with a character for each. */
export const encodeBinary = (text: string): Uint8Array => Uint8Array.from(text, (one) => one.charCodeAt(0));

export function decodeText(bytes: Uint8Array): string {
  try {
    return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
  } catch {
    throw new CelError("the bytes are not UTF-8");
  }
}

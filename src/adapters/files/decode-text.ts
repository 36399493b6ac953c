export type DecodedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string; readonly line: number; readonly column: number };

/** Decodes UTF-8, with or without a byte order mark. Other encodings are reported, never guessed, because a wrong guess changes names. */
export function decodeText(bytes: Uint8Array): DecodedText {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { ok: false, ...findInvalidBytes(bytes) };
  }
}

function findInvalidBytes(bytes: Uint8Array): { message: string; line: number; column: number } {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { message: "this file is UTF-16, not UTF-8: save it as UTF-8", line: 1, column: 1 };
  const offset = firstBadByte(bytes);
  const before = bytes.subarray(0, offset);
  const line = before.reduce((count, byte) => (byte === 10 ? count + 1 : count), 1);
  const column = new TextDecoder().decode(before.subarray(before.lastIndexOf(10) + 1)).length + 1;
  const hex = (bytes[offset] ?? 0).toString(16).padStart(2, "0");
  return { message: `the byte 0x${hex} is not UTF-8: save this file as UTF-8`, line, column };
}

/** Where decoding first fails: behind the longest prefix that decodes, found by halving. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle), { stream: true })) good = middle;
    else bad = middle;
  }
  // The last bytes are not the beginning of a character: go back to their start.
  while (good > 0 && !decodes(bytes.subarray(0, good), { stream: false })) good--;
  return good;
}

/** `stream`: a character that is cut off at the end is no mistake yet. */
function decodes(bytes: Uint8Array, options: { readonly stream: boolean }): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, options);
    return true;
  } catch {
    return false;
  }
}

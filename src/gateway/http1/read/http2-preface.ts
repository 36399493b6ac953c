/** The first bytes of an HTTP/2 connection (RFC 9113, 3.4). They are no valid HTTP/1 request. */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** `Whole`: a connection begins with that preface. `Begun`: more bytes are needed. */
export function matchHttp2Preface(bytes: Buffer): "Whole" | "Begun" | "None" {
  const length = Math.min(bytes.length, PREFACE.length);
  if (PREFACE.compare(bytes, 0, length, 0, length) !== 0) return "None";
  return length === PREFACE.length ? "Whole" : "Begun";
}

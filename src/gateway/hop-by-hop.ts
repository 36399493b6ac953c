/** Headers about one connection, which end there (RFC 9110, 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** Those, and what the answer's Connection header names besides. */
export function hopByHopNames(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || /^(?:keep-alive|close|upgrade)$/i.test(connection)) return HOP_BY_HOP;
  return new Set([...HOP_BY_HOP, ...connection.split(",").map((name) => name.trim().toLowerCase())]);
}

/** Headers about one connection, which end there (RFC 9110, 7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

export const isHopByHop = (name: string): boolean => HOP_BY_HOP.has(name);

/** What a Connection header names besides its own words; undefined: nothing. */
export function namedByConnection(connection: string): ReadonlySet<string> | undefined {
  if (/^(?:keep-alive|close|upgrade)$/i.test(connection)) return undefined;
  return connectionWords(connection);
}

/** All that a Connection header says, in lower case. */
export const connectionWords = (connection: string): ReadonlySet<string> =>
  new Set(connection.split(",").map((name) => name.trim().toLowerCase()));

/** Headers about one connection, which are not forwarded (RFC 9110, 7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

export const isHopByHop = (name: string): boolean => HOP_BY_HOP.has(name);

/** The header names that a Connection header lists besides its own options. Undefined: none. */
export function namedByConnection(connection: string): ReadonlySet<string> | undefined {
  if (/^(?:keep-alive|close|upgrade)$/i.test(connection)) return undefined;
  return connectionOptions(connection);
}

/** All entries of a Connection header, in lower case. */
export const connectionOptions = (connection: string): ReadonlySet<string> =>
  new Set(connection.split(",").map((name) => name.trim().toLowerCase()));

const MAX_PORT = 65_535;

/** Undefined if the text is not a port number. */
export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : undefined;
  return port === undefined || port > MAX_PORT ? undefined : port;
}

/** Parses pairs such as `80:8080`: the port of the listener and the port to open. Returns an error message for an invalid pair. */
export function parsePortMap(words: readonly string[]): ReadonlyMap<number, number> | string {
  const map = new Map<number, number>();
  for (const word of words) {
    const [from = "", to = "", ...more] = word.split(":");
    const port = parsePort(from);
    const other = parsePort(to);
    if (port === undefined || other === undefined || more.length > 0) {
      return `--map-port is '${word}': give the listener's port and the port to open, such as 80:8080`;
    }
    map.set(port, other);
  }
  return map;
}

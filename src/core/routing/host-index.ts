/** Finds the listeners or virtual hosts that match a host, the more specific hostname first. */

export interface HostIndex<Thing> {
  /** Calls `use` for the matching things in order, and returns its first defined result. */
  readonly find: <Found>(host: string, use: (thing: Thing) => Found | undefined) => Found | undefined;
}

/** Of several things with the same hostname the first is used. Hostnames are in lower case; undefined and `*` match every host. */
export function buildHostIndex<Thing extends { readonly hostname: string | undefined }>(
  things: readonly Thing[],
): HostIndex<Thing> {
  const byName = new Map<string, Thing>();
  for (const thing of things) {
    const hostname = thing.hostname === undefined || thing.hostname === "" ? "*" : thing.hostname;
    if (!byName.has(hostname)) byName.set(hostname, thing);
  }
  const hasWildcards = [...byName.keys()].some((hostname) => hostname.startsWith("*."));
  const everything = byName.get("*");
  return {
    find: (host, use) => {
      const exact = byName.get(host);
      let found = exact === undefined || exact === everything ? undefined : use(exact);
      // Starts with the longest suffix, which is the most specific. A wildcard matches at least one character.
      for (let dot = host.indexOf(".", 1); hasWildcards && found === undefined && dot !== -1; ) {
        const wildcard = byName.get(`*${host.slice(dot)}`);
        if (wildcard !== undefined) found = use(wildcard);
        dot = host.indexOf(".", dot + 1);
      }
      if (found !== undefined || everything === undefined) return found;
      return use(everything);
    },
  };
}

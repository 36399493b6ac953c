/** Things with hostnames (listeners, virtual hosts), and those that take a host: the more specific hostname first. */

export interface HostIndex<Thing> {
  /** What `use` makes of the first thing that takes the host and of which it makes something. */
  readonly find: <Found>(host: string, use: (thing: Thing) => Found | undefined) => Found | undefined;
}

/** Of several with the same hostname the first counts. Hostnames are in lower case; undefined and `*` take every host. */
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
      // From the left: the longer suffix is the more specific hostname. A wildcard stands for one character at least.
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

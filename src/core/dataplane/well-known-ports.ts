/** The port of a scheme in a URL that has none. */
export const WELL_KNOWN_PORTS = { http: 80, https: 443 } as const;

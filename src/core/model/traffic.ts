/** Mesh: whose traffic a path carries, that of a namespace or everybody else's (GEP-1294, GEP-713x). */
export const OTHERS = "others";

/** A namespace may be named `others`, too; with a slash, which no namespace has, it cannot be taken for them. */
const NAMESPACE_OTHERS = `namespace/${OTHERS}`;

export const trafficFrom = (namespace: string): string => (namespace === OTHERS ? NAMESPACE_OTHERS : namespace);

/** `namespace prod`, `all others`. */
export const formatTraffic = (from: string): string =>
  from === OTHERS ? "all others" : `namespace ${from === NAMESPACE_OTHERS ? OTHERS : from}`;

/** In a mesh, the traffic of a path comes from one namespace or from all other namespaces (GEP-1294, GEP-713 experimental). */
export const OTHERS = "others";

/** Stands for a namespace that is named `others`. No namespace has a slash in its name. */
const NAMESPACE_OTHERS = `namespace/${OTHERS}`;

export const trafficFrom = (namespace: string): string => (namespace === OTHERS ? NAMESPACE_OTHERS : namespace);

/** `namespace prod`, `all others`. */
export const formatTraffic = (from: string): string =>
  from === OTHERS ? "all others" : `namespace ${from === NAMESPACE_OTHERS ? OTHERS : from}`;

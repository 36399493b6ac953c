/** In a mesh, the traffic of a path comes from one namespace or from all other namespaces (GEP-1294, GEP-713 experimental). */
export const OTHERS = "others";

/** Stands for a namespace that is named `others`. No namespace has a slash in its name. */
const NAMESPACE_OTHERS = `namespace/${OTHERS}`;

export const trafficFrom = (namespace: string): string => (namespace === OTHERS ? NAMESPACE_OTHERS : namespace);

/** The namespace that traffic comes from; undefined: from all others. */
export function namespaceOfTraffic(from: string): string | undefined {
  if (from === OTHERS) return undefined;
  return from === NAMESPACE_OTHERS ? OTHERS : from;
}

/** `namespace prod`, `all others`. */
export function formatTraffic(from: string): string {
  const namespace = namespaceOfTraffic(from);
  return namespace === undefined ? "all others" : `namespace ${namespace}`;
}

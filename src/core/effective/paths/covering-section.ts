/**
 * A Direct policy covers sections without their own
 *
 * A Direct policy on an object takes effect at each of its sections that has no policy of its own. Returns the name of the
 * section if it has its own, else undefined: the object's policy covers it.
 * GEP-713, "Direct"
 */
export const coveringSection = (
  section: string | undefined,
  hasOwn: (section: string) => boolean,
): string | undefined => (section !== undefined && hasOwn(section) ? section : undefined);

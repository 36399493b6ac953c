import type { Source } from "./provenance.ts";

/** True if the value takes effect beside those of all other policies: its pointer begins with the name of its policy. */
export const isAccumulated = ({ decidedBy }: Pick<Source, "decidedBy">): boolean => decidedBy.strategy === "Accumulate";

/** The pointer of a value in the spec proper of its policy. */
export const pointerInPolicy = (source: Pick<Source, "decidedBy" | "pointer">): string =>
  isAccumulated(source) ? withoutEntry(source.pointer) : source.pointer;

/** A pointer of the effective policy without its first key, the name of a policy. */
export const withoutEntry = (pointer: string): string => {
  const end = pointer.indexOf("/", 1);
  return end === -1 ? "" : pointer.slice(end);
};

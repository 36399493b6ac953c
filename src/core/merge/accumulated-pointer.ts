import type { PolicyDefinition } from "../model/definition.ts";
import { escapePointer } from "../model/json-pointer.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { entryName } from "../model/words/entry-name.ts";
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

/** True if all policies take effect with the setting at these keys of a spec. */
export const addsUp = (
  { merge, parts = [] }: Pick<PolicyDefinition, "merge" | "parts">,
  keys: readonly string[],
): boolean =>
  merge.accumulate !== undefined ||
  parts.some(
    ({ merge: own, paths }) =>
      own?.accumulate !== undefined && paths.some((path) => path.split(".").every((step, at) => step === keys[at])),
  );

/** The pointer of a value in the spec proper of a policy, by its pointer in effective policies. */
export function ownPointerOf(definition: PolicyDefinition, policy: KubeObject, pointer: string): string {
  if (definition.merge.accumulate !== undefined) return withoutEntry(pointer);
  const entry = `/${escapePointer(entryName(policy, definition))}`;
  if (definition.parts === undefined || !pointer.startsWith(`${entry}/`)) return pointer;
  const rest = pointer.slice(entry.length);
  return addsUp(definition, rest.split("/").slice(1)) ? rest : pointer;
}

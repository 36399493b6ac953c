import { formatRef, type GroupKind, type ObjectRef } from "../../core/model/refs.ts";
import { type NameKind, nameAmong, sharedNames } from "../../core/model/words/kind-names.ts";

/** How the text of a view names kinds and objects. */
export interface ViewNames {
  readonly kindName: NameKind;
  readonly name: (ref: ObjectRef, sectionName?: string) => string;
}

/** Kinds are named with their group where the view has two of one name. It does not say which other kinds the cluster has. */
export function namesInView(view: object): ViewNames {
  const kindName = nameAmong(sharedNames(kindsIn(view)));
  return { kindName, name: (ref, sectionName) => formatRef({ ...ref, kind: kindName(ref) }, sectionName) };
}

function* kindsIn(value: unknown): Generator<GroupKind> {
  if (typeof value !== "object" || value === null) return;
  if ("group" in value && "kind" in value && typeof value.group === "string" && typeof value.kind === "string")
    yield { group: value.group, kind: value.kind };
  for (const item of Object.values(value)) yield* kindsIn(item);
}

import type { ObjectRef } from "../../core/model/refs.ts";

/** Formats a name as `kubectl -o name` does: `retrypolicy.prevail.dev/friday-fix`. */
export const resourceName = ({ group, kind, name }: ObjectRef): string =>
  `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;

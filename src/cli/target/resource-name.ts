import type { ObjectRef } from "../../core/model/refs.ts";

/** `retrypolicy.prevail.dev/friday-fix`, as `kubectl -o name` writes it. */
export const resourceName = ({ group, kind, name }: ObjectRef): string =>
  `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;

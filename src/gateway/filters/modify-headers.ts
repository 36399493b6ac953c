import type { HeaderChanges } from "../../core/dataplane/gateway-config.ts";
import { type HeaderList, headerText, withoutHeaders } from "../contract/header-list.ts";

/**
 * Header modifiers: set, add, remove
 *
 * `remove` deletes a header, `set` replaces its values, and `add` appends a value. They are carried out in the order remove, set, add.
 * Gateway API, "HTTPHeaderFilter"
 */
export function modifyHeaders(headers: HeaderList, { remove, set, add }: HeaderChanges): HeaderList {
  const replaced = new Set([...remove, ...set.map(({ name }) => name)]);
  const modified = withoutHeaders(headers, replaced);
  for (const { name, value } of [...set, ...add]) if (isHeaderName(name)) modified.push(name, headerText(value));
  return modified;
}

const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name);

import { escapePointer } from "../core/model/json-pointer.ts";

/** `spec.targetRefs[0].name`, the way findings name fields, as a JSON pointer. `[…]` contains an index, or a key with dots in it, maybe in quotes. */
export function fieldPointer(field: string): string {
  return [...field.matchAll(/\["?([^\]"]*)"?\]|([^.[\]]+)/g)]
    .map(([, bracketed, key]) => `/${escapePointer(bracketed ?? key ?? "")}`)
    .join("");
}

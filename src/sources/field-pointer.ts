import { keysOfField } from "../core/model/field-value.ts";
import { escapePointer } from "../core/model/json-pointer.ts";

/** `spec.targetRefs[0].name`, the way findings name fields, as a JSON pointer. */
export const fieldPointer = (field: string): string =>
  keysOfField(field)
    .map((key) => `/${escapePointer(key)}`)
    .join("");

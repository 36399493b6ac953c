import { expect, test } from "vitest";
import { fieldPointer } from "../../../sources/field-pointer.ts";
import { fieldOfPointer } from "./field-of-pointer.ts";

test.each([
  ["/spec/rules/0/retry", "spec.rules[0].retry"],
  ["/metadata/labels/a.b~1c", "metadata.labels[a.b/c]"],
  ["", ""],
])("%s is %s, and back", (pointer, field) => {
  expect(fieldOfPointer(pointer)).toBe(field);
  expect(fieldPointer(field)).toBe(pointer);
});

import { expect, test } from "vitest";
import type { Json } from "./json.ts";
import { findPlaceholder, splitPlaceholders } from "./placeholder.ts";

test.each<[string, Json, string | undefined]>([
  ["envsubst", "${HOST}", "${HOST}"],
  ["inside a text", "api.${DOMAIN}.example", "${DOMAIN}"],
  ["with a default", "${HOST:-localhost}", "${HOST:-localhost}"],
  ["kustomize", "$(HOST)", "$(HOST)"],
  ["deep inside", { rules: [{ hostnames: ["a", "${HOST}"] }] }, "${HOST}"],
  ["no name", "${}", undefined],
  ["an expression", "${request.path}", undefined],
  ["a variable of a shell", "$HOST", undefined],
  ["a regular expression", "^a$(b)?{2}", "$(b)"],
  ["a number", 7, undefined],
])("%s", (_, value, expected) => {
  expect(findPlaceholder(value)).toBe(expected);
});

test("only problems of values with placeholders are split off", () => {
  const raw = { spec: { hostnames: ["${HOST}"], port: 0 } };
  const problems = [{ field: "spec.hostnames[0]" }, { field: "spec.port" }, { field: "spec.name" }];
  expect(splitPlaceholders(raw, problems)).toEqual({
    placeholders: [{ field: "spec.hostnames[0]", placeholder: "${HOST}" }],
    others: [{ field: "spec.port" }, { field: "spec.name" }],
  });
});

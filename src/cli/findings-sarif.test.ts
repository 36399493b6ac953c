import { expect, test } from "vitest";
import { uriOf } from "./findings-sarif.ts";

test.each([
  ["policies/a.yaml", "policies/a.yaml"],
  ["./policies/a.yaml", "policies/a.yaml"],
  ["../a.yaml", "../a.yaml"],
  ["a b/ä#?%.yaml", "a%20b/%C3%A4%23%3F%25.yaml"],
  ["a:b.yaml", "a%3Ab.yaml"],
  ["/tmp/a b.yaml", "file:///tmp/a%20b.yaml"],
  ["policies\\a.yaml", "policies/a.yaml"],
  ["C:\\work\\a b.yaml", "file:///C:/work/a%20b.yaml"],
  ["<stdin>", "%3Cstdin%3E"],
  ["lone-\ud800.yaml", "lone-%EF%BF%BD.yaml"],
])("%j as a URI", (file, uri) => {
  expect(uriOf(file)).toBe(uri);
  expect(new URL(uri, "file:///base/").protocol).toBe("file:");
});

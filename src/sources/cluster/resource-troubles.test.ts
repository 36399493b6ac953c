import { expect, test } from "vitest";
import { ResourceTroubles } from "./resource-troubles.ts";

test("the trouble of a resource is over when it can be followed in every namespace", () => {
  const reported: string[] = [];
  const troubles = new ResourceTroubles((resource, error) => reported.push(`${resource}: ${error?.message ?? "over"}`));
  const [a, b, other] = [troubles.ofScope("routes"), troubles.ofScope("routes"), troubles.ofScope("gateways")];
  other(undefined);
  a(new Error("403"));
  b(new Error("404"));
  a(new Error("500"));
  a(undefined);
  expect(reported).toEqual(["routes: 403", "routes: 404", "routes: 500"]);
  b(undefined);
  b(undefined);
  other(new Error("503"));
  expect(reported.slice(3)).toEqual(["routes: over", "gateways: 503"]);
});

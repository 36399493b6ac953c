/** Policy attachment reference, "Status" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { acme, acmePolicy, ingress } from "./acme-policies.ts";

describe("Status", () => {
  test("it must be possible to determine which controller was responsible", () => {
    const made = cluster([...ingress, acmePolicy("p", "Gateway/g", { default: { x: 1 } })], { definitions: [acme] });
    const { policies } = made.status({ controllerName: "acme.io/one" });
    expect(policies.flatMap(({ ancestors }) => ancestors.map(({ controllerName }) => controllerName))).toEqual([
      "acme.io/one",
    ]);
  });
});

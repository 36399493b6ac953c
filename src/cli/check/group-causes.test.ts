import { expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

const policies = ["a", "b", "c"]
  .map(
    (name) =>
      `apiVersion: example.com/v1\nkind: RaidPolicy\nmetadata: {name: ${name}}\nspec: {targetRef: {kind: Gateway, name: g}}\n`,
  )
  .join("---\n");
const route = (hostname: string): string =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r}\nspec: {hostnames: [${hostname}]}\n`;
const check = async (files: Readonly<Record<string, string>>, options = "") =>
  JSON.parse((await runCli(`check -o json -f d ${options}`, { files })).stdout).items as {
    code: string;
    message: string;
    at: object;
  }[];

test("policies of one unknown kind are one finding, with their number and the first position", async () => {
  const found = (await check({ "d/a.yaml": policies }, "--severity info")).filter(
    ({ code }) => code === "UnknownPolicyKind",
  );
  expect(found).toHaveLength(1);
  expect(found[0]?.at).toEqual({ file: "d/a.yaml", line: 1, column: 1 });
  expect(found[0]?.message).toMatch(/^RaidPolicy a looks like a policy.*; 2 more RaidPolicy objects are ignored, too$/);
});

test("documents for one object are one finding", async () => {
  const files = { "d/a.yaml": route("a.example"), "d/b.yaml": route("b.example"), "d/c.yaml": route("c.example") };
  const found = (await check(files)).filter(({ code }) => code === "DuplicateObject");
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /at d\/a.yaml:1:1, which is used, and at d\/b.yaml:1:1; remove one; 1 more document defines it, too$/,
    ),
  ]);
});

test("two documents for an object that takes no part are no finding", async () => {
  const role = (verb: string): string =>
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules: [{verbs: [${verb}]}]\n`;
  expect(await check({ "d/a.yaml": role("get"), "d/b.yaml": role("list"), "d/c.yaml": route("c.example") })).toEqual(
    [],
  );
});

import { describe, expect, test } from "vitest";
import { type CliSetup, runCli } from "../../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../../test/support/cli/validate-schema.ts";

const service = (name: string, annotation = ""): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop${annotation === "" ? "" : `, annotations: {prevail.dev/ignore: "${annotation}"}`}}
spec: {ports: [{name: a, port: 1}, {name: a, port: 2}]}
`;
const broken = (name: string, annotation = ""): string => service(name, annotation).replace("port: 2", "port: many");

interface Findings {
  readonly items: readonly Item[];
  readonly ignored: ReadonlyArray<Item & { readonly by: string }>;
  readonly summary: Readonly<Record<string, number>>;
  readonly staleBaseline: readonly object[];
}
interface Item {
  readonly code: string;
  readonly message: string;
  readonly object?: { readonly name: string };
}

async function check(options: string, text: string, more: CliSetup = {}) {
  const files = { "a.yaml": text, ...more.files };
  const { stdout, stderr, code } = await runCli(`check -o json -f a.yaml ${options}`.trim(), { ...more, files });
  if (stdout === "") return { code, stderr, shown: [], ignored: [], found: undefined };
  const found = JSON.parse(stdout) as Findings;
  expect(schemaViolations("finding-list.json", found)).toEqual([]);
  expect(found.summary["ignored"]).toBe(found.ignored.length);
  const name = ({ code: own, object }: Item): string => `${own} ${object?.name ?? ""}`.trim();
  const ignored = found.ignored.map((item) => `${name(item)} by ${item.by}`);
  return { code, stderr, shown: found.items.map(name), ignored, found };
}

const documents = (...texts: readonly string[]): string => texts.join("---\n");

describe("an annotation ignores findings about its object", () => {
  test("with this code, and does not fail", async () => {
    const text = documents(service("one", "DuplicateSectionName"), service("two"));
    expect(await check("", text)).toMatchObject({
      code: 1,
      shown: ["DuplicateSectionName two"],
      ignored: ["DuplicateSectionName one by annotation"],
    });
    expect(await check("", service("one", "StatusDiffers, DuplicateSectionName"))).toMatchObject({
      code: 0,
      shown: [],
    });
  });

  test("not with other codes", async () => {
    expect(await check("", service("one", "StatusDiffers"))).toMatchObject({ code: 1, ignored: [] });
  });

  test("also if the API server would refuse the object", async () => {
    expect(await check("", broken("one", "InvalidField"))).toMatchObject({
      code: 0,
      shown: [],
      ignored: ["InvalidField one by annotation"],
    });
  });

  test.each(["DuplicateSectionNam", "*"])("an unknown code is an error: %s", async (word) => {
    const { code, shown, found } = await check("", service("one", word));
    expect([code, shown]).toEqual([1, ["UnknownIgnoredCode one", "DuplicateSectionName one"]]);
    expect(found?.items[0]?.message).toBe(
      `the annotation prevail.dev/ignore has '${word}', which is not the code of a finding${word === "*" ? "" : "; did you mean 'DuplicateSectionName'?"}`,
    );
  });
});

describe("--ignore", () => {
  const text = documents(service("one"), service("two"), broken("three"));

  for (const [options, shown, ignored] of [
    ["--ignore DuplicateSectionName", ["InvalidField three"], 2],
    ["--ignore duplicatesectionname", ["InvalidField three"], 2],
    ["--ignore DuplicateSectionName=svc/one", ["DuplicateSectionName two", "InvalidField three"], 1],
    ["--ignore DuplicateSectionName=services/shop/one", ["DuplicateSectionName two", "InvalidField three"], 1],
    ["--ignore DuplicateSectionName=svc/other/one", 3, 0],
    ["--ignore DuplicateSectionName,InvalidField=svc/three", [], 3],
    ["--ignore DuplicateSectionName=svc/one --ignore DuplicateSectionName=svc/two", ["InvalidField three"], 2],
  ] as const) {
    test(options, async () => {
      const found = await check(options, text);
      if (typeof shown === "number") expect(found.shown.length).toBe(shown);
      else expect(found.shown).toEqual(shown);
      expect(found.ignored.length).toBe(ignored);
      expect(found.code).toBe(found.shown.length === 0 ? 0 : 1);
    });
  }

  test("what it ignores is printed, and what matches nothing, too", async () => {
    const line = "check -f a.yaml --ignore DuplicateSectionName,InvalidField=svc/three,StatusDiffers";
    const { stdout, code } = await runCli(line, { files: { "a.yaml": text } });
    expect(code).toBe(0);
    expect(stdout.replaceAll("\n", " ")).toContain(
      "3 findings ignored: 2 DuplicateSectionName by --ignore, 1 InvalidField by --ignore. --ignore StatusDiffers matches no finding.",
    );
    expect(stdout).toContain("No findings in 2 objects");
  });

  for (const format of ["sarif", "github", "junit"])
    test(`-o ${format}: what it ignores is on standard error`, async () => {
      const line = `check -f a.yaml -o ${format} --ignore DuplicateSectionName`;
      const { stderr, stdout } = await runCli(line, { files: { "a.yaml": text } });
      expect(stderr).toContain("note: 2 findings ignored: 2 DuplicateSectionName by --ignore.");
      expect(stdout.includes("<skipped ")).toBe(format === "junit");
    });

  for (const [options, message] of [
    [
      "--ignore DuplicateSecionName",
      "--ignore: unknown finding code 'DuplicateSecionName'\nDid you mean DuplicateSectionName?",
    ],
    ["--ignore DuplicateSectionName=svcs/one", "unknown kind 'svcs'; did you mean 'svc'?"],
    ["--ignore DuplicateSectionName=one", "'one' is not written KIND/NAME or KIND/NAMESPACE/NAME"],
    ["--ignore DuplicateSectionName=svc/one#a", "leave out the section"],
  ] as const) {
    test(`${options} is a mistake`, async () => {
      const { code, stderr } = await check(options, text);
      expect([code, stderr.replaceAll(/\n {2,}/g, " ")]).toEqual([64, expect.stringContaining(message)]);
    });
  }
});

describe("a baseline", () => {
  const text = documents(service("one"), service("two"));

  async function write(options: string, from: string) {
    let written = "";
    const result = await runCli(`check -f a.yaml --write-baseline base.json ${options}`.trim(), {
      files: { "a.yaml": from },
      onWrite: (path, content) => {
        expect(path).toBe("base.json");
        written = content;
      },
    });
    expect(schemaViolations("finding-baseline.json", JSON.parse(written))).toEqual([]);
    return { ...result, written };
  }
  const checkWith = async (base: string, from: string, options = "") =>
    check(`--baseline base.json ${options}`.trim(), from, { files: { "base.json": base } });

  test("is written with one entry on each line, and nothing fails", async () => {
    const { written, code, stdout, stderr } = await write("", text);
    const entry = (name: string): string =>
      `    {"code":"DuplicateSectionName","object":{"group":"","kind":"Service","namespace":"shop","name":"${name}"},"field":"spec.ports[].name","count":1}`;
    expect(written).toBe(`{\n  "version": 1,\n  "findings": [\n${entry("one")},\n${entry("two")}\n  ]\n}\n`);
    expect([code, stderr]).toEqual([0, "note: base.json is written, with 2 entries\n"]);
    expect(stdout).toContain("2 findings ignored: 2 DuplicateSectionName by the baseline.");
  });

  test("ignores the same findings, wherever they move", async () => {
    const { written } = await write("", text);
    const moved = documents(
      "# moved\n\n\n" + service("two"),
      service("three").replaceAll("name: a,", "name: b,"),
      service("one"),
    );
    expect(await checkWith(written, moved)).toMatchObject({
      code: 1,
      shown: ["DuplicateSectionName three"],
      ignored: ["DuplicateSectionName two by baseline", "DuplicateSectionName one by baseline"],
    });
  });

  test("covers as many findings as it counts", async () => {
    const { written } = await write("", text);
    const again = text.replace("{name: a, port: 2}]", "{name: a, port: 2}, {name: b, port: 3}, {name: b, port: 4}]");
    expect(await checkWith(written, again)).toMatchObject({ code: 1, shown: ["DuplicateSectionName one"] });
  });

  test("entries that match no finding any more are reported", async () => {
    const { written } = await write("", text);
    const { found, code } = await checkWith(written, service("two"));
    expect([code, found?.staleBaseline]).toEqual([0, [expect.objectContaining({ code: "DuplicateSectionName" })]]);
    const { stdout } = await runCli("check -f a.yaml --baseline base.json", {
      files: { "a.yaml": service("two"), "base.json": written },
    });
    expect(stdout.replaceAll("\n", " ")).toContain(
      "1 entry of the baseline matches no finding any more: DuplicateSectionName of Service shop/one. Write the baseline again with --write-baseline.",
    );
  });

  test("entries out of scope or of another check are not", async () => {
    const { written } = await write("", text);
    const elsewhere = documents(service("two"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: infra}\n");
    expect((await checkWith(written, elsewhere, "-n infra")).found?.staleBaseline).toEqual([]);
    expect((await checkWith(written, elsewhere, "--dataplane embedded")).found?.staleBaseline).toEqual([]);
    expect((await checkWith(written, elsewhere)).found?.staleBaseline.length).toBe(1);
  });

  test("a document that cannot be read is known by its file", async () => {
    const { written } = await write("", "a: [\n");
    expect(await checkWith(written, "# more\na: [\n")).toMatchObject({
      code: 0,
      shown: [],
      ignored: ["YamlSyntax by baseline"],
    });
  });

  for (const [what, base, message] of [
    ["no JSON", "version: 1", "the baseline base.json is not JSON"],
    ["no baseline", "{}", "the baseline base.json is not a baseline: it has no list 'findings'"],
    ["another version", '{"version": 2, "findings": []}', "has version 2; this program reads version 1"],
    ["a broken entry", '{"version": 1, "findings": [{"code": 3}]}', "findings[0]: 'code' is not a string"],
    ["an entry without a name", '{"version": 1, "findings": [{"code": "A", "object": {}}]}', "'object' needs a kind"],
    ["a wrong count", '{"version": 1, "findings": [{"code": "A", "count": 0}]}', "'count' is not a number"],
  ] as const) {
    test(what, async () => {
      const { code, stderr } = await checkWith(base, text);
      expect([code, stderr.replaceAll(/\n +/g, " ")]).toEqual([65, expect.stringContaining(message)]);
    });
  }

  test("a file that is not there, or that cannot be written", async () => {
    const absent = await check("--baseline none.json", text);
    expect([absent.code, absent.stderr]).toEqual([
      65,
      expect.stringContaining("Write one with --write-baseline none.json."),
    ]);
    const unwritable = await runCli("check -f a.yaml --write-baseline base.json", { files: { "a.yaml": text } });
    expect([unwritable.code, unwritable.stderr]).toEqual([
      74,
      expect.stringContaining("the baseline cannot be written"),
    ]);
  });
});

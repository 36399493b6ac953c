/** Codes, what they mean, and the page about them. That every finding has one of these codes is for the compiler to see. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findingDocs } from "../../src/cli/check/gen/finding-docs.ts";
import type { Finding } from "../../src/core/model/finding.ts";
import type { DocumentFindingCode } from "../../src/core/model/finding-code.ts";
import { type FindingCodeFacts, findingCodes } from "../../src/core/model/finding-codes.ts";
import type { RefusalCode } from "../../src/core/topology/links.ts";
import { runCli } from "../support/cli/run-cli.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const codes = Object.keys(findingCodes);

/** Does not compile if a code that is not in the table can be emitted. */
const factsOf = (code: Finding["code"] | DocumentFindingCode | RefusalCode): FindingCodeFacts => findingCodes[code];

/** Source files that can emit findings, the table itself left out. */
const sources = ["src/core", "src/adapters/files"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !/finding-codes?\.ts$/.test(path))
  .map((path) => readFileSync(join(root, path), "utf8"));

describe("the table of codes", () => {
  test("has every code that the sources write beside `code:`", () => {
    const written = sources.flatMap((text) => [...text.matchAll(/\bcode: "([A-Z]\w+)"/g)].map(([, code = ""]) => code));
    expect(written.length).toBeGreaterThan(20);
    // Parts of codes: `Definition` stands before them.
    const parts = ["WrongType", "UnknownField", "UnknownValue", "Misplaced", "Duplicate"];
    const missing = written.filter((code) => !codes.includes(code) && !parts.includes(code));
    expect(missing).toEqual([]);
    expect(factsOf("TargetNotFound").severity).toBe("error");
  });

  test("has no code that is never reported", () => {
    const text = sources.join("\n");
    const isWritten = (code: string): boolean =>
      text.includes(`"${code}"`) ||
      (code.startsWith("Definition") && text.includes(`"${code.slice("Definition".length)}"`));
    expect(codes.filter((code) => !isWritten(code))).toEqual([]);
  });

  test("says what is the matter in a sentence, and what to do in another", () => {
    for (const [code, { title, fix }] of Object.entries(findingCodes)) {
      expect(title, code).toMatch(/^[A-Z].*\.$/);
      if (fix !== undefined) expect(fix, code).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe("docs/findings.md", () => {
  const page = readFileSync(join(root, "docs/findings.md"), "utf8");

  test("has a section for every code, in the order of the table", () => {
    expect([...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)).toEqual(codes);
  });

  test.each(Object.entries(findingCodes))("%s opens with its severity and title", (code, { severity, title }) => {
    const [heading, blank, first] = findingDocs.get(code)?.split("\n") ?? [];
    expect([heading, blank, first]).toEqual([`### ${code}`, "", `**${severity}** · ${title}`]);
  });

  test("is what the program carries with it", () => {
    const script = join(root, "scripts/generate-finding-docs.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  test("has an example of a CoverageRule that can be read", async () => {
    const [, example = ""] =
      /```yaml\n(apiVersion: prevail\.dev\/v1alpha1\nkind: CoverageRule[^`]*)```/.exec(page) ?? [];
    const { stdout } = await runCli("check --severity info -o json -f examples/bakery -f -", { stdin: example });
    const { items } = JSON.parse(stdout) as {
      readonly items: ReadonlyArray<{ readonly code: string; readonly at: { readonly file: string } }>;
    };
    expect(items.filter(({ at }) => at.file === "<stdin>").map(({ code }) => code)).toEqual(["CoverageMatchesNothing"]);
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { caveatCodes } from "../../src/core/caveats/caveat-codes.ts";

describe("docs/caveats.md", () => {
  const page = readFileSync(new URL("../../docs/caveats.md", import.meta.url), "utf8");

  test("has a section for every code, in the order of the table", () => {
    expect([...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)).toEqual(Object.keys(caveatCodes));
  });

  test.each(Object.entries(caveatCodes))("%s opens with its severity", (code, { severity, fix }) => {
    expect(page).toContain(`### ${code}\n\n**${severity}** · `);
    expect(fix).toMatch(/^[A-Z].*\.$/);
  });
});

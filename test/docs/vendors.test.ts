import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { builtInDefinitions } from "../../src/definitions/built-in-definitions.ts";
import { allVendorDefinitions } from "../../src/definitions/vendor-definitions.ts";
import { replaceSection } from "../support/crd/render-definition-reference.ts";
import { expectGolden } from "../support/golden.ts";
import {
  countCases,
  renderOverview,
  renderProof,
  renderShortTable,
  renderVendorPage,
} from "../support/vendors/render-vendor-pages.ts";
import { ASPECTS, loadVendorFacts } from "../support/vendors/vendor-facts.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const all = loadVendorFacts();
const own = allVendorDefinitions();
const core = builtInDefinitions().filter(({ policies: [{ group }] }) => group.startsWith("gateway.networking"));
const definitionsOf = (vendor: string) => [...(vendor === "gateway-api" ? core : []), ...(own.get(vendor) ?? [])];

describe("the pages about implementations are up to date", () => {
  test.each(all)("docs/vendors/$vendor.md", (facts) => {
    expectGolden(`${root}docs/vendors/${facts.vendor}.md`, renderVendorPage(facts, definitionsOf(facts.vendor)));
  });

  test("docs/vendors.md", () => {
    const path = `${root}docs/vendors.md`;
    const overview = replaceSection(readFileSync(path, "utf8"), "overview", renderOverview(all));
    expectGolden(path, replaceSection(overview, "proof", renderProof(all)));
  });

  test("README.md", () => {
    const path = `${root}README.md`;
    expectGolden(path, replaceSection(readFileSync(path, "utf8"), "vendors", renderShortTable(all)));
  });

  test("there is a page for each vendor, and no other", () => {
    const pages = readdirSync(`${root}docs/vendors`).filter((name) => name !== "README.md");
    expect(pages).toEqual(all.map(({ vendor }) => `${vendor}.md`));
  });
});

describe("the pages say what definitions say", () => {
  test.each(all)("docs/vendors/$vendor.md", (facts) => {
    for (const definition of definitionsOf(facts.vendor)) {
      const page = renderVendorPage(facts, [definition]);
      const { targeting, merge, parts = [], sensitive = [], governsPaths = [] } = definition;
      const { namedBy = [], absent, selectorNamespaces } = targeting;
      const keys = [...(merge.precedence ?? []), ...(merge.accumulate?.order ?? [])].flatMap((key) =>
        typeof key === "string" ? [] : [key.path ?? key.annotation],
      );
      const expected = [
        ...namedBy.map(({ path, annotation }) => path ?? annotation),
        absent?.rootNamespace,
        absent?.workloadSelector,
        selectorNamespaces?.field,
        merge.annotation?.key,
        ...keys,
        ...parts.flatMap(({ paths }) => paths),
        ...sensitive,
        ...governsPaths.flatMap(({ paths }) => paths),
      ].filter((word) => word !== undefined);
      expect(expected.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
      expect(page).not.toMatch(/^\| [^|]+ \| +\|$/m);
      if (targeting.kinds.length === 0) expect(page).not.toContain(`\`${targeting.fields.ref}\``);
    }
  });
});

/** The implementations with the most kinds and rules. */
const MANY_CASES = ["envoy-gateway", "istio", "kgateway"];

describe("the rules of each implementation are tested", () => {
  test.each(all)("$title: enough cases", (facts) => {
    expect(countCases(facts)).toBeGreaterThanOrEqual(MANY_CASES.includes(facts.vendor) ? 25 : 10);
  });

  test("all files with tables count", () => {
    const stated = all.flatMap(({ cases }) => Object.keys(cases));
    const withTables = readdirSync(`${root}test/vendors`).filter(
      (name) =>
        name.endsWith(".test.ts") && readFileSync(`${root}test/vendors/${name}`, "utf8").includes("vendorCases("),
    );
    expect(stated.sort()).toEqual(withTables.sort());
  });
});

describe("the table is honest", () => {
  test.each(all)(
    "$title: each kind with a definition is rated, and only those are",
    ({ vendor, kinds, missing = {} }) => {
      const defined = definitionsOf(vendor).flatMap(({ policies }) => policies.map(({ kind }) => kind));
      expect(Object.keys(kinds).sort()).toEqual(defined.sort());
      expect(Object.keys(missing).filter((kind) => defined.includes(kind))).toEqual([]);
    },
  );

  test.each(all)("$title: what the definition approximates is not called exact", ({ vendor, kinds }) => {
    for (const { policies, approximate = [] } of definitionsOf(vendor)) {
      const rating = kinds[policies[0].kind];
      const isExact = ASPECTS.every((aspect) => aspect === "status" || rating?.[aspect] === "exact");
      if (approximate.length > 0) expect([policies[0].kind, isExact]).toEqual([policies[0].kind, false]);
    }
  });
});

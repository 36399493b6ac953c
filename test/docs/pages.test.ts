/** What our pages say about files is true. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const inFolder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);

const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...inFolder("docs"), ...inFolder("examples")];

describe("links lead somewhere", () => {
  for (const page of pages) {
    test(page, () => {
      const targets = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
      const missing = targets.filter(
        (target) => !/^[a-z]+:|^#/.test(target) && !existsSync(join(root, dirname(page), target.replace(/#.*/, ""))),
      );
      expect(missing).toEqual([]);
    });
  }
});

/** The pages that guide through the code. */
const guides = ["ARCHITECTURE.md", "CONTRIBUTING.md", ...["src", "test", "bench", "scripts"].flatMap(inFolder)];

const code = ["src", "test", "bench", "scripts"].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: "utf8" }).map((name) => `${top}/${name}`),
);
const folderOf = (page: string): string => (page.includes("/") ? `${dirname(page)}/` : "");

/** A path is relative to the page, its parent, `src`, `src/core` or the root. A name alone may be anywhere below the page. */
describe("files that a page names exist", () => {
  test.each(guides)("%s", (page) => {
    const named = [...read(page).matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, name = ""]) => name);
    const folders = [dirname(page), dirname(dirname(page)), "src", "src/core", ""];
    const isBelow = (name: string): boolean =>
      !name.includes("/") && code.some((file) => file.startsWith(folderOf(page)) && file.endsWith(`/${name}`));
    const missing = named.filter(
      (name) => !isBelow(name) && !folders.some((folder) => existsSync(join(root, folder, name))),
    );
    expect(missing).toEqual([]);
  });
});

describe("README.md", () => {
  const text = read("README.md");

  test("opens with what Prevail is in two sentences, then output of explain, then how to install it, then two commands", () => {
    const [title, summary = "", question, output = ""] = text.split("\n\n");
    expect([title, summary.match(/\.(?=\s|$)/g)?.length, question]).toEqual(["# Prevail", 2, expect.any(String)]);
    expect(output).toMatch(/^```console\n\$ prevail explain /);
    expect([...text.matchAll(/^## (.*)$/gm)].slice(0, 2).map(([, heading]) => heading)).toEqual([
      "Install",
      "Two commands",
    ]);
  });

  test("names two commands for a fresh clone", () => {
    const [block = ""] = /```sh\n[^`]*```/.exec(text) ?? [];
    const commands = block.split("\n").slice(1, -1);
    expect(commands.map((line) => line.replace(/ +#.*/, ""))).toEqual(["npm run demo", "npm test"]);
  });
});

describe("the package", () => {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const [{ files }] = JSON.parse(packed) as [{ readonly files: readonly { readonly path: string }[] }];
  const paths = files.map(({ path }) => path);

  test("has pages that link only to what is in it", () => {
    const own = pages.filter((page) => paths.includes(page));
    expect(own).toContain("README.md");
    expect(own.length).toBeGreaterThan(50);
    const links = own.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = ""]) => target.replace(/#.*/, ""))
        .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
        .map((target) => ({ page, path: join(dirname(page), target) })),
    );
    expect(links.length).toBeGreaterThan(200);
    const isPacked = (path: string): boolean =>
      paths.some((one) => one === path || one.startsWith(path.endsWith("/") ? path : `${path}/`));
    expect(links.filter(({ path }) => !isPacked(path)).map(({ page, path }) => `${page}: ${path}`)).toEqual([]);
  });

  test("has the homepage of the chart", () => {
    const { homepage } = JSON.parse(read("package.json")) as { readonly homepage: string };
    expect(read("deploy/chart/Chart.yaml")).toContain(`\nhome: ${homepage}\n`);
  });
});

test("README.md shows the bakery's definition of RateLimitPolicy as it is", () => {
  const [, definition = ""] = /```yaml\n([^`]*)```/.exec(read("README.md")) ?? [];
  expect(definition).toContain("kind: RateLimitPolicy");
  expect(read("examples/bakery/policy-kinds.yaml")).toContain(definition);
});

test("benches that pages call are there", () => {
  const called = pages.flatMap((page) =>
    [...read(page).matchAll(/\bbench -- ([a-z]\w*)/g)].map(([, name = ""]) => name),
  );
  expect(called.length).toBeGreaterThan(3);
  expect(called.filter((name) => !existsSync(join(root, `bench/${name}.bench.ts`)))).toEqual([]);
});

test("ARCHITECTURE.md names every folder of the sources and of the tests, and none that is not there", () => {
  const text = read("ARCHITECTURE.md");
  const folders = ["src", "src/core", "src/adapters", "test"]
    .flatMap((parent) =>
      readdirSync(join(root, parent), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${parent}/${entry.name}`),
    )
    .filter((folder) => folder !== "src/core" && folder !== "src/adapters");
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`*]+)`/g)].map(([, name = ""]) => name),
  );
  const full = named.map((name) => (name === "regex" ? "src/adapters/regex" : name));
  expect(folders.filter((folder) => !full.includes(folder))).toEqual([]);
  expect(full.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

test("CONTRIBUTING.md names every npm script that people call, and none that is not there", () => {
  const facts: unknown = JSON.parse(read("package.json"));
  const scripts =
    typeof facts === "object" && facts !== null && "scripts" in facts ? Object.keys(facts.scripts ?? {}) : [];
  const rows = read("CONTRIBUTING.md")
    .split("\n")
    .filter((line) => line.startsWith("| `npm"));
  const named = new Set(rows.map((row) => /`npm (?:run )?([a-z]+)/.exec(row)?.[1] ?? ""));
  expect([...named].sort()).toEqual(scripts.filter((name) => !["setup", "prepack"].includes(name)).sort());
});

test("CONTRIBUTING.md shows the first test as it is", () => {
  const [, shown] = /```ts\n([\s\S]*?)```/.exec(read("CONTRIBUTING.md")) ?? [];
  expect(shown).toBe(read("test/examples/first.test.ts"));
});

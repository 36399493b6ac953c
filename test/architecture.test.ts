import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  type ArchitectureRules,
  checkArchitecture,
  findLayer,
  type SourceFile,
} from "./support/source/check-architecture.ts";
import { checkFolderPage, type PageRules } from "./support/source/check-folder-page.ts";

/** The rooms of `core/effective`, each of which may import those before it. */
const effective = ["world", "paths", "fold", "verdicts", "findings", "update"].map((name) => `core/effective/${name}`);
const belowReaders = [
  "core/model",
  "core/topology",
  "core/routing",
  "core/retry",
  "core/merge",
  "core/attachment",
  ...effective,
];
const core = [
  ...belowReaders,
  "core/status",
  "core/infrastructure",
  "core/gateway-status",
  "core/explain",
  "core/dataplane",
  "core/envoy",
  "core/embedded",
  "core/check",
  "core/caveats",
  "core/view",
  "core/admission",
  "core",
];
const adapters = [
  "adapters/files",
  "adapters/git",
  "adapters/cluster",
  "adapters/certificates",
  "adapters/admin",
  "adapters/regex",
  "adapters/sockets",
];
/** The languages of files: parsers that know nothing of files and objects. */
const fileLanguages = ["adapters/files/yaml", "adapters/files/json"];
/** What an adapter may import besides the core. */
const ofAdapter: Readonly<Record<string, readonly string[]>> = {
  "adapters/files": fileLanguages,
  "adapters/git": ["adapters/files"],
};
const belowSources = [...core, "definitions", ...adapters];
const inner = [...belowSources, "sources"];
/** The rooms of the embedded gateway, and the rooms that each may import. */
const gatewayRooms: Readonly<Record<string, readonly string[]>> = {
  "gateway/contract": [],
  "gateway/http1": ["gateway/contract"],
  "gateway/http2": ["gateway/contract", "gateway/http1"],
  "gateway/upstream": ["gateway/contract", "gateway/http1", "gateway/http2"],
  "gateway/filters": ["gateway/contract", "gateway/http1"],
  "gateway/streams": ["gateway/contract", "gateway/upstream"],
  "gateway/observe": ["gateway/contract"],
  "gateway/serve": [
    "gateway/contract",
    "gateway/http1",
    "gateway/http2",
    "gateway/upstream",
    "gateway/filters",
    "gateway/streams",
    "gateway/observe",
  ],
  "gateway/demo": [],
  gateway: ["gateway/contract", "gateway/upstream", "gateway/observe", "gateway/serve"],
};
/** The rooms that use adapters: sockets, regular expressions, metrics. The protocols do not. */
const adapterUsers = ["gateway/streams", "gateway/upstream", "gateway/observe", "gateway/serve", "gateway"];
/** What the command line prints with: parts that know nothing of commands and evaluations. */
const printing = ["cli/print/terminal", "cli/print/markup"];
/** The front-ends, and what each may import. None imports another, but for the rooms of the gateway. */
const ofFrontEnd: Readonly<Record<string, readonly string[]>> = {
  cli: [...inner, ...printing],
  controller: inner,
  webhook: [...core, ...adapters, "sources"],
  api: [...core, ...adapters, "sources"],
  xds: [...core, ...adapters],
  ...Object.fromEntries(
    Object.entries(gatewayRooms).map(([name, rooms]) => [
      name,
      [...core, ...(adapterUsers.includes(name) ? adapters : []), ...rooms],
    ]),
  ),
  ui: inner,
};
const frontEnds = Object.keys(ofFrontEnd);

/** The layers and what each may import. The first row that matches a file counts. */
const rules: ArchitectureRules = {
  layers: [
    { name: "core/model", contains: "src/core/model/", mayImport: [] },
    { name: "core/topology", contains: "src/core/topology/", mayImport: ["core/model"] },
    { name: "core/retry", contains: "src/core/retry/", mayImport: ["core/model"] },
    { name: "core/routing", contains: "src/core/routing/", mayImport: ["core/model", "core/topology"] },
    { name: "core/merge", contains: "src/core/merge/", mayImport: ["core/model"] },
    { name: "core/attachment", contains: "src/core/attachment/", mayImport: ["core/model", "core/topology"] },
    ...effective.map((name, index) => ({
      name,
      contains: `src/${name}/`,
      mayImport: ["core/model", "core/topology", "core/merge", "core/attachment", ...effective.slice(0, index)],
    })),
    { name: "core/status", contains: "src/core/status/", mayImport: belowReaders },
    { name: "core/infrastructure", contains: "src/core/infrastructure/", mayImport: belowReaders },
    {
      name: "core/gateway-status",
      contains: "src/core/gateway-status/",
      mayImport: [...belowReaders, "core/status", "core/dataplane", "core/infrastructure"],
    },
    {
      name: "core/explain",
      contains: "src/core/explain/",
      mayImport: [...belowReaders, "core/infrastructure", "core/dataplane"],
    },
    { name: "core/dataplane", contains: "src/core/dataplane/", mayImport: belowReaders },
    {
      name: "core/envoy",
      contains: "src/core/envoy/",
      mayImport: ["core/model", "core/retry", "core/routing", "core/dataplane"],
    },
    { name: "core/embedded", contains: "src/core/embedded/", mayImport: ["core/model", "core/dataplane"] },
    {
      name: "core/check",
      contains: "src/core/check/",
      mayImport: [
        ...belowReaders,
        "core/status",
        "core/infrastructure",
        "core/explain",
        "core/dataplane",
        "core/envoy",
        "core/embedded",
      ],
    },
    { name: "core/caveats", contains: "src/core/caveats/", mayImport: [...belowReaders, "core/dataplane"] },
    {
      name: "core/view",
      contains: "src/core/view/",
      mayImport: [...belowReaders, "core/dataplane", "core/explain", "core/caveats"],
    },
    {
      name: "core/admission",
      contains: "src/core/admission/",
      mayImport: [...belowReaders, "core/dataplane", "core/explain", "core/check"],
    },
    { name: "core", contains: "src/core/*.ts", mayImport: core },

    { name: "definitions", contains: "src/definitions/", mayImport: ["core/model"] },
    ...fileLanguages.map((name) => ({ name, contains: `src/${name}/`, mayImport: ["core/model"] })),
    ...adapters.map((name) => ({
      name,
      contains: `src/${name}/`,
      mayImport: [...core, ...(ofAdapter[name] ?? [])],
    })),
    { name: "sources", contains: "src/sources/", mayImport: belowSources },
    ...printing.map((name) => ({ name, contains: `src/${name}/`, mayImport: ["core/model"] })),
    ...frontEnds.map((name) => ({
      name,
      contains: `src/${name}/`,
      mayImport: ofFrontEnd[name] ?? [],
    })),

    { name: "entry xds", contains: "src/xds.ts", mayImport: [...inner, "xds"] },
    { name: "entry", contains: "src/*.ts", mayImport: inner },
    { name: "serve", contains: "src/serve/", mayImport: [...inner, ...printing, ...frontEnds] },
    { name: "bin", contains: "src/bin/", mayImport: ["sources", "serve"] },
  ],

  sealed: [{ folder: "src/gateway/http1/", entry: "src/gateway/http1/http1.ts" }],

  pureFolder: "src/core/",
  impureWords: [
    { pattern: /(?<![\w$.])Date\s*\.\s*now\b/, what: "time arrives as an argument" },
    { pattern: /(?<![\w$.])new\s+Date\s*\(/, what: "time arrives as an argument" },
    { pattern: /(?<![\w$.])performance\s*\./, what: "no clock" },
    { pattern: /(?<![\w$.])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/, what: "no timers" },
    { pattern: /(?<![\w$.])Math\s*\.\s*random\b/, what: "no randomness" },
    { pattern: /(?<![\w$.])crypto\s*\./, what: "no randomness" },
    { pattern: /(?<![\w$.])process\s*[.[]/, what: "no environment" },
    { pattern: /(?<![\w$.])globalThis\b/, what: "no environment" },
    {
      pattern: /\.\s*(?:localeCompare|toLocale\w+)\b|(?<![\w$.])Intl\s*\./,
      what: "the order of words depends on the locale",
    },
    { pattern: /(?<![\w$.])console\s*\./, what: "no logging" },
    { pattern: /(?<![\w$.])fetch\s*\(/, what: "no I/O" },
  ],

  packages: {
    "js-yaml": "src/adapters/files/yaml/",
    "@bufbuild/protobuf": "src/xds/",
    "@grpc/grpc-js": "src/xds/",
    "@peculiar/x509": "src/adapters/certificates/",
    "reflect-metadata": "src/adapters/certificates/",
    re2js: "src/adapters/regex/",
  },
  testPackages: ["vitest", "fast-check"],

  bannedNames: ["util", "utils", "helper", "helpers", "common", "misc", "shared", "manager", "service"],
  // Not "service": a Service is a Kubernetes object, so link-service.ts does say something.
  bannedEndings: ["util", "utils", "helper", "helpers", "misc", "manager"],
};

/** Layers of the design that have no file yet; their imports are decided. */
const toCome = ["ui", "entry xds"];

/** The files with variables of a module that change, and the reason why no user can see it. */
const changingVariables: Readonly<Record<string, string>> = {
  "src/api/discovery/open-api.ts": "a constant document that is built on the first request",
  "src/core/apply.ts": "assigned once, in the class whose private fields it reads",
  "src/core/evaluation.ts": "assigned once, in the class whose private fields it reads",
  "src/core/model/snapshot.ts": "assigned once, in the class whose private fields it reads",
  "src/gateway/http1/batched-output.ts": "the outputs of one turn of the event loop, which has one for the process",
  "src/gateway/http1/read/parse-header-lines.ts": "a bounded cache of a pure function",
  "src/gateway/http1/read/request-target.ts": "a bounded cache of a pure function",
  "src/gateway/http1/response-head.ts": "the text of one second, a pure function",
  "src/index.ts": "evaluators whose results depend on their arguments alone, with bounded caches",
};

const root = fileURLToPath(new URL("..", import.meta.url));

function loadFiles(): readonly SourceFile[] {
  return ["src", "test", "bench", "scripts"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path).split(sep).join("/"), text: readFileSync(path, "utf8") }));
}

const pageRules: PageRules = {
  layers: rules.layers,
  groups: [
    { words: "the core", layers: core },
    { words: "`core/effective`", layers: effective },
    { words: "the definitions", layers: ["definitions"] },
    { words: "the adapters", layers: adapters },
    { words: "the sources", layers: ["sources"] },
    { words: "the front-ends", layers: [...printing, ...frontEnds] },
  ],
  exists: (path) => existsSync(join(root, path)),
};

const isTest = (path: string): boolean => path.endsWith(".test.ts");

function expectNone(violations: readonly string[]): void {
  if (violations.length > 0) expect.fail(`${violations.length} violation(s):\n  ${violations.join("\n  ")}`);
}

describe("the tree", () => {
  const files = loadFiles();

  test("is read", () => {
    const paths = files.map((file) => file.path);
    expect(paths).toContain("test/architecture.test.ts");
    expect(paths.some((path) => path.startsWith("src/core/model/"))).toBe(true);
  });

  test("keeps the rules", () => {
    expectNone(checkArchitecture(files, rules));
  });

  const sources = files.filter(({ path }) => path.startsWith("src/") && !path.includes("/gen/") && !isTest(path));

  test("has no WeakMap of a module: a cache belongs to an object that its users create", () => {
    const isOfModule = /^(?:export )?(?:const|let|var) [^\n]*= new Weak(?:Map|Set)\b/m;
    expectNone(sources.filter(({ text }) => isOfModule.test(text)).map(({ path }) => path));
  });

  test("has variables of a module that change only where a list has the reason", () => {
    // An empty table is there to be filled, unless its name says that it is a constant.
    const isChanging =
      /^(?:export )?(?:(?:let|var) \w|const (?![A-Z_]+\b)\w+(?::(?:[^=\n]|=>)*)? = new (?:\w+Cache\b|(?:Map|Set)(?:<.*>)?\(\)))/m;
    const found = sources.filter(({ text }) => isChanging.test(text)).map(({ path }) => path);
    expect(found.sort()).toEqual(Object.keys(changingVariables).sort());
  });

  test("has one meaning for the name of each exported type of the core", () => {
    // Containers know nothing of policies, so the types inside them do not need names of their own.
    const core = sources.filter(({ path }) => path.startsWith("src/core/") && !path.includes("/collections/"));
    const types = core.flatMap(({ path, text }) =>
      [...text.matchAll(/^(export )?(?:abstract )?(?:interface|type|class) (\w+)/gm)].map(([, exported, name]) => ({
        name,
        isExported: exported !== undefined,
        path,
      })),
    );
    const repeated = types.filter((one) =>
      types.some((other) => other !== one && other.name === one.name && other.isExported),
    );
    expectNone(repeated.map(({ name, path }) => `${path}: the core exports another type ${name}`));
  });

  test("has folders of at most 25 files", () => {
    const counts = new Map<string, number>();
    for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expectNone([...counts].filter(([, count]) => count > 25).map(([folder, count]) => `${folder}: ${count} files`));
  });

  test("has a page in every folder of the sources and the tests", () => {
    const folders = ["src", "test"]
      .flatMap((top) => readdirSync(join(root, top), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((folder) => !/[/\\](?:gen|golden|testdata)(?:[/\\]|$)/.test(folder));
    const page = (folder: string): string => join(folder, "README.md");
    expectNone(folders.filter((folder) => !existsSync(page(folder))).map((folder) => `${folder}: no README.md`));
    const lines = (folder: string): number => readFileSync(page(folder), "utf8").split("\n").length;
    expectNone(
      folders.filter((folder) => lines(folder) > 36).map((folder) => `${page(folder)}: ${lines(folder)} lines`),
    );
  });

  test("has a page in every folder of src: what the folder is for, what it may import, where to begin reading", () => {
    const folders = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((folder) => !/\/(?:gen|testdata)(?:\/|$)/.test(folder));
    const pages = ["src", ...folders].map((folder) => {
      const path = join(root, folder, "README.md");
      const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
      return { folder, text };
    });
    expect(pages.length).toBeGreaterThan(150);
    expectNone(pages.flatMap((page) => checkFolderPage(page, pageRules)));
  });

  test("has a file in every layer but those to come", () => {
    const used = new Set(files.map(({ path }) => findLayer(path, rules.layers)?.name));
    expect(rules.layers.map(({ name }) => name).filter((name) => !used.has(name))).toEqual(toCome);
  });
});

describe("a page of a folder", () => {
  const page = (text: string, folder = "src/core/explain/how"): readonly string[] =>
    checkFolderPage({ folder, text }, { ...pageRules, exists: (path) => path.endsWith("/a.ts") });
  const title = "# explain/how\n\n";
  const end = "May import what `core/explain` may. Begin with `a.ts`.\n";

  test("that says all three is accepted", () => {
    expect(page(`${title}Finds changes.\n\n${end}`)).toEqual([]);
    expect(
      page(
        `# routing\n\nMatches.\n\nMay import \`core/model\` and\n\`core/topology\`. Begin with \`a.ts\`.`,
        "src/core/routing",
      ),
    ).toEqual([]);
  });

  for (const [name, text, violation] of [
    ["without a purpose", `${title}- \`a.ts\`: one.\n\n${end}`, /says first what the folder is for/],
    ["with a purpose that is a fragment", `${title}What changes.\n\n${end}`, /says first what the folder is for/],
    ["without imports", `${title}Finds changes. Begin with \`a.ts\`.`, /: May import what `core\/explain` may\.$/],
    [
      "with more imports than the table has",
      `${title}Finds changes.\n\nMay import the core. Begin with \`a.ts\`.`,
      /: May import what/,
    ],
    ["without a beginning", `${title}Finds changes.\n\nMay import what \`core/explain\` may.`, /says where to begin/],
    [
      "with a beginning that does not exist",
      `${title}Finds changes.\n\n${end.replace("a.ts", "b.ts")}`,
      /b\.ts, which does not exist/,
    ],
  ] as const) {
    test(`${name} is reported`, () => {
      expect(page(text)).toEqual([expect.stringMatching(violation)]);
    });
  }
});

test("the table names only layers it has", () => {
  const names = rules.layers.map((layer) => layer.name);
  expect(rules.layers.flatMap((layer) => layer.mayImport).filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

/** The checker itself, on small trees: path → text. */
const check = (tree: Readonly<Record<string, string>>) =>
  checkArchitecture(
    Object.entries(tree).map(([path, text]) => ({ path, text })),
    rules,
  );

const imports = (specifier: string) => `import { a } from "${specifier}";`;

describe("accepts", () => {
  for (const [name, path, text] of [
    ["a layer importing itself", "src/core/model/a.ts", imports("./b.ts")],
    ["a lower layer", "src/core/attachment/a.ts", imports("../topology/b.ts")],
    ["the façade importing any part of the core", "src/core/evaluate.ts", imports("./status/b.ts")],
    ["a definition importing the model", "src/definitions/a.ts", imports("../core/model/b.ts")],
    ["an adapter importing the core", "src/adapters/files/a.ts", imports("../../core/evaluate.ts")],
    ["a front-end importing an adapter", "src/cli/a.ts", imports("../adapters/files/b.ts")],
    ["an entry importing the core", "src/index.ts", imports("./core/evaluate.ts")],
    ["the xds entry importing xds", "src/xds.ts", imports("./xds/b.ts")],
    ["a composition root importing a front-end", "src/serve/a.ts", imports("../cli/b.ts")],
    ["an entry point importing a composition root", "src/bin/prevail.ts", imports("../serve/b.ts")],
    ["a front-end importing a source", "src/cli/a.ts", imports("../sources/b.ts")],
    ["the entry of a sealed folder", "src/gateway/http2/a.ts", imports("../http1/http1.ts")],
    ["a sealed folder importing itself", "src/gateway/http1/a.ts", imports("./read/b.ts")],
    ["a package at home", "src/adapters/files/yaml/a.ts", imports("js-yaml")],
    ["a path of a scoped package at home", "src/xds/a.ts", imports("@bufbuild/protobuf/wkt")],
    ["node: outside the core", "src/cli/a.ts", imports("node:fs")],
    ["a test importing freely", "src/core/model/a.test.ts", `${imports("vitest")}${imports("../../cli/b.ts")}`],
    ["a test importing test support", "src/core/model/a.test.ts", imports("../../../test/support/golden.ts")],
    ["a clock outside the core", "src/controller/a.ts", "Date.now();"],
    ["a clock in a test of the core", "src/core/model/a.test.ts", "Date.now();"],
    [
      "an impure word in a comment or a string",
      "src/core/model/a.ts",
      '// Date.now()\nexport const a = "process.env";',
    ],
    ["a property with an impure name", "src/core/model/a.ts", "a.process.b; a.performance.c; a.fetch();"],
    ["a Service as part of a name", "src/core/topology/link-service.ts", ""],
    ["generated code with names of its own", "src/xds/gen/Route_pb.ts", "export default 1;"],
  ] as const) {
    test(name, () => {
      expect(check({ [path]: text })).toEqual([]);
    });
  }
});

describe("reports", () => {
  for (const [name, path, text, violation] of [
    [
      "a model that imports",
      "src/core/model/a.ts",
      imports("../topology/b.ts"),
      "src/core/model/a.ts:1: imports ../topology/b.ts: core/model may not import core/topology (only itself)",
    ],
    [
      "a type-only import upwards",
      "src/core/topology/a.ts",
      '\nimport type { A } from "../merge/b.ts";',
      "src/core/topology/a.ts:2: imports ../merge/b.ts: core/topology may not import core/merge (only itself and core/model)",
    ],
    [
      "readers that import each other",
      "src/core/status/a.ts",
      imports("../explain/b.ts"),
      `src/core/status/a.ts:1: imports ../explain/b.ts: core/status may not import core/explain (only itself and ${belowReaders.join(", ")})`,
    ],
    [
      "the core importing an adapter",
      "src/core/evaluate.ts",
      imports("../adapters/files/b.ts"),
      /core may not import adapters/,
    ],
    [
      "a definition importing the façade",
      "src/definitions/a.ts",
      imports("../core/evaluate.ts"),
      /may not import core /,
    ],
    [
      "adapters that import each other",
      "src/adapters/regex/a.ts",
      imports("../files/b.ts"),
      /may not import adapters\/files/,
    ],
    [
      "a parser that knows of files",
      "src/adapters/files/yaml/a.ts",
      imports("../load-files.ts"),
      /may not import adapters\/files/,
    ],
    [
      "a printer that knows of a command",
      "src/cli/print/terminal/a.ts",
      imports("../../plan/b.ts"),
      /may not import cli/,
    ],
    ["front-ends that import each other", "src/cli/a.ts", imports("../xds/b.ts"), /cli may not import xds/],
    ["a source importing a front-end", "src/sources/a.ts", imports("../cli/b.ts"), /sources may not import cli/],
    ["an entry point importing a front-end", "src/bin/a.ts", imports("../cli/b.ts"), /bin may not import cli/],
    ["a re-export across front-ends", "src/cli/a.ts", 'export { b } from "../api/b.ts";', /cli may not import api/],
    ["a dynamic import across front-ends", "src/cli/a.ts", 'await import("../ui/b.ts");', /cli may not import ui/],
    [
      "an inner file of a sealed folder",
      "src/gateway/http2/a.ts",
      imports("../http1/read/b.ts"),
      "src/gateway/http2/a.ts:1: imports ../http1/read/b.ts: only src/gateway/http1/http1.ts may be imported from outside src/gateway/http1/",
    ],
    [
      "a test that imports an inner file of a sealed folder",
      "test/property/a.test.ts",
      imports("../../src/gateway/http1/read/b.ts"),
      /only src\/gateway\/http1\/http1\.ts may be imported/,
    ],
    [
      "a room of the gateway that imports upwards",
      "src/gateway/http1/a.ts",
      imports("../serve/b.ts"),
      /may not import/,
    ],
    ["a computed import", "src/cli/a.ts", "await import(name);", /write out the module name/],
    ["an entry importing a front-end", "src/index.ts", imports("./cli/b.ts"), /entry may not import cli/],
    ["an entry importing a composition root", "src/index.ts", imports("./bin/b.ts"), /entry may not import bin/],
    ["a front-end importing an entry", "src/cli/a.ts", imports("../index.ts"), /cli may not import entry/],
    ["a source that imports from tests", "src/cli/a.ts", imports("../../test/support/golden.ts"), /only from src/],
    ["a source that imports a test", "src/cli/a.ts", imports("./b.test.ts"), /only tests import tests/],
    ["a folder that is not in the table", "src/core/other/a.ts", "", /src\/core\/other\/a\.ts: belongs to no layer/],
    ["an import of such a folder", "src/cli/a.ts", imports("../core/other/b.ts"), /other\/b\.ts belongs to no layer/],
    ["node: in the core", "src/core/merge/a.ts", imports("node:path"), /pure: no node: modules/],
    ["a package in the core", "src/core/merge/a.ts", imports("js-yaml"), /pure: no packages/],
    [
      "a package away from home",
      "src/cli/a.ts",
      imports("js-yaml"),
      /js-yaml is imported only in src\/adapters\/files\/yaml/,
    ],
    ["a package that is not listed", "src/cli/a.ts", imports("@scope/left-pad/x.js"), /@scope\/left-pad is not listed/],
    ["a test with a package of its own", "src/cli/a.test.ts", imports("js-yaml"), /tests import vitest, fast-check/],
    [
      "Date.now",
      "src/core/model/a.ts",
      "\n\nDate.now();",
      "src/core/model/a.ts:3: uses Date.now: src/core/ is pure: time arrives as an argument",
    ],
    ["new Date", "src/core/model/a.ts", "new Date(0);", /uses new Date/],
    ["Math.random", "src/core/model/a.ts", "Math.random();", /no randomness/],
    ["process", "src/core/model/a.ts", "process.env;", /no environment/],
    ["console", "src/core/model/a.ts", "console.log(1);", /no logging/],
    ["performance", "src/core/model/a.ts", "performance.now();", /no clock/],
    ["setTimeout", "src/core/model/a.ts", "setTimeout(a);", /no timers/],
    ["fetch", "src/core/model/a.ts", "fetch(a);", /no I\/O/],
    ["an order that depends on the locale", "src/core/model/a.ts", "a.localeCompare(b);", /locale/],
    ["a default export", "src/cli/a.ts", "export default 1;", "src/cli/a.ts:1: no default export; export it by name"],
    ["a renamed default export", "src/cli/a.ts", "export { a as default };", /no default export/],
    ["a star export", "src/cli/a.ts", 'export * from "./b.ts";', /no `export \*`/],
    ["a star export of types", "src/cli/a.ts", 'export type * from "./b.ts";', /no `export \*`/],
    ["an inner index.ts", "src/core/model/index.ts", "", /no inner index\.ts/],
    ["camelCase", "src/cli/buildTable.ts", "", /kebab-case/],
    ["snake_case", "test/build_table.ts", "", /kebab-case/],
    [
      "a banned name",
      "src/cli/utils.ts",
      "",
      'src/cli/utils.ts: "utils" is not descriptive; name it after what it exports',
    ],
    ["a banned name of a test", "test/support/helpers.test.ts", "", /"helpers" is not descriptive/],
    ["a banned folder", "test/shared/a.ts", "", /"shared" is not descriptive/],
    ["a banned ending", "src/cli/string-utils.ts", "", /ends in "-utils"/],
  ] as const) {
    test(name, () => {
      const expected = typeof violation === "string" ? violation : expect.stringMatching(violation);
      expect(check({ [path]: text })).toEqual([expected]);
    });
  }

  test("an import cycle, type-only imports included", () => {
    const tree = {
      "src/core/model/a.ts": imports("./b.ts"),
      "src/core/model/b.ts": 'import type { C } from "./c.ts";',
      "src/core/model/c.ts": imports("./a.ts"),
      "src/core/model/d.ts": `${imports("./a.ts")}${imports("./c.ts")}`,
    };
    const [a, b, c] = Object.keys(tree);
    expect(check(tree)).toEqual([`${a}: import cycle: ${a} → ${b} → ${c} → ${a}`]);
  });

  test("a file that imports itself", () => {
    expect(check({ "src/core/model/a.ts": imports("./a.ts") })).toEqual([expect.stringContaining("import cycle")]);
  });

  test("a package behind two files", () => {
    const tree = {
      "src/adapters/files/yaml/a.ts": imports("js-yaml"),
      "src/adapters/files/yaml/b.ts": imports("js-yaml"),
    };
    expect(check(tree)).toEqual([
      "package js-yaml is imported by src/adapters/files/yaml/a.ts and src/adapters/files/yaml/b.ts: it must sit behind one file",
    ]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { memoryFiles } from "../../../test/support/cli/run-cli.ts";
import type { FileSystem } from "./file-system.ts";
import { loadFiles } from "./load-files.ts";
import { nodeFileSystem } from "./node-file-system.ts";

const object = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

function inMemory(files: Readonly<Record<string, string | Uint8Array>>, stdin = ""): FileSystem {
  return { ...memoryFiles(files), readStdin: async () => new TextEncoder().encode(stdin) };
}

async function load(paths: readonly string[], fileSystem: FileSystem) {
  const { documents, findings, files } = await loadFiles(paths, fileSystem);
  return {
    files,
    positions: documents.map(({ file, line, column }) => `${file}:${line}:${column}`),
    findings: findings.map(
      ({ code, severity, file, line, column, message }) => `${severity} ${code} ${file}:${line}:${column} ${message}`,
    ),
  };
}

describe("what is read", () => {
  test("a directory and all below it, in the order of names", async () => {
    const files = {
      "d/b.yaml": object("b"),
      "d/a.yml": object("a"),
      "d/sub/c.json": JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }),
      "d/README.md": "# no",
      "d/.hidden/x.yaml": object("x"),
      "d/.x.yaml": object("x"),
      "d/node_modules/y.yaml": object("y"),
    };
    const { positions, findings } = await load(["d"], inMemory(files));
    expect(positions).toEqual(["d/a.yml:1:1", "d/b.yaml:1:1", "d/sub/c.json:1:1"]);
    expect(findings).toEqual([]);
    expect((await load(["d/"], inMemory(files))).positions).toEqual(positions);
  });

  test("a file that is named is read whatever its name is", async () => {
    expect((await load(["objects.txt"], inMemory({ "objects.txt": object("a") }))).positions).toEqual([
      "objects.txt:1:1",
    ]);
  });

  test("many documents, lists and JSON, each at its position", async () => {
    const text = `---\n# comment only\n---\n${object("a")}---\napiVersion: v1\nkind: List\nitems:\n- ${object("b").trim().replaceAll("\n", "\n  ")}\n---\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}\n`;
    expect((await load(["a.yaml"], inMemory({ "a.yaml": text }))).positions).toEqual([
      "a.yaml:4:1",
      "a.yaml:11:3",
      "a.yaml:15:1",
    ]);
  });

  test("standard input, once", async () => {
    const { positions, files } = await load(["-", "-"], inMemory({}, object("a")));
    expect(positions).toEqual(["<stdin>:1:1"]);
    expect(files).toEqual(["<stdin>"]);
  });

  test("a file that is reached twice is read once", async () => {
    expect((await load(["d", "d/a.yaml", "d"], inMemory({ "d/a.yaml": object("a") }))).positions).toEqual([
      "d/a.yaml:1:1",
    ]);
  });

  test("Windows line endings and a byte order mark", async () => {
    const text = `\uFEFF${object("a")}---\n${object("b")}`.replaceAll("\n", "\r\n");
    const { positions, findings } = await load(["a.yaml"], inMemory({ "a.yaml": text }));
    expect(positions).toEqual(["a.yaml:1:1", "a.yaml:5:1"]);
    expect(findings).toEqual([]);
  });
});

describe("what cannot be read is a finding, and the rest is read", () => {
  for (const [name, files, paths, expected] of [
    ["a path that is not there", {}, ["nowhere"], ["error PathNotFound nowhere:1:1 no such file or directory"]],
    [
      "an address",
      {},
      ["https://example.com/a.yaml"],
      ["error PathNotFound https://example.com/a.yaml:1:1 addresses are not read: fetch it and pipe it in, with -f -"],
    ],
    [
      "a directory without data",
      { "d/README.md": "" },
      ["d"],
      ["warning EmptyDirectory d:1:1 no .yaml, .yml or .json file in this directory or below it"],
    ],
    [
      "a broken document",
      { "a.yaml": `${object("a")}---\na: [\n---\n${object("b")}` },
      ["a.yaml"],
      [expect.stringMatching(/^error YamlSyntax a\.yaml:[56]:\d+ /)],
    ],
    [
      "Latin-1",
      { "a.yaml": new Uint8Array([...new TextEncoder().encode("a: b\nc: caf"), 0xe9, 10]) },
      ["a.yaml"],
      ["error NotUtf8 a.yaml:2:7 the byte 0xe9 is not UTF-8: save this file as UTF-8"],
    ],
    [
      "UTF-16",
      { "a.yaml": new Uint8Array([0xff, 0xfe, 97, 0]) },
      ["a.yaml"],
      ["error NotUtf8 a.yaml:1:1 this file is UTF-16, not UTF-8: save it as UTF-8"],
    ],
  ] as const) {
    test(name, async () => {
      const all: Record<string, string | Uint8Array> = { ...files, "good.yaml": object("good") };
      const { positions, findings } = await load([...paths, "good.yaml"], inMemory(all));
      expect(findings).toEqual(expected);
      expect(positions).toContain("good.yaml:1:1");
    });
  }

  test("a file beyond the limit", async () => {
    const fileSystem = inMemory({ "big.yaml": object("a") });
    const { findings, documents } = await loadFiles(["big.yaml"], fileSystem, { maxFileBytes: 10 });
    expect(documents).toEqual([]);
    expect(findings.map(({ code }) => code)).toEqual(["TooLarge"]);
  });

  test("a file that may not be read", async () => {
    const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    const fileSystem = { ...inMemory({ "a.yaml": "" }), readFile: () => Promise.reject(denied) };
    expect((await load(["a.yaml"], fileSystem)).findings).toEqual([
      "error PathUnreadable a.yaml:1:1 permission denied",
    ]);
  });
});

describe("the files of this machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "prevail-load-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function* noInput(): AsyncIterable<Uint8Array> {}
  const machine = nodeFileSystem(noInput());

  test("links are followed, in circles only once", async () => {
    mkdirSync(join(folder, "d"));
    writeFileSync(join(folder, "d", "a.yaml"), object("a"));
    symlinkSync(join(folder, "d"), join(folder, "d", "again"));
    symlinkSync(join(folder, "d", "a.yaml"), join(folder, "d", "b.yaml"));
    symlinkSync(join(folder, "gone"), join(folder, "d", "c.yaml"));
    const { positions, findings } = await load([join(folder, "d")], machine);
    expect(positions).toEqual([`${folder}/d/a.yaml:1:1`]);
    expect(findings).toEqual([`error PathNotFound ${folder}/d/c.yaml:1:1 no such file or directory`]);
  });
});

describe("files in a folder that are not about Kubernetes", () => {
  const others = {
    "d/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
    "d/chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "d/chart/values.yaml": "replicas: 2\nenabled: yes\n",
    "d/dashboard.json": '{"title": "requests", "panels": [{"expr": "rate(x[5m])", "legend": "{{pod}}"}]}',
    "d/openapi.yaml": "openapi: 3.0.0\npaths: {}\n",
    "d/list.yaml": "- apiVersion: v1\n- 2\n",
    "d/report.yaml": "apiVersion: gateway.networking.k8s.io/v1\nkind: ConformanceReport\n",
    "d/tsconfig.json": '{"a": [1}',
  };

  test("they are skipped, and counted in one finding", async () => {
    const { positions, findings } = await load(["d"], inMemory({ ...others, "d/a.yaml": object("a") }));
    expect(positions).toEqual(["d/a.yaml:1:1"]);
    expect(findings).toEqual([
      "info SkippedDocuments d/chart/Chart.yaml:1:1 8 documents are not Kubernetes objects and are skipped: Chart.yaml, dashboard.json, kustomization.yaml, list.yaml and 4 more; render kustomizations with kubectl kustomize DIR, and read the output with -f -",
    ]);
  });

  test("beside an object in one file, too", async () => {
    const { positions, findings } = await load(["d"], inMemory({ "d/a.yaml": `x: on\n---\n${object("a")}` }));
    expect(positions).toEqual(["d/a.yaml:3:1"]);
    expect(findings).toEqual([
      "info SkippedDocuments d/a.yaml:1:1 1 document is not a Kubernetes object and is skipped: a.yaml",
    ]);
  });

  test.each(["d/list.yaml", "d/tsconfig.json"])("a file that is named itself is an error: %s", async (path) => {
    const { findings } = await load([path], inMemory(others));
    expect(findings.map((finding) => finding.split(" ")[0])).toEqual(["error"]);
  });

  test("a document of a kind that takes part, without a name, is a mistake and not skipped", async () => {
    const gateway = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nspec: {}\n";
    const { positions } = await load(["d"], inMemory({ "d/g.yaml": `${gateway}---\nkind: HTTPRoute\nspec: {}\n` }));
    expect(positions).toEqual(["d/g.yaml:1:1", "d/g.yaml:5:1"]);
  });

  test("a broken document that may be an object is an error", async () => {
    const { findings } = await load(["d"], inMemory({ "d/a.yaml": "apiVersion: v1\nkind: [\n" }));
    expect(findings.map((finding) => finding.split(" ").slice(0, 2).join(" "))).toEqual(["error YamlSyntax"]);
  });
});

describe("templates", () => {
  const templates = {
    "c/shop/templates/a.yaml": `{{- if .Values.on }}\n${object("a")}{{- end }}\n`,
    "c/shop/templates/b.yaml": object("{{ .Release.Name }}").replace("{name: ", "\n  name: ").replace("}\n", "\n"),
    "c/shop/templates/c.yaml": `${object("c")}data: {{ toYaml .Values.data }}\n---\n${object("d")}`,
  };

  test("in a folder they are skipped, with one finding that says how to render them", async () => {
    const { positions, findings } = await load(["c"], inMemory({ ...templates, "c/z.yaml": object("z") }));
    expect(positions).toEqual(["c/z.yaml:1:1"]);
    expect(findings).toEqual([
      "warning UnrenderedTemplate c/shop/templates/a.yaml:1:1 3 files are templates, not YAML, and are skipped; this is the first of them: render them first, with helm template c/shop, and read the output with -f -",
    ]);
  });

  test.each(Object.keys(templates))("a template that is named itself is one error: %s", async (path) => {
    const { positions, findings } = await load([path], inMemory(templates));
    expect(positions).toEqual([]);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(/^error UnrenderedTemplate .* this file is a template, not YAML: render it first/);
  });

  test("Git LFS pointers, too: skipped in a folder with one finding, and an error if named", async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 1\n`;
    const files = inMemory({ "d/a.yaml": pointer, "d/b.json": pointer, "d/z.yaml": object("z") });
    const { positions, findings } = await load(["d"], files);
    expect([positions, findings]).toEqual([
      ["d/z.yaml:1:1"],
      [
        "warning LfsPointer d/a.yaml:1:1 2 files are Git LFS pointers, not their content, and are skipped; this is the first of them: fetch them with git lfs pull",
      ],
    ]);
    expect((await load(["d/a.yaml"], files)).findings).toEqual([
      "error LfsPointer d/a.yaml:1:1 this file is a Git LFS pointer, not its content, and is skipped: fetch it with git lfs pull",
    ]);
  });

  test("an object whose text has {{ for other readers is no template", async () => {
    const rule = `${object("a")}data:\n  rule: "{{ $labels.pod }} is down"\n  text: |\n    {{ range }}\n`;
    expect(await load(["d"], inMemory({ "d/a.yaml": rule }))).toMatchObject({
      positions: ["d/a.yaml:1:1"],
      findings: [],
    });
  });
});

describe("a file of a folder that had objects only when it was read before", () => {
  const broken = inMemory({ "d/a.yaml": "kind: [", "d/values.yaml": "replicas: 2\n" });

  test("is broken if it does not have them any more: half of an edit is an error", async () => {
    const before = inMemory({ "d/a.yaml": object("a"), "d/values.yaml": "replicas: 2\n" });
    const { objectFiles } = await loadFiles(["d"], before);
    expect(objectFiles).toEqual(["d/a.yaml"]);
    const { findings } = await loadFiles(["d"], broken, { objectFiles: new Set(objectFiles) });
    expect(findings.map(({ severity, file }) => `${severity} ${file}`)).toEqual([
      "error d/a.yaml",
      "info d/values.yaml",
    ]);
  });

  test("without that knowledge it is skipped and counted", async () => {
    const { findings } = await loadFiles(["d"], broken);
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual(["info SkippedDocuments"]);
  });
});

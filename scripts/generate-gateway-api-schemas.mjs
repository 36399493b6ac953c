// Generates src/core/model/schema/gen/gateway-api-schemas.ts from the CRDs of Gateway API, standard and experimental channel.
//   node scripts/generate-gateway-api-schemas.mjs [FILE]
// The CRDs come from the Go module of Gateway API, by the module proxy that Go is configured with; `sum` pins its content.
// Descriptions and the schema of `status` are left out; defaults and CEL rules are kept. Sub-schemas that occur more than once are
// written once. Exit code 3: this machine cannot do it (the reason is the last line of stderr).
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { load } from "js-yaml";

const module = "sigs.k8s.io/gateway-api";
const version = "v1.7.0";
const sum = "h1:duVnm7nO6oXfMMUWfcDoBph47CYR/ME3NGxccOVglaY=";
const channels = ["standard", "experimental"];
/** Shorter sub-schemas are repeated: a reference would not be shorter. */
const MIN_SHARED_LENGTH = 40;

const root = fileURLToPath(new URL("..", import.meta.url));
const out = process.argv[2] ?? join(root, "src", "core", "model", "schema", "gen", "gateway-api-schemas.ts");

class Refusal extends Error {}

try {
  const crds = readCrds(downloadModule());
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, render(entriesOf(crds)));
  console.error(`gateway api schemas: ${crds.length} CRDs of ${module} ${version}`);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`gateway api schemas: not generated: ${error.message}`);
  process.exitCode = 3;
}

/** Returns the content of the module's zip file. */
function downloadModule() {
  const folder = mkdtempSync(join(tmpdir(), "prevail-gateway-api-"));
  try {
    writeFileSync(join(folder, "go.mod"), "module prevail\n");
    const { error, stdout, stderr } = spawnSync("go", ["mod", "download", "-json", `${module}@${version}`], {
      cwd: folder,
      encoding: "utf8",
      timeout: 300_000,
      // The sum is compared below, so no checksum database is needed. No other Go is downloaded for a file of data.
      env: { ...process.env, GOFLAGS: "-mod=mod", GONOSUMDB: module, GOTOOLCHAIN: "local" },
    });
    if (error) throw new Refusal(`Go is missing: ${error.message}`);
    // An older Go reports that it could not build the module, beside the zip file that it did download.
    const { Zip: zip, Sum: found, Error: reason } = JSON.parse(stdout === "" ? "{}" : stdout);
    if (zip === undefined || !existsSync(zip)) {
      throw new Refusal(`${module} ${version} could not be downloaded: ${reason ?? stderr.trim()}`);
    }
    if (found !== sum) throw new Error(`${module} ${version} has the sum ${found}; expected ${sum}`);
    return readFileSync(zip);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readCrds(zip) {
  const prefix = `${module}@${version}/config/crd/`;
  return [...filesIn(zip)]
    .filter(([name]) => name.startsWith(prefix) && /\/[^/_]+_[a-z]+\.yaml$/.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, read]) => ({ channel: name.slice(prefix.length).split("/")[0], crd: load(read()) }))
    .filter(({ channel }) => channels.includes(channel));
}

/** The files of a zip archive, by name, from its central directory. */
function filesIn(zip) {
  const files = new Map();
  const end = zip.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  const count = zip.readUInt16LE(end + 10);
  for (let i = 0, at = zip.readUInt32LE(end + 16); i < count; i++) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const header = zip.readUInt32LE(at + 42);
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    files.set(name, () => {
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      const bytes = zip.subarray(start, start + size);
      return (method === 0 ? bytes : inflateRawSync(bytes)).toString("utf8");
    });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}

/** One entry for each distinct schema of a kind, with the channels and versions that have it. */
function entriesOf(crds) {
  const entries = new Map();
  for (const { channel, crd } of crds) {
    const { group, names, versions } = crd.spec;
    for (const { name, storage, schema } of versions) {
      const { properties, ...atRoot } = withoutDescriptions(schema.openAPIV3Schema);
      const fields = Object.keys(properties).filter(
        (field) => !["apiVersion", "kind", "metadata", "status"].includes(field),
      );
      const rules = Object.keys(atRoot).filter((key) => !["type", "required"].includes(key));
      if (String(fields) !== "spec" || rules.length > 0) throw new Error(`${names.kind} ${name} has more than a spec`);
      const key = `${group} ${names.kind} ${JSON.stringify(properties.spec)}`;
      const entry = entries.get(key) ?? { group, kind: names.kind, spec: properties.spec, versions: new Map() };
      entry.versions.set(`${channel}/${name}`, { channel, name, storage });
      entries.set(key, entry);
    }
  }
  const rank = ({ kind, group }) => `${kind} ${group}`;
  return [...entries.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
}

/** Keys are sorted, so that equal schemas are equal texts. */
function withoutDescriptions(schema) {
  const plain = {};
  for (const key of Object.keys(schema).sort()) {
    if (key !== "description") plain[key] = mapInner(key, schema[key], withoutDescriptions);
  }
  return plain;
}

/** The value of a keyword, with a function applied to each sub-schema that it contains. */
function mapInner(keyword, value, each) {
  switch (keyword) {
    case "properties":
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, each(inner)]));
    case "items":
    case "not":
    case "additionalProperties":
      return typeof value === "object" ? each(value) : value;
    case "anyOf":
    case "oneOf":
    case "allOf":
      return value.map(each);
    default:
      return value;
  }
}

function render(entries) {
  const shared = sharedParts(entries.map(({ spec }) => spec));
  const parts = [];
  /** Index of each part that is written, by its text without references. */
  const indexes = new Map();
  const refer = (schema) => {
    const text = JSON.stringify(schema);
    if (!shared.has(text)) return inline(schema);
    if (!indexes.has(text)) {
      const part = inline(schema);
      indexes.set(text, parts.push(JSON.stringify(part)) - 1);
    }
    return { $ref: indexes.get(text) };
  };
  const inline = (schema) =>
    Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, mapInner(keyword, value, refer)]));
  const rows = entries.map(({ group, kind, spec, versions }) => {
    const listed = [...versions.values()].map(
      ({ channel, name, storage }) => `    { channel: "${channel}", name: "${name}", storage: ${storage} },\n`,
    );
    const head = `    group: "${group}",\n    kind: "${kind}",\n    versions: [\n${listed.map((line) => `  ${line}`).join("")}    ],\n`;
    return `  {\n${head}    spec: ${quote(JSON.stringify(inline(spec)))},\n  },\n`;
  });
  return [
    `// Generated by scripts/generate-gateway-api-schemas.mjs from the CRDs of ${module} ${version}. Do not edit.\n`,
    'import type { GatewayApiSchema } from "../gateway-api-schema.ts";\n\n',
    "export const gatewayApiSchemas: readonly GatewayApiSchema[] = [\n",
    ...rows,
    "];\n\n",
    '/** Sub-schemas that occur more than once, as JSON. `{"$ref": 3}` in a schema stands for the one at index 3. */\n',
    `export const sharedSchemas: readonly string[] = [\n${parts.map((part) => `  ${quote(part)},\n`).join("")}];\n`,
  ].join("");
}

/** The texts of the sub-schemas that occur more than once. A sub-schema of a repeated one is counted once with it. */
function sharedParts(schemas) {
  const counts = new Map();
  const visit = (schema) => {
    const text = JSON.stringify(schema);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    if (counts.get(text) === 1) for (const [keyword, value] of Object.entries(schema)) mapInner(keyword, value, visit);
    return schema;
  };
  schemas.forEach(visit);
  return new Set(
    [...counts].filter(([text, count]) => count > 1 && text.length > MIN_SHARED_LENGTH).map(([text]) => text),
  );
}

function quote(text) {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

// Generates src/xds/gen from the Envoy binary, which contains the descriptors of its whole API. So the types match that Envoy version.
//   node scripts/generate-xds-types.mjs [FOLDER]
// Only the messages that `xds-messages.mjs` lists are kept. protoc-gen-es generates the TypeScript.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  DescriptorProtoSchema,
  EnumDescriptorProtoSchema,
  EnumValueDescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_struct,
  file_google_protobuf_wrappers,
  OneofDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { readEnvoyDescriptors } from "./read-envoy-descriptors.mjs";
import { xdsFiles, xdsMessages } from "./xds-messages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = process.argv[2] ?? join(root, "src", "xds", "gen");
const wellKnown = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_struct,
  file_google_protobuf_wrappers,
].map(({ proto }) => proto);

const wanted = new Map(Object.entries(xdsMessages).map(([name, fields]) => [name, fields.split(" ").filter(Boolean)]));
const files = readEnvoyDescriptors(envoyBinary(), xdsFiles);
/** The file of each type, by the type's full name. */
const homes = new Map(
  [...files.values(), ...wellKnown].flatMap((file) => typeNames(file).map((name) => [name, file.name])),
);
const missing = [...wanted.keys()].filter((name) => !homes.has(name));
if (missing.length > 0) fail(`no file that was read has ${missing.join(", ")}`);
writeFiles(generate([...files.values()].flatMap(pruneFile)));

function envoyBinary() {
  const result = spawnSync(process.execPath, [join(root, "scripts", "provision-envoy.mjs")], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
  return result.stdout.trim();
}

function typeNames({ package: prefix, messageType, enumType }) {
  const below = (message, name) => [
    name,
    ...message.enumType.map((inner) => `${name}.${inner.name}`),
    ...message.nestedType.flatMap((inner) => below(inner, `${name}.${inner.name}`)),
  ];
  return [
    ...messageType.flatMap((message) => below(message, `${prefix}.${message.name}`)),
    ...enumType.map(({ name }) => `${prefix}.${name}`),
  ];
}

function pruneFile(file) {
  const { name, package: prefix, syntax } = file;
  const messageType = file.messageType.flatMap((message) => pruneMessage(message, `${prefix}.${message.name}`));
  const enumType = file.enumType.filter((one) => usedTypes().has(`${prefix}.${one.name}`)).map(bareEnum);
  if (messageType.length + enumType.length === 0) return [];
  const needs = new Set(messageType.flatMap(fieldTypes).map((type) => homes.get(type)));
  needs.delete(name);
  const dependency = [...needs].sort(compareText);
  return [create(FileDescriptorProtoSchema, { name, package: prefix, syntax, dependency, messageType, enumType })];
}

/** A message that is not listed may contain nested messages that are. */
function pruneMessage(message, fullName) {
  const nestedType = message.nestedType.flatMap((inner) =>
    isMap(inner) ? [] : pruneMessage(inner, `${fullName}.${inner.name}`),
  );
  const names = wanted.get(fullName);
  if (names === undefined && nestedType.length === 0) return [];
  const kept = fieldsOf(message, fullName);
  const oneofs = [...new Set(kept.filter(isInOneof).map(({ oneofIndex }) => oneofIndex))];
  const maps = message.nestedType.filter((inner) => isMap(inner) && usedTypes().has(`${fullName}.${inner.name}`));
  return [
    create(DescriptorProtoSchema, {
      name: message.name,
      field: kept.map((field) => bareField(field, oneofs)),
      oneofDecl: oneofs.map((index) => create(OneofDescriptorProtoSchema, { name: message.oneofDecl[index].name })),
      nestedType: [...nestedType, ...maps.map(bareMap)],
      enumType: message.enumType.filter(({ name }) => usedTypes().has(`${fullName}.${name}`)).map(bareEnum),
    }),
  ];
}

function isMap({ options }) {
  return options?.mapEntry === true;
}

/** True if the field belongs to a oneof. Index 0 is also the value of a field without one. */
function isInOneof(field) {
  return Object.hasOwn(field, "oneofIndex");
}

function fieldsOf(message, fullName) {
  const names = wanted.get(fullName) ?? [];
  const unknown = names.filter((name) => !message.field.some((field) => field.name === name));
  if (unknown.length > 0) fail(`${fullName} has no field ${unknown.join(", ")}`);
  return message.field.filter(({ name }) => names.includes(name));
}

/** The types of all kept fields. Messages among them must be listed, too. */
function usedTypes() {
  usedTypes.found ??= new Set(
    [...files.values()].flatMap(({ package: prefix, messageType }) =>
      messageType.flatMap((message) => typesBelow(message, `${prefix}.${message.name}`)),
    ),
  );
  return usedTypes.found;
}

function typesBelow(message, fullName) {
  return [
    ...fieldTypes({ field: fieldsOf(message, fullName), nestedType: [] }),
    ...message.nestedType.flatMap((inner) => typesBelow(inner, `${fullName}.${inner.name}`)),
  ];
}

function fieldTypes({ field, nestedType }) {
  const own = field.flatMap(({ typeName }) => (typeName === "" ? [] : [typeName.slice(1)]));
  return [...own, ...nestedType.flatMap(fieldTypes)];
}

/** The descriptors without options, which are rules for Envoy's own validation. */
function bareField(field, oneofs = []) {
  const { name, number, label, type, typeName, jsonName } = field;
  return create(FieldDescriptorProtoSchema, {
    name,
    number,
    label,
    type,
    typeName,
    jsonName,
    ...(isInOneof(field) ? { oneofIndex: oneofs.indexOf(field.oneofIndex) } : {}),
  });
}

function bareMap({ name, field }) {
  const fields = field.map((one) => bareField(one));
  return create(DescriptorProtoSchema, { name, field: fields, options: { mapEntry: true } });
}

function bareEnum({ name, value }) {
  const values = value.map((one) => create(EnumValueDescriptorProtoSchema, { name: one.name, number: one.number }));
  return create(EnumDescriptorProtoSchema, { name, value: values });
}

function generate(pruned) {
  const fileToGenerate = pruned.map(({ name }) => name).sort();
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate,
    parameter: "target=ts,import_extension=ts",
    protoFile: inOrder([...wellKnown, ...pruned]),
  });
  const plugin = join(root, "node_modules", "@bufbuild", "protoc-gen-es", "bin", "protoc-gen-es");
  const result = spawnSync(process.execPath, [plugin], {
    input: toBinary(CodeGeneratorRequestSchema, request),
    maxBuffer: 64 * 1024 * 1024,
  });
  const response = fromBinary(CodeGeneratorResponseSchema, result.stdout);
  if (result.status !== 0 || response.error !== "") fail(`protoc-gen-es: ${response.error}${result.stderr}`);
  return response.file;
}

/** The files in dependency order. */
function inOrder(all) {
  const byName = new Map(all.map((file) => [file.name, file]));
  const ordered = new Map();
  const visit = (file) => {
    if (ordered.has(file.name)) return;
    for (const name of file.dependency) visit(byName.get(name));
    ordered.set(file.name, file);
  };
  for (const file of [...all].sort((a, b) => compareText(a.name, b.name))) visit(file);
  return [...ordered.values()];
}

function writeFiles(generated) {
  rmSync(out, { recursive: true, force: true });
  for (const { name, content } of generated) {
    const path = join(out, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, erasable(content));
  }
  console.error(`generate-xds-types: wrote ${generated.length} files into ${out}`);
}

/** Replaces TypeScript enums, which are not erasable syntax, by objects with the same numbers. */
function erasable(content) {
  return content.replaceAll(/export enum (\w+) \{([^}]*)\}/g, (_, name, body) => {
    const values = body.replaceAll(/(\w+) = (-?\d+),/g, "$1: $2,");
    return `export const ${name} = {${values}} as const;\nexport type ${name} = (typeof ${name})[keyof typeof ${name}];`;
  });
}

function compareText(a, b) {
  return a < b ? -1 : 1;
}

function fail(message) {
  console.error(`generate-xds-types: ${message}`);
  process.exit(1);
}

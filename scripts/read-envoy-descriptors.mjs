// Reads the descriptors of Envoy's API from its binary. Protobuf stores them as FileDescriptorProtos, each of which begins with its file name.
import { readFileSync } from "node:fs";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The FileDescriptorProtos of these files and of all files that they import, by name. */
export function readEnvoyDescriptors(path, fileNames) {
  const binary = readFileSync(path);
  const found = new Map();
  const queue = [...fileNames];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name) || name.startsWith("google/protobuf/")) continue;
    const file = findFile(binary, name);
    if (file === undefined) throw new Error(`${path} contains no descriptor of ${name}`);
    found.set(name, file);
    queue.push(...file.dependency.filter(isOfInterest));
  }
  return found;
}

/** Imports that are kept. The others only annotate. */
const isOfInterest = (name) =>
  /^(?:envoy|opentelemetry|google\/rpc|xds\/(?:core|type\/matcher))\//.test(name) &&
  !name.startsWith("envoy/annotations/");

function findFile(binary, name) {
  const text = Buffer.from(name);
  const beginning = Buffer.concat([Buffer.from([NAME, text.length]), text]);
  for (let at = binary.indexOf(beginning); at !== -1; at = binary.indexOf(beginning, at + 1)) {
    const end = endOfFile(binary, at + beginning.length);
    const file = fromBinary(FileDescriptorProtoSchema, binary.subarray(at, end));
    if (file.package !== "") return file;
  }
  return undefined;
}

const NAME = 0x0a;
const VARINT = 0;
const BYTES = 2;

/** A descriptor has no length field: it ends where no further field of a FileDescriptorProto follows. */
function endOfFile(binary, start) {
  let at = start;
  for (;;) {
    const tag = readVarint(binary, at);
    const [field, wire] = [tag.value >>> 3, tag.value & 7];
    // A second name field is the start of the next file.
    if (field < 2 || field > 14 || (wire !== VARINT && wire !== BYTES)) return at;
    const length = readVarint(binary, tag.next);
    at = wire === VARINT ? length.next : length.next + length.value;
  }
}

function readVarint(binary, start) {
  let value = 0;
  let at = start;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = binary[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  return { value, next: at };
}

// A plugin of the bundler that makes the CEL library faster to load. Its results stay the same.
//
// The library describes its types by protocol buffers and decodes their descriptors on load, which takes longer than the rest of a small
// command. Only conditions with timestamps and durations need them, so the plugin makes the library decode them on first access.
import assert from "node:assert";

const LAZY = "\0prevail:lazy";
const NO_RE2 = "\0prevail:no-re2";

/** A stand-in for an object that is created when a property other than the `known` ones is read. */
const lazySource = `
export function lazy(make, known = {}) {
  let made;
  const real = () => (made ??= make());
  return new Proxy(known, {
    get: (_, key) => (made === undefined && Object.hasOwn(known, key) ? known[key] : real()[key]),
    has: (_, key) => key in real(),
    ownKeys: () => Reflect.ownKeys(real()),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(real(), key);
      return found === undefined ? undefined : { ...found, configurable: true };
    },
    set: () => false,
  });
}`;

/** `matches()` uses Prevail's regular expressions (src/adapters/cel/replace-functions.ts), so the library's are not bundled. */
const noRe2Source = `
export const RE2JS = {
  compile() {
    throw new Error("regular expressions are not part of this bundle");
  },
};`;

export function trimCel() {
  return {
    name: "trim-cel",
    resolveId: (id) => (id === LAZY || id === NO_RE2 ? id : id === "@bufbuild/re2" ? NO_RE2 : undefined),
    load: (id) => (id === LAZY ? lazySource : id === NO_RE2 ? noRe2Source : undefined),
    transform(code, id) {
      if (/@bufbuild\/(protobuf|cel-spec)\/.*_pb\.js$/.test(id)) return withLazyDescriptors(code, id);
      if (id.endsWith("@bufbuild/cel/dist/esm/registry.js")) return withLazyRegistry(code, id);
      return undefined;
    },
  };
}

// Each declaration is on one line, `export const X = messageDesc(…);`, below a comment with the name of the message.
const DESCRIPTOR =
  /(Describes the (\w+) (\S+)\.\n(?: \*.*\n)*? \*\/\nexport const \w+ = \/\*@__PURE__\*\/ )((?:boot|fileDesc|messageDesc|enumDesc)\(.*\));/g;

function withLazyDescriptors(code, id) {
  const changed = code.replaceAll(DESCRIPTOR, (_, before, kind, typeName, call) => {
    const known = kind === "message" || kind === "enum" ? `, ${JSON.stringify({ kind, typeName })}` : "";
    return `${before}lazy(() => ${call}${known});`;
  });
  assert(
    !/= \/\*@__PURE__\*\/ (?:boot|fileDesc|messageDesc|enumDesc)\(/.test(changed),
    `${id}: a descriptor is not written as expected`,
  );
  return `import { lazy } from ${JSON.stringify(LAZY)};\n${changed}`;
}

function withLazyRegistry(code, id) {
  const changed = code.replaceAll(/(= |return )(createRegistry\([^;]*\));/g, "$1lazy(() => $2);");
  assert.equal(changed.split("lazy(").length, 3, `${id}: the registry is not written as expected`);
  return `import { lazy } from ${JSON.stringify(LAZY)};\n${changed}`;
}

/**
 * Values of CEL. JSON is its own value: a whole number that JavaScript keeps exactly (up to 2^53) is an int, another number a double.
 * Ints beyond 2^53 are bigints.
 */

/** A value that is not JSON. With one class for all, one test decides whether a value is a map. */
abstract class CelRecord {}

/** A double that is written as one: `2.0`. Numbers of JSON that are not whole are doubles without this record. */
export class CelDouble extends CelRecord {
  readonly value: number;
  constructor(value: number) {
    super();
    this.value = value;
  }
}

/** An unsigned integer: `2u`. */
export class CelUint extends CelRecord {
  readonly value: bigint;
  constructor(value: bigint) {
    super();
    this.value = value;
  }
}

export class CelBytes extends CelRecord {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }
}

export class CelDuration extends CelRecord {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }
}

export class CelTimestamp extends CelRecord {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }
}

/** The type of a value: `type(1) == int`. */
export class CelType extends CelRecord {
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
}

/** `optional.of(x)`, or `optional.none()` if the value is undefined. */
export class CelOptional extends CelRecord {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    super();
    this.value = value;
  }
}

/** A value of a type of Kubernetes' library: an IP address, a URL, a quantity. `key` is equal for equal values. */
export class CelOpaque<Name extends string = string, Content = unknown> extends CelRecord {
  readonly type: Name;
  readonly content: Content;
  readonly key: string;
  constructor(type: Name, content: Content, key: string) {
    super();
    this.type = type;
    this.content = content;
    this.key = key;
  }
}

/** A value that can be the key of a map. */
export type CelKey = boolean | number | bigint | string | CelUint;

/** A map that has a key other than a string. The keys of the inner map are equal for equal keys: see `maps.ts`. */
export class CelKeyedMap extends CelRecord {
  readonly entries: ReadonlyMap<string, readonly [CelKey, CelValue]>;
  constructor(entries: ReadonlyMap<string, readonly [CelKey, CelValue]>) {
    super();
    this.entries = entries;
  }
}

/** A map whose keys are strings: an object of JSON. */
export type CelMap = { readonly [key: string]: CelValue };
export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | CelDouble
  | CelUint
  | CelBytes
  | CelKeyedMap
  | CelDuration
  | CelTimestamp
  | CelType
  | CelOptional
  | CelOpaque
  | readonly CelValue[]
  | CelMap;

/** An error of CEL: `&&`, `||` and loops absorb it, and a rule that ends in one is broken. */
export class CelError extends Error {
  /** The offset in the expression where it arose, once that is known. */
  at: number | undefined;
}
/** A key that its map does not have, an index outside of its list, a field of null. */
export class CelMissing extends CelError {}
/** No function or operator takes values of these types. */
export class CelOverload extends CelError {}
/** Something that this implementation does not know or refuses: the expression is not evaluated, and nothing absorbs it. */
export class CelUnsupported extends Error {
  readonly at: number | undefined;
  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}
/** An expression that is not CEL. */
export class CelSyntaxError extends CelUnsupported {}
/** An expression that is longer or deeper than is allowed. */
export class CelTooLarge extends CelUnsupported {}

/** Adds the offset in the expression to an error of CEL that has none yet. */
export function located(thrown: unknown, at: number): unknown {
  if (thrown instanceof CelError) thrown.at ??= at;
  else if (thrown instanceof CelUnsupported && thrown.at === undefined) return new CelUnsupported(thrown.message, at);
  return thrown;
}

const isRecord = (value: CelValue): boolean => value instanceof CelRecord;

export const isList = (value: CelValue): value is readonly CelValue[] => Array.isArray(value);
export const isMap = (value: CelValue): value is CelMap =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRecord(value);

export function typeOf(value: CelValue): string {
  if (value === null) return "null_type";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int" : "double";
  if (typeof value === "bigint") return "int";
  if (isList(value)) return "list";
  if (value instanceof CelDouble) return "double";
  if (value instanceof CelUint) return "uint";
  if (value instanceof CelBytes) return "bytes";
  if (value instanceof CelDuration) return "google.protobuf.Duration";
  if (value instanceof CelTimestamp) return "google.protobuf.Timestamp";
  if (value instanceof CelType) return "type";
  if (value instanceof CelOptional) return "optional_type";
  if (value instanceof CelOpaque) return value.type;
  return "map";
}

/** A member or an item of what may not be JSON: a function or a symbol counts as null. */
export const asValue = (value: CelValue | undefined): CelValue =>
  value === undefined || typeof value === "function" || typeof value === "symbol" ? null : value;

/** The value of an own key. `null` is a value; undefined means that there is no such key. */
export function ownKey(map: CelMap, key: string): CelValue | undefined {
  const value = map[key];
  // Plain data inherits functions, and a prototype under the name `__proto__`.
  if (typeof value !== "function" && typeof value !== "symbol" && key !== "__proto__") return value;
  return Object.hasOwn(map, key) ? asValue(value) : undefined;
}

const ESCAPED = /__(underscores|dot|dash|slash)__/g;
const UNESCAPED: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/**
 * Escaped field names
 *
 * A field whose name is not a CEL identifier, or is a reserved word, is written escaped in rules: `self.__namespace__`,
 * `self.foo__dash__bar`.
 * Kubernetes, "Validation rules"
 */
export function unescapeField(field: string): string {
  if (!field.includes("__")) return field;
  const reserved = /^__([a-z]+)__$/.exec(field)?.[1];
  if (reserved !== undefined && RESERVED.has(reserved)) return reserved;
  return field.replace(ESCAPED, (_, name: string) => UNESCAPED[name] ?? "");
}

/** Names that no variable can have. The first four cannot be the name of a field either. */
export const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Values of CEL. JSON is its own value: a whole number is an int, another number a double. */

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

export type CelMap = { readonly [key: string]: CelValue };
export type CelValue =
  | null
  | boolean
  | number
  | string
  | CelDouble
  | CelDuration
  | CelTimestamp
  | CelType
  | CelOptional
  | CelOpaque
  | readonly CelValue[]
  | CelMap;

/** An error of CEL: `&&`, `||` and loops absorb it, and a rule that ends in one is broken. */
export class CelError extends Error {}
/** Something that this implementation does not know or refuses: the rule is not evaluated. */
export class CelUnsupported extends Error {}

const isRecord = (value: CelValue): boolean => value instanceof CelRecord;

export const isList = (value: CelValue): value is readonly CelValue[] => Array.isArray(value);
export const isMap = (value: CelValue): value is CelMap =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRecord(value);

export function typeOf(value: CelValue): string {
  if (value === null) return "null_type";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "double";
  if (isList(value)) return "list";
  if (value instanceof CelDouble) return "double";
  if (value instanceof CelDuration) return "google.protobuf.Duration";
  if (value instanceof CelTimestamp) return "google.protobuf.Timestamp";
  if (value instanceof CelType) return "type";
  if (value instanceof CelOptional) return "optional_type";
  if (value instanceof CelOpaque) return value.type;
  return "map";
}

/** The number of an int or a double; undefined for other values. */
export function numberOf(value: CelValue): number | undefined {
  if (typeof value === "number") return value;
  return value instanceof CelDouble ? value.value : undefined;
}

/** The value of an own key. `null` is a value; undefined means that there is no such key. */
export function ownKey(map: CelMap, key: string): CelValue | undefined {
  const value = map[key];
  // Plain data inherits functions, and a prototype under the name `__proto__`.
  if (typeof value !== "function" && key !== "__proto__") return value;
  return Object.hasOwn(map, key) ? value : undefined;
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

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

export function isEqual(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") {
    const [x, y] = [numberOf(a), numberOf(b)];
    return x !== undefined && x === y;
  }
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i] as CelValue));
  if (isList(b)) return false;
  if (a instanceof CelDouble) return b instanceof CelDouble && a.value === b.value;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name;
  if (a instanceof CelOpaque) return b instanceof CelOpaque && a.type === b.type && a.key === b.key;
  if (a instanceof CelOptional) return b instanceof CelOptional && isEqualOptional(a, b);
  return !isRecord(b) && isEqualMap(a, b as CelMap);
}

const isEqualOptional = ({ value: a }: CelOptional, { value: b }: CelOptional): boolean =>
  a === undefined || b === undefined ? a === b : isEqual(a, b);

function isEqualMap(a: CelMap, b: CelMap): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => {
    const other = ownKey(b, key);
    return other !== undefined && isEqual(a[key] as CelValue, other);
  });
}

/** How much work it is to read a value whole; for counting cost. Stops at the given bound. */
export function sizeOf(value: CelValue, bound: number): number {
  if (typeof value === "string") return 1 + (value.length >> 3);
  if (typeof value !== "object" || value === null) return 1;
  let size = 1;
  const items = isList(value) ? value : isMap(value) ? Object.values(value) : [];
  for (const item of items) {
    size += sizeOf(item, bound - size);
    if (size > bound) return size;
  }
  return size;
}

/**
 * The value of an unquoted scalar, as Kubernetes reads it: `kubectl` and the API server read YAML with `sigs.k8s.io/yaml`, which
 * follows YAML 1.1 for booleans and octal numbers and YAML 1.2 or Go for the rest. A policy must mean here what it will
 * mean in the cluster, so we read `on` as true too, and warn.
 */
export type PlainScalar = string | number | boolean | null;

const literals: ReadonlyMap<string, PlainScalar> = new Map<string, PlainScalar>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((text) => [text, true] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((text) => [text, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((text) => [text, null] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((text) => [text, Number.POSITIVE_INFINITY] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((text) => [text, Number.NEGATIVE_INFINITY] as const),
  ...[".nan", ".NaN", ".NAN"].map((text) => [text, Number.NaN] as const),
]);
const longestLiteral = 5;

const decimal = /^[-+]?[1-9][0-9]{0,14}$/;
const integer = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
// The longest 64-bit integer is 64 binary digits with sign and prefix. BigInt takes quadratic time: never give it more.
const longestInteger = 67;
const minInt64 = -(2n ** 63n);
const maxUint64 = 2n ** 64n - 1n;

/** `.nan` and `.inf` come back as such; the caller must refuse them, for JSON cannot carry them. */
export function readPlainScalar(source: string): PlainScalar {
  if (source.length <= longestLiteral) {
    const literal = literals.get(source);
    if (literal !== undefined) return literal;
  }
  const first = source.charCodeAt(0);
  // Only digits, signs and a point can start a number: "+" 43, "-" 45, "." 46, "0" 48 to "9" 57.
  if (first < 43 || first > 57 || first === 44 || first === 47) return source;
  return decimal.test(source) ? Number(source) : readNumber(source);
}

function readNumber(source: string): PlainScalar {
  // Go drops underscores first, but not where a point comes first.
  const plain = source.includes("_") && !source.startsWith(".") ? source.replaceAll("_", "") : source;
  if (plain.length <= longestInteger && integer.test(plain)) {
    const exact = readInteger(plain);
    if (exact >= minInt64 && exact <= maxUint64) return Number(exact);
  }
  if (!float.test(plain)) return source;
  const value = Number(plain);
  if (!Number.isFinite(value)) return source;
  return value === 0 ? 0 : value;
}

function readInteger(plain: string): bigint {
  const digits = plain.replace(/^[-+]/, "");
  const isOctal = /^0[0-7]+$/.test(digits);
  const magnitude = BigInt(isOctal ? `0o${digits}` : digits);
  return plain.startsWith("-") ? -magnitude : magnitude;
}

export interface ScalarNote {
  readonly code: "NotFinite" | "UnsafeInteger" | "SurprisingYaml";
  readonly message: string;
}

/** The warning about how an unquoted scalar was read, if there is one. */
export function explainPlainScalar(source: string, value: PlainScalar): ScalarNote | undefined {
  if (typeof value === "boolean" && source.length <= 3) {
    const message = `\`${source}\` is read as ${value}, as Kubernetes does: write ${value}, or quote it if text is meant`;
    return { code: "SurprisingYaml", message };
  }
  if (typeof value !== "number" || decimal.test(source)) return undefined;
  if (!Number.isFinite(value)) {
    const message = `\`${source}\` cannot be carried by JSON, so Kubernetes refuses it: write a finite number, or quote it`;
    return { code: "NotFinite", message };
  }
  if (/^[-+]?0[0-9_]+$/.test(source) && Number(source.replaceAll("_", "")) !== value) {
    const message = `\`${source}\` is an octal number and read as ${value}, as Kubernetes does: drop the leading zero, or quote it`;
    return { code: "SurprisingYaml", message };
  }
  if (Number.isSafeInteger(value)) return undefined;
  const plain = source.replaceAll("_", "");
  if (plain.length > longestInteger || !integer.test(plain) || readInteger(plain) === BigInt(value)) return undefined;
  const message = `\`${source}\` is beyond 2^53 and read as ${BigInt(value)}: quote it if every digit matters`;
  return { code: "UnsafeInteger", message };
}

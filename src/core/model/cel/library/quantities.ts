/** Kubernetes' quantity library: `quantity('500m')`. */
import { intOf, intValue } from "../numbers.ts";
import { CelDouble, CelError, CelOpaque, type CelValue } from "../values.ts";
import { type FunctionTable, opaqueArg, textArg } from "./arguments.ts";

const NANO = 1_000_000_000n;
const DECIMAL_SUFFIXES: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_SUFFIXES: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const QUANTITY = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?[0-9]{1,3})?$/;

/** The value in billionths, rounded up as Kubernetes does; undefined if the text is not a quantity. */
function parseQuantity(text: string): bigint | undefined {
  const parts = text.length > 64 ? null : QUANTITY.exec(text);
  if (parts === null) return undefined;
  const [, sign = "", whole = "", fraction = "", suffix = ""] = parts;
  if (whole === "" && fraction === "") return undefined;
  const digits = BigInt(whole + fraction);
  const binary = BINARY_SUFFIXES[suffix];
  const exponent =
    binary === undefined && /^[eE]./.test(suffix) ? Number(suffix.slice(1)) : (DECIMAL_SUFFIXES[suffix] ?? 0);
  const scaled = digits * NANO * (binary === undefined ? 1n : 1n << binary);
  const shift = (binary === undefined ? exponent : 0) - fraction.length;
  const value = shift >= 0 ? scaled * 10n ** BigInt(shift) : divideUp(scaled, 10n ** BigInt(-shift));
  return sign === "-" ? -value : value;
}

const divideUp = (value: bigint, by: bigint): bigint => value / by + (value % by === 0n ? 0n : 1n);

type Quantity = CelOpaque<"kubernetes.Quantity", bigint>;
const quantityValue = (nanos: bigint): Quantity => new CelOpaque("kubernetes.Quantity", nanos, String(nanos));
const nanosOf = (value: CelValue | undefined): bigint =>
  opaqueArg<"kubernetes.Quantity", bigint>("kubernetes.Quantity", value).content;

/** `add` and `sub` take a quantity or an int. */
function operandOf(value: CelValue | undefined): bigint {
  const int = value === undefined ? undefined : intOf(value);
  return int === undefined ? nanosOf(value) : int * NANO;
}

const isWhole = (nanos: bigint): boolean => nanos % NANO === 0n && BigInt.asIntN(64, nanos / NANO) === nanos / NANO;

export const quantityFunctions: FunctionTable = {
  "isQuantity/1": ([text]) => parseQuantity(textArg(text)) !== undefined,
  "quantity/1": ([text]) => {
    const nanos = parseQuantity(textArg(text));
    if (nanos === undefined) throw new CelError(`quantity ${JSON.stringify(text)} is invalid`);
    return quantityValue(nanos);
  },
  ".isInteger/0": ([quantity]) => isWhole(nanosOf(quantity)),
  ".asInteger/0": ([quantity]) => {
    if (!isWhole(nanosOf(quantity))) throw new CelError("the quantity is not an integer");
    return intValue(nanosOf(quantity) / NANO, "asInteger()");
  },
  ".asApproximateFloat/0": ([quantity]) => new CelDouble(Number(nanosOf(quantity)) / 1e9),
  ".sign/0": ([quantity]) => (nanosOf(quantity) === 0n ? 0 : nanosOf(quantity) > 0n ? 1 : -1),
  ".add/1": ([quantity, other]) => quantityValue(nanosOf(quantity) + operandOf(other)),
  ".sub/1": ([quantity, other]) => quantityValue(nanosOf(quantity) - operandOf(other)),
  ".isGreaterThan/1": ([quantity, other]) => nanosOf(quantity) > nanosOf(other),
  ".isLessThan/1": ([quantity, other]) => nanosOf(quantity) < nanosOf(other),
  ".compareTo/1": ([quantity, other]) =>
    nanosOf(quantity) === nanosOf(other) ? 0 : nanosOf(quantity) > nanosOf(other) ? 1 : -1,
};

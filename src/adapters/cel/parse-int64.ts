const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** A decimal integer that fits 64 bits. JavaScript's own reading takes `""` for 0, `" 1 "` for 1 and `0x10` for 16. */
export function parseInt64(text: string): bigint | undefined {
  // Twenty digits after leading zeros are already too many; a longer text is not parsed, because BigInt parses it slowly.
  if (!/^[+-]?0*\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

export function parseUint64(text: string): bigint | undefined {
  if (!/^0*\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text);
  return isUint64(value) ? value : undefined;
}

/** A decimal number, or `NaN`, `Inf` and `Infinity` with a sign or without. */
export function parseDouble(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return Number(text);
  const [, sign, word] = /^([+-]?)(nan|inf|infinity)$/i.exec(text) ?? [];
  if (word === undefined) return undefined;
  if (word.toLowerCase() === "nan") return Number.NaN;
  return sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

export function isInt64(value: bigint): boolean {
  return value >= MIN_INT && value <= MAX_INT;
}

export function isUint64(value: bigint): boolean {
  return value >= 0n && value <= MAX_UINT;
}

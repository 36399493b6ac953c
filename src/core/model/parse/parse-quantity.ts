/** 10 to this power, or 1024 to that one. */
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const FORM = /^([+-]?(?:\d{1,20}\.?\d{0,20}|\.\d{1,20}))(?:[eE]([+-]?\d{1,2})|([A-Za-z]{0,2}))$/;

/**
 * A quantity such as `500m`, `2` or `1.5Gi`, as a number; undefined if it is none. Equal quantities are equal numbers, however they are written.
 * Kubernetes, "Quantity"
 */
export function parseQuantity(text: string): number | undefined {
  const [, number, exponent, suffix = ""] = FORM.exec(text) ?? [];
  if (number === undefined) return undefined;
  const binary = BINARY[suffix];
  if (binary !== undefined) return Number(number) * 1024 ** binary;
  const power = exponent === undefined ? DECIMAL[suffix] : Number(exponent);
  // Reading a decimal number rounds once: 100m and 0.1 are the same.
  return power === undefined ? undefined : Number(`${number}e${power}`);
}

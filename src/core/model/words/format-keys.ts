/** Formats the keys `retry` and `attempts` as `retry.attempts`. Keys with dots are written in brackets. */
export const formatKeys = (keys: readonly string[]): string =>
  keys
    .map((key, index) => (/^[^.[\]\s]+$/.test(key) ? `${index === 0 ? "" : "."}${key}` : `[${JSON.stringify(key)}]`))
    .join("");

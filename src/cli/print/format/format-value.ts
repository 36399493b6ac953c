import type { Json } from "../../../core/model/json.ts";
import { formatFlow } from "../../../core/model/words/format-flow.ts";
import { formatKeys } from "../../../core/model/words/format-keys.ts";
import { shorten } from "../terminal/styled-text.ts";

/** Formats a value as YAML on one line: `[502, 503]`, `{requests: 100, window: 1m}`. */
export function formatValue(value: Json, width?: number): string {
  const text = formatFlow(value);
  return width === undefined ? text : shorten(text, width);
}

/** Formats the pointer `/retry/attempts` as `retry.attempts`. Keys with dots are written in brackets. */
export const formatPointer = (pointer: string): string =>
  formatKeys(
    pointer
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~")),
  );

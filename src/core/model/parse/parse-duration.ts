const PART = /(\d{1,5})(ms|h|m|s)/g;
const DURATION = /^(?:\d{1,5}(?:ms|h|m|s)){1,4}$/;

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration of GEP-2257: one to four numbers of up to five digits, each with a unit. Undefined if the text is not one. */
export function parseDurationMs(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, digits, unit] of text.matchAll(PART)) sum += Number(digits) * (UNIT_MS[unit ?? ""] ?? 0);
  return sum;
}

/** The shortest text for a duration: `1m30s`, `250ms`. */
export function formatDurationMs(durationMs: number): string {
  let rest = Math.round(durationMs);
  const parts: string[] = [];
  for (const [unit, size] of Object.entries(UNIT_MS)) {
    const count = Math.floor(rest / size);
    if (count === 0) continue;
    parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.length === 0 ? "0s" : parts.join("");
}

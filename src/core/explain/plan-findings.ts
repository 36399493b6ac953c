import type { Finding } from "../model/finding.ts";
import type { Plan } from "./plan.ts";

/**
 * Findings that come and findings that go. Lines move when files change, and counts and names in a message when other things do:
 * a finding that stays where it was, in other words, is neither new nor gone. Another winner of a conflict is.
 */
export function findingChanges(before: readonly Finding[], after: readonly Finding[]): Plan["findings"] {
  const exact = cancel(before, after, ({ code, object, field, message }) =>
    JSON.stringify([code, object, field, message]),
  );
  const rest = cancel(exact.before, exact.after, ({ code, object, field, rule, message }) =>
    JSON.stringify(code === "Conflicted" ? [code, object, field, message] : [code, object, field, rule]),
  );
  return { added: rest.after, gone: rest.before };
}

interface Sides {
  readonly before: readonly Finding[];
  readonly after: readonly Finding[];
}

/** Takes away as many of each key as both sides have. */
function cancel(before: readonly Finding[], after: readonly Finding[], keyOf: (finding: Finding) => string): Sides {
  const less = (all: readonly Finding[], others: readonly Finding[]): readonly Finding[] => {
    const left = new Map<string, number>();
    for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1);
    return all.filter((finding) => {
      const count = left.get(keyOf(finding)) ?? 0;
      left.set(keyOf(finding), count - 1);
      return count <= 0;
    });
  };
  return { before: less(before, after), after: less(after, before) };
}

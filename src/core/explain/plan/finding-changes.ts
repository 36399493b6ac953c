import type { Finding } from "../../model/finding.ts";
import type { Plan } from "./result.ts";

/**
 * Findings that are added and findings that are gone. Lines move when files change, and counts in messages change with other objects:
 * a finding with the same code, object and field is the same finding. A conflict with another policy is a new finding.
 */
export function findingChanges(before: readonly Finding[], after: readonly Finding[]): Plan["findings"] {
  const exact = cancel(before, after, ({ code, object, field, message }) =>
    JSON.stringify([code, object, field, message]),
  );
  const rest = cancel(exact.before, exact.after, ({ code, object, field, rule, message }) =>
    JSON.stringify(code === "Conflicted" ? [code, object, field, message] : [code, object, field, rule]),
  );
  return { added: rest.after, removed: rest.before };
}

interface Sides {
  readonly before: readonly Finding[];
  readonly after: readonly Finding[];
}

/** Removes the findings that both sides have, by key. */
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

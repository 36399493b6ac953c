import type { World } from "../../core/effective/world/world.ts";
import type { How, HowChange, KindAnswer } from "../../core/explain/how/result.ts";
import { kindId } from "../../core/model/refs.ts";
import type { Redaction } from "../args/redaction.ts";

/** An answer, and how many changes of each kind are left out because they show policies that may not be seen. */
export interface ShownHow extends Omit<How, "kinds"> {
  readonly kinds: readonly ShownAnswer[];
}

export interface ShownAnswer extends KindAnswer {
  readonly hidden: number;
}

/** The answer without policies that may not be seen, and with the groups of kinds that share their name. */
export function redactHow(how: How, { rulebook }: World, { isHidden, inText }: Redaction): ShownHow {
  const isVisible = ({ objects }: HowChange): boolean =>
    objects.every(({ id, ref }) => !rulebook.byPolicyKind.has(kindId(ref)) || !isHidden(id));
  return {
    ...how,
    kinds: how.kinds.map((kind) => {
      const changes = kind.changes.filter(isVisible);
      const hidden = kind.changes.length - changes.length;
      // Texts about refused or unexamined changes may name policies.
      const texts = hidden > 0 ? { leftOut: [], refused: [] } : {};
      const named = changes.map((change) => ({
        ...change,
        steps: change.steps.map((step) => ({ ...step, summary: inText(step.summary, [kind.policyKind]) })),
      }));
      return { ...kind, changes: named, hidden, ...texts };
    }),
  };
}

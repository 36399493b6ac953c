import type { NamespaceContact } from "../../core/explain/contacts.ts";
import type { NamespaceChange } from "../../core/explain/plan/result.ts";
import { formatRef, isNamespace, parseObjectId } from "../../core/model/refs.ts";
import { listWords } from "../print/format/format-paths.ts";
import { countTargets, countWord } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/terminal/styled-text.ts";
import type { PlanTextContext } from "./text-context.ts";

const MOST_NAMESPACES = 20;

/** Prints a line for each namespace whose objects change: whom to ask, and how much changes. Namespaces with most changed values are first. */
export function printNamespaces(
  namespaces: readonly NamespaceChange[],
  { print, wide }: Pick<PlanTextContext, "print" | "wide">,
): void {
  if (namespaces.length === 0) return;
  print.line();
  print.line(styled("Whom to ask", "bold"));
  const sorted = namespaces.toSorted((a, b) => b.values.changed - a.values.changed);
  const shown = wide ? sorted : sorted.slice(0, MOST_NAMESPACES);
  for (const change of shown) {
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(change.namespace === "" ? "cluster-scoped objects" : change.namespace, "bold"),
      ...contactWords(change.contacts),
      `: ${changeWords(change)}`,
    );
  }
  if (shown.length < sorted.length)
    print.line(`  … and ${sorted.length - shown.length} more namespaces (-o wide lists them all)`);
}

/** ` (ask platform@example.com, for RetryPolicy infra/friday-fix noah@example.com)`. */
function contactWords(contacts: readonly NamespaceContact[]): readonly Piece[] {
  if (contacts.length === 0) return [];
  const words = contacts.map(({ contact, object }) => {
    const ref = parseObjectId(object);
    return isNamespace(ref) ? contact : `for ${glued(formatRef(ref))} ${contact}`;
  });
  return [" (ask ", styled(words.join(", "), "cyan"), ")"];
}

/** `12 values change on 6 paths, for 1 HTTPRoute and 2 rules; 1 policy changes`. */
function changeWords({ objects, values, paths, targets, policies, findings }: NamespaceChange): string {
  const { created, changed, deleted } = objects;
  const own = [
    ...(created > 0 ? [`${countWord(created, "object")} created`] : []),
    ...(changed > 0 ? [`${countWord(changed, "object")} changed`] : []),
    ...(deleted > 0 ? [`${countWord(deleted, "object")} deleted`] : []),
  ];
  const found = [
    ...(findings.added > 0 ? [countWord(findings.added, "new finding")] : []),
    ...(findings.removed > 0 ? [`${countWord(findings.removed, "finding")} resolved`] : []),
  ];
  const { changed: differ, sameValueOtherSource: kept } = values;
  const parts = [
    ...(differ > 0
      ? [
          `${countWord(differ, "value")} ${verb(differ, "change")} on ${countWord(paths, "path")}, for ${countTargets(targets)}`,
        ]
      : []),
    ...(kept > 0 ? [`${countWord(kept, "value")} ${verb(kept, "come")} from another source`] : []),
    ...(own.length > 0 ? [listWords(own)] : []),
    ...(policies > 0 ? [`${countWord(policies, "policy")} ${verb(policies, "change")}`] : []),
    ...(found.length > 0 ? [listWords(found)] : []),
  ];
  return parts.join("; ");
}

const verb = (count: number, plural: string): string => (count === 1 ? `${plural}s` : plural);

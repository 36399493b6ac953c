import type { ChangedObject, HowChange } from "../../core/explain/how/result.ts";
import type { CommandContext } from "../command.ts";
import { formatYaml } from "../print/markup/format-yaml.ts";
import { countWord } from "../print/print-targets.ts";
import { resourceName } from "../target/resource-name.ts";
import { formatReach } from "./format-reach.ts";
import type { ShownAnswer, ShownHow } from "./redact-how.ts";

/** Prints the manifests of the first change, for `kubectl apply -f -`. Deletions are comments: no manifest can delete an object. */
export function printManifest({ kinds }: ShownHow, { print, note }: Pick<CommandContext, "print" | "note">): void {
  const first = kinds.find(({ changes }) => changes.length > 0)?.changes[0];
  if (first === undefined) return note(whyNone(kinds));
  for (const line of comments(first)) print.line(`# ${line}`);
  const applied = first.objects.filter(({ change }) => change !== "deleted");
  applied.forEach(({ manifest }, index) => {
    if (index > 0) print.raw("---\n");
    print.raw(formatYaml(manifest));
  });
  if (applied.length === 0) note("the first change only deletes: run the command in the comment");
}

function whyNone(kinds: readonly ShownAnswer[]): string {
  const hidden = kinds.reduce((sum, kind) => sum + kind.hidden, 0);
  if (hidden > 0) return hiddenChanges(hidden);
  const isSo = kinds.some(({ state }) => state === "AlreadySo");
  return isSo
    ? "the settings already take effect: there is nothing to apply"
    : "no change that was examined achieves this";
}

/** `2 changes of policies in other namespaces are hidden`. */
export const hiddenChanges = (hidden: number): string =>
  `${countWord(hidden, "change")} of policies in other namespaces ${hidden === 1 ? "is" : "are"} hidden`;

function comments(change: HowChange): readonly string[] {
  const deleted = change.objects.filter((object) => object.change === "deleted");
  return [...change.steps.map(({ summary }) => summary), formatReach(change.reach), ...deleted.map(deletion)];
}

/** `kubectl delete retrypolicy.prevail.dev/friday-fix -n infra`. */
export const deletion = ({ ref }: Pick<ChangedObject, "ref">): string =>
  ["kubectl", "delete", quoted(resourceName(ref)), ...(ref.namespace === "" ? [] : ["-n", quoted(ref.namespace)])].join(
    " ",
  );

/** Files may have names that no API server accepts. In a command to copy they must stay one word. */
const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

import type { World } from "../../core/effective/world/world.ts";
import { labelsOf } from "../../core/model/kube-object.ts";
import { compareText, isNamespace, parseObjectId } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import { formatSelector } from "../../core/topology/matches-selector.ts";
import { isListed, type Scope } from "./find-targets.ts";

/** A message if -n or -l select no object at all: a mistyped namespace or label must not look like a good result. */
export function scopeProblem(
  world: World,
  scope: Scope,
): { readonly message: string; readonly hint: string } | undefined {
  const { namespace, selector } = scope;
  const namespaces = namespacesOf(world);
  const names = [...namespaces].sort(compareText);
  if (namespace !== undefined && !namespaces.has(namespace))
    return {
      message: `-n ${namespace}: no object is in namespace '${namespace}'${didYouMean(namespace, names)}`,
      hint: `There are: ${names.slice(0, SHOWN).join(", ")}${names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ""}`,
    };
  if (selector === undefined) return undefined;
  let isFound = false;
  const labels = new Map<string, Set<string>>();
  world.objects.forEach((object) => {
    isFound ||= isListed(object, scope);
    for (const [key, value] of Object.entries(labelsOf(object)))
      if (typeof value === "string") labels.set(key, (labels.get(key) ?? new Set()).add(value));
  });
  if (isFound) return undefined;
  const where = namespace === undefined ? "" : ` in namespace '${namespace}'`;
  const keys = [...labels.keys()].sort(compareText);
  const guesses = selector.matchExpressions.map(({ key, values: [value = ""] }) => {
    const known = labels.get(key);
    return known === undefined ? didYouMean(key, keys) : didYouMean(value, [...known].sort(compareText));
  });
  return {
    message: `-l ${formatSelector(selector)}: no object${where} has these labels${guesses.find((guess) => guess !== "") ?? ""}`,
    hint: keys.length === 0 ? "No object has labels." : `The keys of labels are: ${keys.slice(0, SHOWN).join(", ")}`,
  };
}

const SHOWN = 20;

/** The namespaces that a document defines or that an object is in, also one that is refused. */
export function namespacesOf({ objects, refused }: World): ReadonlySet<string> {
  const namespaces = new Set(objects.namespaces());
  objects.forEach(({ ref }) => {
    if (isNamespace(ref)) namespaces.add(ref.name);
  });
  refused.forEach((_, id) => {
    const { namespace } = parseObjectId(id);
    if (namespace !== "") namespaces.add(namespace);
  });
  return namespaces;
}

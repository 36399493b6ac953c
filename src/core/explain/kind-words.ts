import type { World } from "../effective/world/world.ts";
import { isJsonList, isJsonObject, ownValue } from "../model/json.ts";
import { kinds as builtInKinds, CRD } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { type GroupKind, kindId, parseKindId } from "../model/refs.ts";

/** A kind and the words people may use for it, in lower case: `httproute`, `httproutes`, `gtw`. */
export interface KindWords extends GroupKind {
  readonly words: readonly string[];
}

/** Every known kind: built in, of a definition, of a CRD, or of an object in the snapshot. */
export function kindWords({ rulebook, objects }: World): readonly KindWords[] {
  const table = new Map<string, { group: string; kind: string; words: Set<string> }>();
  const add = (group: string, kind: string, words: readonly string[] = []): void => {
    const id = kindId({ group, kind });
    const names = table.get(id) ?? { group, kind, words: new Set([kind.toLowerCase(), guessPlural(kind)]) };
    for (const word of words) names.words.add(word.toLowerCase());
    table.set(id, names);
  };
  for (const { group, kind, plural: own, shortNames = [] } of builtInKinds)
    add(group, kind, own === undefined ? shortNames : [own, ...shortNames]);
  for (const { definition } of rulebook.kinds) {
    for (const { group, kind } of definition.policies) add(group, kind);
    for (const { group, kind, virtual } of definition.targeting.kinds) if (virtual) add(group, kind);
    for (const { group, kind, plural: own, shortNames = [] } of definition.hierarchy.kinds)
      add(group, kind, own === undefined ? shortNames : [own, ...shortNames]);
  }
  for (const present of objects.kinds()) {
    const { group, kind } = parseKindId(present);
    add(group, kind);
  }
  objects.ofKind(CRD).forEach((crd) => {
    addCrd(crd, add);
  });
  return [...table.values()].map(({ group, kind, words }) => ({ group, kind, words: [...words] }));
}

function addCrd({ raw }: KubeObject, add: (group: string, kind: string, words: readonly string[]) => void): void {
  const spec = ownValue(raw, "spec");
  const names = isJsonObject(spec) ? ownValue(spec, "names") : undefined;
  if (!isJsonObject(spec) || !isJsonObject(names)) return;
  const { group } = spec;
  const { kind, plural: own, singular, shortNames } = names;
  if (typeof group !== "string" || typeof kind !== "string") return;
  const words = [own, singular, ...(isJsonList(shortNames) ? shortNames : [])];
  add(
    group,
    kind,
    words.filter((word) => typeof word === "string"),
  );
}

/** The plural that a kind most probably has. */
export function guessPlural(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** `httproute`, `httproutes.gateway.networking.k8s.io`, `httproute.v1.gateway.networking.k8s.io`: the kinds it can mean. */
export function findKinds(names: readonly KindWords[], word: string): readonly KindWords[] {
  const wanted = word.toLowerCase();
  const dot = wanted.indexOf(".");
  const name = dot === -1 ? wanted : wanted.slice(0, dot);
  const group = dot === -1 ? undefined : wanted.slice(dot + 1).replace(/^v\d+(?:(?:alpha|beta)\d+)?(?:\.|$)/, "");
  return names.filter(
    (candidate) => candidate.words.includes(name) && (group === undefined || candidate.group === group),
  );
}

import type { World } from "../../core/effective/world/world.ts";
import type { GraphOptions } from "../../core/explain/graph/build-graph.ts";
import { findKinds, kindWords } from "../../core/explain/kind-words.ts";
import { type KindId, kindId } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import type { Option, OptionValues } from "../args/option.ts";

export const graphOptions: readonly Option[] = [
  {
    name: "depth",
    value: "LEVELS",
    help: "draw at most so many levels above and below the TARGET; without one, below the top. A section is at the level of its object",
  },
  {
    name: "kind",
    value: "KIND,…",
    repeatable: true,
    help: "draw only objects of these kinds, connected over the objects between them; for a policy kind, only policies of that kind (repeatable)",
  },
  { name: "sections", help: "draw every listener, rule and port, also those without policies" },
  { name: "lone", help: "draw objects without parents, children and policies, too" },
  { name: "no-fold", help: "draw each object, also if many are alike" },
];

/** A depth of more levels than any topology has. */
const MOST_LEVELS = 1000;

/** The message says what is wrong with an option. */
export function parseDepth(options: OptionValues): { readonly depth?: number } | string {
  const text = options.value("depth");
  if (text === undefined) return {};
  const depth = /^\d{1,4}$/.test(text) ? Number(text) : undefined;
  if (depth === undefined || depth > MOST_LEVELS)
    return `--depth is '${text}': give a number of levels, from 0 to ${MOST_LEVELS}`;
  return { depth };
}

/** The kinds that --kind names: kinds of objects, and policy kinds. */
export function parseKinds(
  options: OptionValues,
  world: World,
): Pick<GraphOptions, "kinds" | "policyKinds"> | { readonly problem: string } {
  const words = options.values("kind").flatMap((value) => value.split(","));
  const known = kindWords(world);
  const objects = new Set<KindId>();
  const policies = new Set<KindId>();
  for (const word of words) {
    const found = findKinds(known, word);
    if (found.length === 0) {
      const names = known.map(({ kind }) => kind.toLowerCase());
      return { problem: `--kind: unknown kind '${word}'${didYouMean(word.toLowerCase(), names)}` };
    }
    for (const kind of found) {
      const id = kindId(kind);
      if (world.rulebook.byPolicyKind.has(id)) policies.add(id);
      else objects.add(id);
    }
  }
  return {
    ...(objects.size === 0 ? {} : { kinds: objects }),
    ...(policies.size === 0 ? {} : { policyKinds: policies }),
  };
}

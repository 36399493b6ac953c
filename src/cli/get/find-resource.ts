import type { World } from "../../core/effective/world/world.ts";
import { findKinds, kindWords } from "../../core/explain/kind-words.ts";
import { kinds as builtInKinds, findKind } from "../../core/model/kinds.ts";
import { kindId, type ObjectRef, objectId } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import { type FoundTarget, findTargets, isInScope, type Scope, type TargetSearch } from "../target/find-targets.ts";

/** The objects that `get` lists, as a word: one of Prevail's own views, or objects of a kind. */
export type Resource = "policies" | "targets" | "effective" | "definitions" | "objects";

const views: readonly Resource[] = ["policies", "targets", "effective", "definitions"];

const aliases: Readonly<Record<string, Resource>> = {
  policies: "policies",
  policy: "policies",
  targets: "targets",
  target: "targets",
  effective: "effective",
  effectivepolicies: "effective",
  effectivepolicy: "effective",
  definitions: "definitions",
  definition: "definitions",
  policydefinitions: "definitions",
  policydefinition: "definitions",
};

export type ParsedResource =
  | { readonly ok: true; readonly resource: Resource; readonly words: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Reads the words after `get`: the view or the kind, and names. A misspelt view is found before anything is loaded. */
export function parseResource(args: readonly string[]): ParsedResource {
  const [first = "", ...words] = args;
  const list = first.split(",").filter((word) => word.trim() !== "");
  if (list.length === 0) return { ok: false, message: `no resource given: name one of ${views.join(", ")}, or a kind` };
  const inList = list.length === 1 ? undefined : list.find((word) => Object.hasOwn(aliases, word.toLowerCase()));
  if (inList !== undefined)
    return {
      ok: false,
      message: `'${inList}' in '${first}': only kinds can be listed together; ask for ${inList} alone`,
    };
  const [kind = "", ...name] = first.split("/");
  const view = Object.hasOwn(aliases, kind.toLowerCase()) ? aliases[kind.toLowerCase()] : undefined;
  if (view !== undefined && name.length === 0) return { ok: true, resource: view, words };
  // `policydefinition/retrypolicies.prevail.dev`: a built-in definition is not an object of the input.
  if (view === "definitions")
    return { ok: true, resource: view, words: args.map((word) => word.replace(/^[^/]*\//, "")) };
  const isKnown = view !== undefined || findKind(builtInKinds, kind) !== undefined;
  const near = isKnown ? "" : didYouMean(kind, views);
  if (near === "") return { ok: true, resource: "objects", words: args };
  return {
    ok: false,
    message: `unknown resource '${first}': get knows ${views.join(", ")} and kinds of objects${near}`,
  };
}

/** The targets that the words name. */
export function findResource(resource: Resource, world: World, words: readonly string[], scope: Scope): TargetSearch {
  const defined = resource === "definitions" ? findDefined(world, words) : undefined;
  if (defined !== undefined) return defined;
  if (resource !== "objects") return findNamed(world, words, scope);
  const search = findTargets(world, words, scope);
  if (search.ok || !search.message.startsWith("unknown kind")) return search;
  return { ...search, hints: [...search.hints, `get also lists ${views.join(", ")}.`] };
}

/** The policy kinds that the words name, with or without an object of the kind, and definitions by name. Undefined: a word is something else, such as a policy. */
function findDefined(world: World, words: readonly string[]): TargetSearch | undefined {
  const names = kindWords(world);
  const found = words.map((word): readonly ObjectRef[] => {
    const kinds = findKinds(names, word).filter((kind) => world.rulebook.byPolicyKind.has(kindId(kind)));
    if (kinds.length > 0) return kinds.map(({ group, kind }) => ({ group, kind, namespace: "", name: "" }));
    const isDefinition = world.rulebook.kinds.some(({ definition }) => definition.name === word);
    return isDefinition ? [{ group: "prevail.dev", kind: "PolicyDefinition", namespace: "", name: word }] : [];
  });
  if (words.length === 0 || found.some((refs) => refs.length === 0)) return undefined;
  return { ok: true, targets: found.flat().map((ref) => ({ id: objectId(ref), ref })) };
}

/** Finds targets as every command does, and in addition policies by their names alone: `get policies friday-fix`. */
function findNamed(world: World, words: readonly string[], scope: Scope): TargetSearch {
  const named: FoundTarget[] = [];
  world.policies.forEach(({ object }, id) => {
    if (words.includes(object.ref.name) && isInScope(object, scope)) named.push({ id, ref: object.ref, object });
  });
  const isNamed = words.length > 0 && words.every((word) => named.some(({ ref }) => ref.name === word));
  return isNamed ? { ok: true, targets: named } : findTargets(world, words, scope);
}

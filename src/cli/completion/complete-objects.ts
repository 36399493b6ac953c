import { virtualKinds, virtualObjects } from "../../core/effective/world/implied-objects.ts";
import type { World } from "../../core/effective/world/world.ts";
import { settingNames } from "../../core/explain/how/known-settings.ts";
import { findKinds, type KindWords, kindWords } from "../../core/explain/kind-words.ts";
import { NAMESPACE } from "../../core/model/kinds.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { compareText, kindId } from "../../core/model/refs.ts";
import { sectionsOf } from "../../core/topology/sections-of.ts";
import { loadSource } from "../../sources/load-source.ts";
import type { CliIo } from "../cli-io.ts";
import { ruleWords } from "../target/find-rule.ts";
import { findTarget } from "../target/find-targets.ts";

import { beginning, type Candidate, type Completion, NOTHING } from "./candidate.ts";

/** Completes the names of objects in the files that the command line names. */
export interface CompleteObjects {
  /** `KIND/`, then `KIND/NAME`, then `KIND/NAME#SECTION`. */
  targets(current: string, wanted: "any" | "policy" | "target"): Completion | Promise<Completion>;
  /** Names without the kind, for objects of one kind. */
  names(current: string, kind: string): Completion | Promise<Completion>;
  namespaces(current: string): Completion | Promise<Completion>;
  /** The rules of the policy that the words name. */
  rules(current: string, words: readonly string[]): Completion | Promise<Completion>;
  /** The policy kinds. */
  policyKinds(current: string): Completion | Promise<Completion>;
  /** `retry.attempts=`: the settings of the policy kinds, or of one of them. */
  settings(current: string, kind: string | undefined): Completion | Promise<Completion>;
}

/** Unreadable files give no names and no message: a message would disturb the command line that is being typed. */
export async function completeObjects(
  paths: readonly string[],
  { fileSystem }: Pick<CliIo, "fileSystem">,
  namespace: string | undefined,
): Promise<CompleteObjects> {
  const { world } = await loadSource(paths, fileSystem);
  return completeIn(world, namespace);
}

/** Completes the names of objects in an evaluation. */
export function completeIn(world: World, namespace: string | undefined): CompleteObjects {
  const kinds = kindWords(world);
  return {
    targets: (current, wanted) => {
      const slash = current.indexOf("/");
      if (slash === -1) return completeKinds(world, kinds, current, wanted);
      return completeNames(world, findKinds(kinds, current.slice(0, slash)), current, slash + 1, namespace);
    },
    names: (current, kind) => completeNames(world, findKinds(kinds, kind), current, 0, namespace),
    namespaces: (current) => completeNamespaces(world, current),
    rules: (current, words) => {
      const search = findTarget(world, words, { namespace, selector: undefined });
      const record = search.ok ? findRecord(world, search.target.id) : undefined;
      if (record?.policy === undefined) return NOTHING;
      return beginning(
        current,
        ruleWords(record.policy).map((word) => ({ word })),
      );
    },
    policyKinds: (current) =>
      beginning(
        current.toLowerCase(),
        policyKindsNamed(world, kinds).map(({ kind }) => ({ word: kind.toLowerCase(), help: kind })),
      ),
    settings: (current, kind) => completeSettings(world, policyKindsNamed(world, kinds, kind), current),
  };
}

/** The policy kinds that a word means; all without one. */
function policyKindsNamed({ rulebook }: World, kinds: readonly KindWords[], word?: string): readonly KindWords[] {
  const policies = kinds.filter((kind) => rulebook.byPolicyKind.has(kindId(kind)));
  return word === undefined ? policies : findKinds(policies, word);
}

/** Names of settings that stand for any key (`limits.*`) cannot be completed. */
function completeSettings(world: World, kinds: readonly KindWords[], current: string): Completion {
  const named = new Set(kinds.flatMap((kind) => world.rulebook.byPolicyKind.get(kindId(kind)) ?? []));
  const names = [...named].flatMap((kind) =>
    settingNames(world, kind).map((name): Candidate => ({ word: `${name}=`, help: kind.policyKind.kind })),
  );
  const open = names.filter(({ word }) => !word.includes("*"));
  return beginning(current, [...new Map(open.map((candidate) => [candidate.word, candidate])).values()]);
}

function findRecord(world: World, id: string): ReturnType<World["policies"]["get"]> {
  let found: ReturnType<World["policies"]["get"]>;
  world.policies.forEach((record, policy) => {
    if (policy === id) found = record;
  });
  return found;
}

/** Completes a kind by its name or, if no name matches, by its plural or short name. Without files: all known kinds. */
function completeKinds(
  world: World,
  kinds: readonly KindWords[],
  current: string,
  wanted: "any" | "policy" | "target",
): Completion {
  const { rulebook, objects } = world;
  const virtual = virtualKinds(world);
  const isPolicy = (kind: KindWords): boolean => rulebook.byPolicyKind.has(kindId(kind));
  const isWanted = (kind: KindWords): boolean => {
    if (wanted === "any") return true;
    const isKnown = rulebook.factsOf(kindId(kind)) !== undefined || virtual.has(kindId(kind));
    return wanted === "policy" ? isPolicy(kind) : !isPolicy(kind) && isKnown;
  };
  const present = new Set(virtualObjects(world).map((ref) => kindId(ref)));
  const isPresent = (kind: KindWords): boolean => objects.hasKind(kindId(kind)) || present.has(kindId(kind));
  const open = kinds.filter(isWanted).filter((kind) => objects.size === 0 || isPresent(kind));
  const candidates = open.flatMap(({ kind, words }): readonly Candidate[] => {
    const word = [kind.toLowerCase(), ...words].find((one) => one.startsWith(current.toLowerCase()));
    return word === undefined ? [] : [{ word: `${word}/`, help: kind }];
  });
  return { candidates: candidates.sort((a, b) => compareText(a.word, b.word)), files: false };
}

/** Completes a name. The text before `from` is kept. A name that occurs in several namespaces gets its namespace. */
function completeNames(
  world: World,
  kinds: readonly KindWords[],
  current: string,
  from: number,
  namespace: string | undefined,
): Completion {
  const [prefix, rest] = [current.slice(0, from), current.slice(from)];
  const objects: Named[] = [];
  const isIn = ({ ref }: Named): boolean =>
    namespace === undefined || ref.namespace === "" || ref.namespace === namespace;
  const virtual = virtualObjects(world).map((ref): Named => ({ ref, raw: {} }));
  for (const kind of kinds) {
    objects.push(...world.objects.ofKind(kindId(kind)).filter(isIn));
    objects.push(...virtual.filter(({ ref }) => kindId(ref) === kindId(kind)).filter(isIn));
  }
  const hash = rest.indexOf("#");
  if (hash !== -1) return completeSections(world, objects, prefix, rest.slice(0, hash), rest);
  const often = new Map<string, number>();
  for (const { ref } of objects) often.set(ref.name, (often.get(ref.name) ?? 0) + 1);
  const isFull = from > 0 && rest.includes("/");
  const candidates = objects.map(({ ref }): Candidate => {
    const isLong = isFull || (from > 0 && (often.get(ref.name) ?? 0) > 1);
    const name = isLong && ref.namespace !== "" ? `${ref.namespace}/${ref.name}` : ref.name;
    return { word: `${prefix}${name}`, ...(ref.namespace === "" ? {} : { help: `in ${ref.namespace}` }) };
  });
  const unique = [...new Map(candidates.map((candidate) => [candidate.word, candidate])).values()];
  return beginning(
    current,
    unique.sort((a, b) => compareText(a.word, b.word)),
  );
}

/** An object, or a virtual object, which is empty. */
type Named = Pick<KubeObject, "ref" | "raw">;

function completeSections(
  world: World,
  objects: readonly Named[],
  prefix: string,
  name: string,
  rest: string,
): Completion {
  const named = objects.filter(({ ref }) => name === ref.name || name === `${ref.namespace}/${ref.name}`);
  const sections = named.flatMap((object) => {
    const facts = world.rulebook.factsOf(kindId(object.ref));
    return facts === undefined ? [] : sectionsOf(object, facts).map((section) => section.name);
  });
  return beginning(
    `${prefix}${rest}`,
    [...new Set(sections)].map((section) => ({ word: `${prefix}${name}#${section}` })),
  );
}

function completeNamespaces({ objects }: World, current: string): Completion {
  const defined = objects.ofKind(NAMESPACE).map(({ name }) => name);
  const names = new Set([...objects.namespaces(), ...defined]);
  return beginning(
    current,
    [...names].sort(compareText).map((word) => ({ word })),
  );
}

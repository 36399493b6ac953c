import { kindNamesIn } from "../../core/effective/findings/kind-names.ts";
import { virtualObjects } from "../../core/effective/world/implied-objects.ts";
import type { World } from "../../core/effective/world/world.ts";
import { type FoundObject, findObjects, parseTargetText, sectionNames } from "../../core/explain/find-objects.ts";
import { findKinds, type KindWords, kindWords } from "../../core/explain/kind-words.ts";
import type { Finding } from "../../core/model/finding.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { labelsOf } from "../../core/model/kube-object.ts";
import { parseLabelSelector } from "../../core/model/parse/parse-label-selector.ts";
import type { LabelSelector } from "../../core/model/policy.ts";
import {
  compareText,
  formatRef,
  type GroupKind,
  type ObjectRef,
  parseKindId,
  parseObjectId,
} from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import type { NameKind } from "../../core/model/words/kind-names.ts";
import { nearMiss } from "../../core/model/words/near-miss.ts";
import { matchesSelector } from "../../core/topology/matches-selector.ts";
import type { OptionValues } from "../args/option.ts";

/** An object, or a section of one, that the command line names. */
export interface FoundTarget extends FoundObject {
  readonly sectionName?: string;
}

export type TargetSearch =
  | { readonly ok: true; readonly targets: readonly FoundTarget[] }
  | { readonly ok: false; readonly message: string; readonly hints: readonly string[] };

/** The objects to search: `-n`, `-A`, `-l`. */
export interface Scope {
  readonly namespace: string | undefined;
  readonly selector: LabelSelector | undefined;
}

export type ParsedScope =
  | { readonly ok: true; readonly scope: Scope }
  | { readonly ok: false; readonly message: string };

export function parseScope(options: OptionValues): ParsedScope {
  const namespace = options.has("all-namespaces") ? undefined : options.value("namespace");
  const text = options.value("selector");
  if (text === undefined) return { ok: true, scope: { namespace, selector: undefined } };
  const parsed = parseLabelSelector(text);
  return parsed.ok
    ? { ok: true, scope: { namespace, selector: parsed.selector } }
    : { ok: false, message: `-l has ${parsed.message}` };
}

export function isInScope({ ref, raw }: Pick<KubeObject, "ref" | "raw">, { namespace, selector }: Scope): boolean {
  if (namespace !== undefined && ref.namespace !== "" && ref.namespace !== namespace) return false;
  return selector === undefined || matchesSelector(selector, labelsOf({ raw }));
}

/** The scope of lists. With `-n`, only objects in that namespace: cluster-scoped objects are excluded. */
export const isListed = (object: Pick<KubeObject, "ref" | "raw">, scope: Scope): boolean =>
  isInScope(object, scope) && (scope.namespace === undefined || object.ref.namespace === scope.namespace);

/** A parsed target: `KIND`, `KIND/NAME` or `KIND/NAMESPACE/NAME`; the last two may have `#SECTION`. */
interface TargetQuery {
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly sectionName?: string;
}

const FORMS = "Targets are written KIND/NAME, KIND NAME or KIND/NAMESPACE/NAME, with #SECTION behind for a section.";

/**
 * Finds all targets that the words name, in order and without duplicates. The syntax is that of kubectl: `KIND NAME…` or `KIND/NAME…`.
 * Names are looked up in all namespaces unless the scope has one. An unknown name is an error with suggestions.
 */
export function findTargets(world: World, words: readonly string[], scope: Scope): TargetSearch {
  const queries = parseQueries(words);
  if (typeof queries === "string") return { ok: false, message: queries, hints: [FORMS] };
  const names = kindWords(world);
  const found = new Map<string, FoundTarget>();
  for (const query of queries) {
    const search = findQuery(world, names, query, scope);
    if (!search.ok) return search;
    for (const target of search.targets) found.set(`${target.id}#${target.sectionName ?? ""}`, target);
  }
  return { ok: true, targets: [...found.values()] };
}

/** Finds one target, for commands that take one object. If several match, they are listed in the error. */
export const findTarget = (world: World, words: readonly string[], scope: Scope): OneTarget =>
  oneTarget(world, findTargets(world, words, scope), words);

export type OneTarget =
  | { readonly ok: true; readonly target: FoundTarget }
  | Extract<TargetSearch, { readonly ok: false }>;

/** The only target that was found. */
export function oneTarget(world: World, search: TargetSearch, words: readonly string[]): OneTarget {
  if (!search.ok) return search;
  const [target, ...others] = search.targets;
  if (target === undefined) return { ok: false, message: `nothing found for '${words.join(" ")}'`, hints: [FORMS] };
  if (others.length === 0) return { ok: true, target };
  const { kindName: nameKind } = kindNamesIn(world);
  const shown = search.targets.slice(0, 20).map((one) => `  ${formatTargetName(one, nameKind)}`);
  const more = search.targets.length > shown.length ? [`  … and ${search.targets.length - shown.length} more`] : [];
  const count = search.targets.length;
  const message =
    words.filter((word) => word.includes("/")).length > 1
      ? `one target at a time, and there are ${count}:`
      : `'${words.join(" ")}' matches ${count} objects; select one with -n or by its full name:`;
  return { ok: false, message, hints: [...shown, ...more] };
}

/** The unambiguous name of a target on the command line. */
export function formatTargetName(
  { ref, sectionName }: Pick<FoundTarget, "ref" | "sectionName">,
  nameKind: NameKind,
): string {
  const { namespace, name } = ref;
  const section = sectionName === undefined ? "" : `#${sectionName}`;
  return `${nameKind(ref).toLowerCase()}/${namespace === "" ? "" : `${namespace}/`}${name}${section}`;
}

function parseQueries(words: readonly string[]): readonly TargetQuery[] | string {
  const [first, ...names] = words;
  if (first === undefined) return [];
  if (words.some((word) => word.includes("/"))) {
    const bare = words.find((word) => !word.includes("/"));
    if (bare !== undefined) return `'${bare}' has no kind, and '${words.find((word) => word.includes("/"))}' has one`;
    const queries: TargetQuery[] = [];
    for (const word of words) {
      const query = parseSlashed(word);
      if (typeof query === "string") return query;
      queries.push(query);
    }
    return queries;
  }
  const kinds = first.split(",").filter((kind) => kind !== "");
  if (names.length === 0) return kinds.map((kind) => ({ kind }));
  return kinds.flatMap((kind) => names.map((name) => ({ kind, ...parseSection(name) })));
}

function parseSlashed(word: string): TargetQuery | string {
  const query = parseTargetText(word);
  return query === undefined || query.namespace === "" ? `'${word}' is no target` : query;
}

function parseSection(word: string): { readonly name: string; readonly sectionName?: string } {
  const hash = word.indexOf("#");
  return hash === -1 ? { name: word } : { name: word.slice(0, hash), sectionName: word.slice(hash + 1) };
}

function findQuery(world: World, names: readonly KindWords[], query: TargetQuery, scope: Scope): TargetSearch {
  const kinds = findKinds(names, query.kind);
  if (kinds.length === 0) return unknownKind(world, names, query.kind);
  const within: Scope = query.namespace === undefined ? scope : { ...scope, namespace: query.namespace };
  const all = kinds.flatMap((kind) => targetsOf(world, kind, query.name, within));
  if (query.name === undefined) return { ok: true, targets: all };
  if (all.length === 0) return notFound(world, kinds, query.name, within);
  if (query.sectionName === undefined) return { ok: true, targets: all };
  return withSection(world, all, query.sectionName);
}

function targetsOf(world: World, kind: KindWords, name: string | undefined, scope: Scope): readonly FoundTarget[] {
  const found = findObjects(world, kind, name, (object) => isInScope(object, scope));
  return scope.selector === undefined ? found : found.filter(({ object }) => object !== undefined);
}

function unknownKind(world: World, names: readonly KindWords[], word: string): TargetSearch {
  const near = didYouMean(
    word.split(".")[0] ?? word,
    names.flatMap(({ words }) => words),
  );
  const present = [
    ...world.objects.kinds().map((kind) => parseKindId(kind).kind),
    ...virtualObjects(world).map(({ kind }) => kind),
  ];
  const named = near === "" ? namedLike(world, word) : [];
  if (named.length > 0) return { ok: false, message: `unknown kind '${word}'`, hints: named };
  const hint = `There are: ${[...new Set(present)].sort(compareText).join(", ")}`;
  return { ok: false, message: `unknown kind '${word}'${near}`, hints: near === "" ? [hint] : [] };
}

/** Suggestions for a name without a kind: objects of that name. */
export function namedLike(world: World, name: string): readonly string[] {
  const found: string[] = [];
  const { kindName: nameKind } = kindNamesIn(world);
  world.objects.forEach(({ ref }) => {
    if (ref.name === name && found.length < 5) found.push(formatTargetName({ ref }, nameKind));
  });
  return found.length === 0 ? [] : [`Did you mean ${found.sort(compareText).join(" or ")}?`];
}

/** An object that counts as absent because the API server would refuse it, and the reason. */
export interface RefusedTarget {
  readonly ref: ObjectRef;
  readonly findings: readonly Finding[];
}

/** Finds the first refused object with this name and one of the kinds. */
export function findRefused(
  { refused }: World,
  kinds: readonly GroupKind[],
  name: string,
  namespace: string | undefined,
): RefusedTarget | undefined {
  let found: RefusedTarget | undefined;
  refused.forEach(({ findings }, id) => {
    const ref = parseObjectId(id);
    if (ref.name !== name || (namespace !== undefined && ref.namespace !== "" && ref.namespace !== namespace)) return;
    if (kinds.some(({ group, kind }) => kind === ref.kind && group === ref.group)) found ??= { ref, findings };
  });
  return found;
}

function leftOut({ ref, findings: [first] }: RefusedTarget): TargetSearch {
  const where = first?.source === undefined ? "" : ` is at ${formatLine(first.source)}, but`;
  const message = `${formatRef(ref)}${where} was left out, as the API server would refuse it`;
  return {
    ok: false,
    message: first?.field === undefined ? message : `${message}: fix its ${first.field}`,
    hints: [],
  };
}

function notFound(world: World, kinds: readonly KindWords[], name: string, scope: Scope): TargetSearch {
  const { namespace } = scope;
  const refused = findRefused(world, kinds, name, namespace);
  if (refused !== undefined) return leftOut(refused);
  const { kindName: nameKind } = kindNamesIn(world);
  const [only] = kinds;
  const kind =
    only !== undefined && kinds.length === 1 ? nameKind(only) : [...new Set(kinds.map((one) => one.kind))].join(" or ");
  const where = namespace === undefined ? "" : ` in namespace '${namespace}'`;
  const others = kinds.flatMap((one) =>
    targetsOf(world, one, undefined, { namespace: undefined, selector: undefined }),
  );
  const elsewhere = others.filter(({ ref }) => ref.name === name);
  const isHere = elsewhere.some(({ ref }) => namespace === undefined || ref.namespace === namespace);
  if (isHere && scope.selector !== undefined)
    return { ok: false, message: `${kind} '${name}' does not have the labels that -l asks for`, hints: [] };
  if (elsewhere.length > 0 && namespace !== undefined) {
    const namespaces = elsewhere.map(({ ref }) => `'${ref.namespace}'`).join(", ");
    return { ok: false, message: `there is no ${kind} '${name}'${where}; it exists in ${namespaces}`, hints: [] };
  }
  const near = nearMiss(
    name,
    others.map(({ ref }) => ref.name),
  );
  const meant = others.find(({ ref }) => ref.name === near);
  const guess =
    meant === undefined
      ? ""
      : `; did you mean '${meant.ref.name}' (${formatRef({ ...meant.ref, kind: nameKind(meant.ref) })})?`;
  const list = others.slice(0, 10).map((one) => formatTargetName(one, nameKind));
  const more = others.length > list.length ? ` and ${others.length - list.length} more` : "";
  const hints = guess === "" && list.length > 0 ? [`There are: ${list.join(", ")}${more}`] : [];
  return { ok: false, message: `there is no ${kind} '${name}'${where}${guess}`, hints };
}

function withSection(world: World, targets: readonly FoundTarget[], sectionName: string): TargetSearch {
  const found: FoundTarget[] = [];
  const sections: string[] = [];
  for (const target of targets) {
    const own = sectionNames(world, target.ref);
    sections.push(...own);
    if (own.includes(sectionName)) found.push({ ...target, sectionName });
  }
  if (found.length > 0) return { ok: true, targets: found };
  const [target] = targets;
  const shown = target === undefined ? "it" : formatRef(target.ref);
  if (sections.length === 0) return { ok: false, message: `${shown} has no sections`, hints: [] };
  const message = `${shown} has no section '${sectionName}'${didYouMean(sectionName, sections)}`;
  return { ok: false, message, hints: [`It has: ${sections.join(", ")}`] };
}

/** The stack of each path: which policies are attached at which level. */
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Attached } from "./attached.ts";
import type { ClusterObject } from "./cluster-objects.ts";
import { type TargetPath, withNamespaces } from "./find-paths.ts";
import { isDirect, type StackEntry, type StackLevel } from "./fold-stack.ts";
import { unique } from "./json-value.ts";
import { destinationOf } from "./own-fields.ts";
import { byPrecedence } from "./policy-order.ts";
import { isInPart } from "./read-policy.ts";
import { conflictsAmong } from "./same-target.ts";
import type { OracleUnit } from "./spec-units.ts";
import { isOfLevel, type TargetNode } from "./target-node.ts";

export interface StackedPath extends TargetPath {
  /** Every policy that is attached to a node of the path. */
  readonly entries: readonly StackEntry[];
  /** The levels from the most specific to the least; the policies of a level from the highest to the lowest. */
  readonly levels: readonly StackLevel[];
}

export function stackPaths(
  paths: readonly TargetPath[],
  attached: readonly Attached[],
  definition: PolicyDefinition,
  objects: readonly ClusterObject[],
): readonly StackedPath[] {
  return paths
    .flatMap((path) => splitTraffic(path, attached, definition))
    .map((path) => ({ ...path, nodes: withNamespaces(path, objects, definition) }))
    .map((path) => {
      const entries = entriesOn(path, attached, definition);
      const levels = levelsOf(path, entries, definition);
      return isUndefinedOn(path, attached, definition)
        ? { ...path, incomplete: true as const, entries, levels }
        : { ...path, entries, levels };
    })
    .map((path, _, all) => (definition.class === "Direct" ? withCovering(path, all) : path))
    .filter(({ levels }) => levels.length > 0);
}

/**
 * A policy that targets across namespaces with `crossNamespace: Consumer` takes effect only on traffic from its own namespace.
 * It therefore splits off a path `from: <its namespace>`, unless that namespace has routes of its own for its traffic.
 */
function splitTraffic(
  path: TargetPath,
  attached: readonly Attached[],
  definition: PolicyDefinition,
): readonly TargetPath[] {
  if (definition.class === "Direct") {
    const own = attached.filter(({ target }) => target.object.id === path.nodes[0]?.object.id);
    const split = unique(own.flatMap(({ consumer }) => (consumer === undefined ? [] : [consumer])));
    return split.length === 0 ? [path] : ["others", ...split].map((from) => ({ ...path, from }));
  }
  if (path.from !== "others") return [path];
  const consumers = attached
    .filter(({ target }) => path.nodes.some(({ id }) => id === target.id))
    .flatMap(({ consumer }) => (consumer === undefined ? [] : [consumer]));
  const split = unique(consumers).filter((namespace) => !path.elsewhere?.includes(namespace));
  return [path, ...split.map((from) => ({ ...path, from }))];
}

function entriesOn(
  path: TargetPath,
  attached: readonly Attached[],
  definition: PolicyDefinition,
): readonly StackEntry[] {
  const { merge } = definition;
  // Policies that a node names are between the policies that target it and the next node.
  const sets = path.nodes.flatMap((node, at) => [
    ...(at === firstMeshWide(path, attached) ? [{ node, level: at - 0.25, isNamed: false, isMeshWide: true }] : []),
    { node, level: at, isNamed: false, isMeshWide: false },
    { node, level: at + 0.25, isNamed: true, isMeshWide: false },
  ]);
  return sets.flatMap(({ node, level, isNamed, isMeshWide }) => {
    const entries = attached
      .filter((one) => one.target.id === node.id && (one.isNamed ?? false) === isNamed)
      .filter((one) => (one.isMeshWide ?? false) === isMeshWide)
      .filter(({ consumer }) => consumer === undefined || consumer === path.from)
      .map(({ policy, target, consumer, nameIndex }) => ({ policy, target, level, consumer, nameIndex }))
      .sort((a, b) => byPrecedence(definition)(a.policy, b.policy));
    if (!merge.none || merge.sameTarget === "NoneWins" || merge.sameTarget === "Undefined") {
      const conflicts = conflictsAmong(
        entries.map(({ policy }) => policy),
        definition,
      );
      return entries.filter(({ policy }) => !conflicts.has(policy));
    }
    // Strategy None: on one target only the highest policy takes effect. A consumer's replaces the one for all requests.
    const [highest, ...others] = entries;
    const general = highest?.consumer === undefined ? undefined : others.find(({ consumer }) => consumer === undefined);
    const replaced: readonly StackEntry[] = general === undefined ? [] : [{ ...general, isReplaced: true }];
    return highest === undefined ? [] : [highest, ...replaced];
  });
}

/** True if two policies are on one target of the path, and it is not defined which of them takes effect. */
function isUndefinedOn(
  { nodes }: TargetPath,
  attached: readonly Attached[],
  { merge: { sameTarget } }: PolicyDefinition,
): boolean {
  if (sameTarget !== "Undefined") return false;
  const onPath = attached.filter(({ target }) => nodes.some(({ id }) => id === target.id));
  return onPath.some((one) =>
    onPath.some(
      (other) =>
        other.policy !== one.policy &&
        other.target.id === one.target.id &&
        other.isNamed === one.isNamed &&
        other.isMeshWide === one.isMeshWide,
    ),
  );
}

/** The policies of every Namespace are once on a path, at its first Namespace. */
const firstMeshWide = ({ nodes }: TargetPath, attached: readonly Attached[]): number =>
  nodes.findIndex(({ id }) => attached.some(({ target, isMeshWide }) => isMeshWide === true && target.id === id));

function levelsOf(
  path: TargetPath,
  entries: readonly StackEntry[],
  definition: PolicyDefinition,
): readonly StackLevel[] {
  const levels = path.nodes
    .flatMap((_, at) => [at - 0.25, at, at + 0.25])
    .map((level) => entries.filter((entry) => entry.level === level && hasPart(entry, path, definition)))
    .filter((level) => level.length > 0)
    .reverse();
  return levels;
}

/**
 * A Direct policy on an object covers the sections that have none of their own. If every section has its own, it covers nothing
 * and is overridden by each of them.
 */
function withCovering(path: StackedPath, all: readonly StackedPath[]): StackedPath {
  const siblings = all.filter(({ nodes, from }) => nodes[0]?.id === path.nodes[0]?.id && from === path.from);
  const haveAllTheirOwn = siblings.every(
    ({ nodes, entries }) => nodes.length > 1 && entries.some(({ level }) => Math.round(level) >= 1),
  );
  const nodeOf = (level: StackLevel | undefined): number => Math.round(level?.[0]?.level ?? 0);
  const covering = path.levels.filter((level) => nodeOf(level) === nodeOf(path.levels[0]));
  return haveAllTheirOwn ? path : { ...path, levels: covering };
}

/** A Direct policy is part of the paths that end at its target. Any other is part of a path if one of its settings has a destination there. */
function hasPart(entry: StackEntry, path: TargetPath, definition: PolicyDefinition): boolean {
  const { blocks } = entry.policy;
  if (isDirect(entry.policy, definition) && !isAtEnd(entry, path)) return false;
  const units = blocks.flatMap((block) => block.units);
  const removals = blocks.flatMap(({ remove }) => remove);
  if (definition.parts !== undefined && blocks.length > 0)
    return blocks.some(({ part, units: own }) => own.some((unit) => isHere(unit, part, path.nodes, definition)));
  return (
    blocks.length === 0 ||
    removals.length > 0 ||
    units.some((unit) => destinationOf(unit, path.nodes, definition) !== "Nowhere")
  );
}

/** True if a unit takes effect where the path ends. `part`: the part with rules of its own that it is in. */
export function isHere(
  unit: OracleUnit,
  part: string | undefined,
  nodes: readonly TargetNode[],
  { parts = [], merge }: PolicyDefinition,
): boolean {
  const end = nodes.at(-1) as TargetNode;
  const own = parts.find(({ name, paths, merge: rules }) =>
    rules === undefined ? part === undefined && isInPart(unit, paths, merge) : name === part,
  );
  return own?.effectiveTargets?.some((level) => isOfLevel(end, level)) ?? true;
}

/** True if the path ends at the entry's target or at a section of it (the node below). */
export function isAtEnd({ level }: StackEntry, { nodes }: TargetPath): boolean {
  return Math.round(level) >= nodes.length - (nodes.at(-1)?.section === undefined ? 1 : 2);
}

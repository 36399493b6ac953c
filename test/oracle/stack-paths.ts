/** Which policies stand at which levels of each path: the stacks that are folded. */
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { TargetPath } from "./find-paths.ts";
import { isDirect, type StackEntry, type StackLevel } from "./fold-stack.ts";
import { unique } from "./json-value.ts";
import { placeOf } from "./own-fields.ts";
import { byPrecedence } from "./read-policy.ts";
import type { Attached } from "./resolve-targets.ts";

export interface StackedPath extends TargetPath {
  /** Every policy that stands on a node of the path. */
  readonly standing: readonly StackEntry[];
  /** Most specific first; the policies of one level highest first. */
  readonly levels: readonly StackLevel[];
}

/** Every path that has a policy, with its stack. */
export function stackPaths(
  paths: readonly TargetPath[],
  attached: readonly Attached[],
  definition: PolicyDefinition,
): readonly StackedPath[] {
  return paths
    .flatMap((path) => splitTraffic(path, attached))
    .map((path) => {
      const standing = standingOn(path, attached, definition);
      return { ...path, standing, levels: levelsOf(path, standing, definition) };
    })
    .filter(({ levels }) => levels.length > 0);
}

/**
 * "A policy that targets across namespaces under `crossNamespace: Consumer` acts only on traffic from its own namespace,
 * so it splits off a `from: <its namespace>` path": unless routes of that namespace already carry its traffic.
 */
function splitTraffic(path: TargetPath, attached: readonly Attached[]): readonly TargetPath[] {
  if (path.from !== "others") return [path];
  const consumers = attached
    .filter(({ target }) => path.nodes.some(({ id }) => id === target.id))
    .flatMap(({ consumer }) => (consumer === undefined ? [] : [consumer]));
  const split = unique(consumers).filter((namespace) => !path.elsewhere?.includes(namespace));
  return [path, ...split.map((from) => ({ ...path, from }))];
}

function standingOn(
  path: TargetPath,
  attached: readonly Attached[],
  { merge }: PolicyDefinition,
): readonly StackEntry[] {
  return path.nodes.flatMap((node, level) => {
    const entries = attached
      .filter(({ target, consumer }) => target.id === node.id && (consumer === undefined || consumer === path.from))
      .map(({ policy, target }): StackEntry => ({ policy, target, level }))
      .sort((a, b) => byPrecedence(a.policy, b.policy));
    // None: "on one target the highest policy is taken".
    return merge.none ? entries.slice(0, 1) : entries;
  });
}

function levelsOf(
  path: TargetPath,
  standing: readonly StackEntry[],
  definition: PolicyDefinition,
): readonly StackLevel[] {
  const levels = path.nodes
    .map((_, level) => standing.filter((entry) => entry.level === level && hasPart(entry, path, definition)))
    .filter((level) => level.length > 0)
    .reverse();
  // "A Direct policy on a Service covers the ports that have none of their own."
  return definition.class === "Direct" ? levels.slice(0, 1) : levels;
}

/** A Direct policy has a part in paths that end at its target only, any other where something that it says goes anywhere. */
function hasPart(entry: StackEntry, path: TargetPath, definition: PolicyDefinition): boolean {
  const { blocks } = entry.policy;
  if (isDirect(entry.policy, definition) && !isAtEnd(entry, path)) return false;
  const units = blocks.flatMap((block) => block.units);
  const removals = blocks.flatMap(({ remove }) => remove);
  return (
    blocks.length === 0 ||
    removals.length > 0 ||
    units.some((unit) => placeOf(unit, path.nodes, definition) !== "Nowhere")
  );
}

/** The path ends at the entry's target, or at a section of it, which is the node below. */
export function isAtEnd({ level }: StackEntry, { nodes }: TargetPath): boolean {
  return level >= nodes.length - (nodes.at(-1)?.section === undefined ? 1 : 2);
}

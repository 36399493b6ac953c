import { formatPath } from "../effective/paths/format-path.ts";
import type { PathNode } from "../effective/paths/path-node.ts";
import { namespaceOf } from "../explain/contacts.ts";
import type { ExplainedPath } from "../explain/explain/result.ts";
import { compareText, formatRef, type ObjectId, objectId } from "../model/refs.ts";
import type { Viewer } from "./view-context.ts";
import type { ViewPathGroup, ViewPaths } from "./view-types.ts";

/** The numbers of groups, and of ends in a group, that a view lists. */
const MAX_GROUPS = 20;
const MAX_BELOW = 20;

/**
 * Groups the paths through a target: each group is every path from one of its beginnings to one of its ends. Objects below the target in namespaces that
 * the user may not see are counted and not named. Objects above it are named: the target is attached to them.
 */
export function groupPaths(
  paths: readonly ExplainedPath[],
  { target, of, viewer }: { readonly target: ObjectId; readonly of: number; readonly viewer: Viewer },
): ViewPaths {
  const bySection = new Map<string, Map<string, Set<string>>>();
  for (const path of paths) {
    const { section, above, below } = splitPath(path, target, viewer);
    entryOf(
      entryOf(bySection, section, () => new Map<string, Set<string>>()),
      above,
      () => new Set<string>(),
    ).add(below);
  }
  const groups = new Map<string, SectionWays>();
  for (const [section, byAbove] of bySection) {
    for (const { above, below } of joinEqualEnds(byAbove)) {
      const key = JSON.stringify([above, below]);
      entryOf(groups, key, () => ({ sections: [], above, below })).sections.push(section);
    }
  }
  const all = [...groups.entries()].sort(([a], [b]) => compareText(a, b)).map(([, group]) => toGroup(group));
  return {
    count: paths.length,
    of,
    groups: all.slice(0, MAX_GROUPS),
    ...(all.length > MAX_GROUPS ? { more: all.length - MAX_GROUPS } : {}),
  };
}

/** Every way from one of `above` through one of the sections to one of `below`. */
interface SectionWays {
  readonly sections: string[];
  readonly above: readonly string[];
  readonly below: readonly string[];
}

function entryOf<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** Beginnings that lead to the same ends belong together. */
function joinEqualEnds(byAbove: ReadonlyMap<string, ReadonlySet<string>>): readonly Omit<SectionWays, "sections">[] {
  const joined = new Map<string, { readonly above: string[]; readonly below: readonly string[] }>();
  for (const [above, ends] of byAbove) {
    const below = [...ends].sort(compareText);
    const group = entryOf(joined, below.join("\n"), () => ({ above: [], below }));
    if (above !== "") group.above.push(above);
  }
  return [...joined.values()].map(({ above, below }) => ({ above: above.sort(compareText), below }));
}

interface SplitPath {
  /** Empty: the whole target. */
  readonly section: string;
  readonly above: string;
  /** A hidden end is only counted, so it needs no name; it begins with a character that no name has. */
  readonly below: string;
}

const HIDDEN = "\u0000";

function splitPath({ nodes, from }: ExplainedPath, target: ObjectId, viewer: Viewer): SplitPath {
  const first = nodes.findIndex((node) => objectId(node) === target);
  const last = nodes.findLastIndex((node) => objectId(node) === target);
  const belowNodes = nodes.slice(last + 1);
  const isHidden = belowNodes.some((node) => !isNamed(node, viewer));
  const below = formatPath(belowNodes);
  return {
    section: nodes[last]?.sectionName ?? "",
    above: formatAbove(nodes.slice(0, first), from),
    below: isHidden ? `${HIDDEN}${below}` : below,
  };
}

/** The nodes above the target; the target is attached to the last. */
function formatAbove(nodes: readonly PathNode[], from: string | undefined): string {
  if (nodes.length === 0) return from === undefined ? "" : `traffic from ${from}`;
  return formatPath(nodes, from);
}

function toGroup({ sections, above, below }: SectionWays): ViewPathGroup {
  const open = below.filter((end) => !end.startsWith(HIDDEN) && end !== "");
  const hidden = below.filter((end) => end.startsWith(HIDDEN)).length;
  return {
    sections: sections.filter((section) => section !== "").sort(compareText),
    above,
    below: open.slice(0, MAX_BELOW),
    ...(open.length > MAX_BELOW ? { moreBelow: open.length - MAX_BELOW } : {}),
    ...(hidden === 0 ? {} : { hiddenBelow: hidden }),
  };
}

/** True if the user may know the name of an object below a target or a policy. A Namespace belongs to itself. */
export function isNamed(node: PathNode, { maySee }: Viewer): boolean {
  const namespace = namespaceOf(node);
  return namespace === "" || maySee(namespace);
}

export const formatNode = (node: PathNode): string => formatRef(node, node.sectionName);

import { isMergeKey, keyText } from "./construct-document.ts";
import { eventOffset, skipNode, type YamlEvent, yamlEvent } from "./parse-yaml-events.ts";

/** A text and the events it was turned into; nodes are named by the index of their first event. */
export interface YamlTree {
  readonly events: readonly YamlEvent[];
  readonly source: string;
}

/** The offset of the value at a JSON pointer below the node at `root`, or of its nearest ancestor that exists. */
export function findNode(tree: YamlTree, root: number, pointer: string): number {
  let index = root;
  let offset = offsetAt(tree, index) ?? 0;
  const [before, ...tokens] = pointer.split("/");
  if (before !== "") return offset;
  for (const token of tokens) {
    const child = findChild(tree, index, token.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (child === undefined) break;
    index = child.value;
    // A value that was left out (`spec:`) has no position of its own: the position of its key is used.
    offset = offsetAt(tree, index) ?? offsetAt(tree, child.key) ?? offset;
  }
  return offset;
}

function offsetAt({ events, source }: YamlTree, index: number): number | undefined {
  const event = events[index];
  return event === undefined ? undefined : eventOffset(source, event);
}

export interface Child {
  readonly key: number;
  readonly value: number;
}

export function findChild(tree: YamlTree, parent: number, token: string): Child | undefined {
  const index = resolveAlias(tree, parent);
  const type = tree.events[index]?.type;
  if (type === yamlEvent.MAPPING) return findPair(tree, index, token, new Set());
  const isIndex = type === yamlEvent.SEQUENCE && /^(?:0|[1-9][0-9]*)$/.test(token);
  return isIndex ? findItem(tree, index, Number(token)) : undefined;
}

/** The indexes of the nodes directly inside a collection: items, or keys and values in turn. */
export function childrenOf(events: readonly YamlEvent[], parent: number): readonly number[] {
  const children: number[] = [];
  let index = parent + 1;
  while (index < events.length && events[index]?.type !== yamlEvent.POP) {
    children.push(index);
    index = skipNode(events, index);
  }
  return children;
}

function findItem(tree: YamlTree, sequence: number, position: number): Child | undefined {
  const value = childrenOf(tree.events, sequence)[position];
  return value === undefined ? undefined : { key: sequence, value };
}

/** `seen`: mappings that were searched without success; merges of merges would ask the same one again and again. */
function findPair(tree: YamlTree, mapping: number, name: string, seen: Set<number>): Child | undefined {
  if (seen.has(mapping)) return undefined;
  const children = childrenOf(tree.events, mapping);
  let found: Child | undefined;
  for (let at = 0; at + 1 < children.length; at += 2) {
    const key = children[at] ?? 0;
    const value = children[at + 1] ?? 0;
    const event = tree.events[key];
    if (event === undefined) continue;
    // A later key replaces an earlier one, also if it is a merge key: see `constructDocument`.
    if (isMergeKey(tree.source, event)) found = findMerged(tree, value, name, seen) ?? found;
    else if (keyText(tree.source, event) === name) found = { key, value };
  }
  if (found === undefined) seen.add(mapping);
  return found;
}

function findMerged(tree: YamlTree, merge: number, name: string, seen: Set<number>): Child | undefined {
  const index = resolveAlias(tree, merge);
  const sources = tree.events[index]?.type === yamlEvent.SEQUENCE ? childrenOf(tree.events, index) : [index];
  for (const source of sources) {
    const mapping = resolveAlias(tree, source);
    const isMapping = tree.events[mapping]?.type === yamlEvent.MAPPING;
    const found = isMapping ? findPair(tree, mapping, name, seen) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Finds the value that an alias stands for: that of the last anchor of its name before it. */
function resolveAlias({ events, source }: YamlTree, index: number): number {
  const alias = events[index];
  if (alias?.type !== yamlEvent.ALIAS) return index;
  const name = source.slice(alias.anchorStart, alias.anchorEnd);
  for (let at = index - 1; at >= 0; at--) {
    const event = events[at];
    const canAnchor =
      event?.type === yamlEvent.SCALAR || event?.type === yamlEvent.MAPPING || event?.type === yamlEvent.SEQUENCE;
    if (canAnchor && event.anchorStart !== -1 && source.slice(event.anchorStart, event.anchorEnd) === name) return at;
  }
  return index;
}

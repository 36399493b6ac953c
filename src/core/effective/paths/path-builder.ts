/** Extends a path by one node: the policies on the node join the stack. */
import { namespaceOfTraffic, OTHERS } from "../../model/traffic.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { NodeSets, PolicySet, Stack } from "../world/stack.ts";
import type { NodeFinder } from "./node-finder.ts";
import { ancestorOf, type Node, type Path } from "./path.ts";
import { visitsNamespace } from "./visits-namespace.ts";

/** The source of the traffic of a path. */
type Mesh = Pick<Path, "from" | "elsewhere">;

export const NO_PORTS: readonly number[] = [];

export class PathBuilder {
  readonly #kind: CompiledKind;
  readonly #nodes: NodeFinder;
  /** True if it may not be defined which policy takes effect on a target. */
  readonly #mayBeUndefined: boolean;

  constructor(kind: CompiledKind, nodes: NodeFinder) {
    this.#kind = kind;
    this.#nodes = nodes;
    this.#mayBeUndefined = kind.definition.merge.sameTarget === "Undefined";
  }

  /** Begins a mesh path at its frontend. The Namespace of a frontend is no level here: it is one above the backend. */
  begin(node: Node, found: Path[], mesh: Mesh): void {
    this.push(this.#consumerNamespace(mesh), node, NO_PORTS, found, mesh);
  }

  /**
   * The Namespace of a consumer is the highest level
   *
   * On a path of requests from one namespace that Namespace is above everything else, if Namespaces are levels of the kind:
   * consumer Namespace, consumer route, Namespace of the backend, backend.
   * Policy attachment reference, "Policy Attachment for Mesh"
   */
  #consumerNamespace(mesh: Mesh): Path | undefined {
    const namespace = mesh.from === undefined ? undefined : namespaceOfTraffic(mesh.from);
    if (namespace === undefined || this.#kind.namespacesAbove.size === 0) return undefined;
    const node = this.#nodes.ofNamespace(namespace);
    return this.#below(
      { ...this.rootPath(node), ...mesh },
      undefined,
      node,
      setAt(node.sets, node),
      mesh.from,
      NO_PORTS,
    );
  }

  /** The path as that of requests from one namespace, split off from all others: with the Namespace of the consumer. */
  #splitOff(path: Path | undefined, from: string): Path | undefined {
    const top = this.#consumerNamespace({ from, elsewhere: undefined });
    if (top === undefined || path === undefined) return top ?? path;
    const chain: Path[] = [];
    for (let at: Path | undefined = path; at !== undefined; at = at.up) if (at.node.id !== top.node.id) chain.push(at);
    // A consumer's policies on these nodes would have split the path there.
    return chain.reduceRight(
      (up, { node, ports }) => this.#below(up, up, node, setAt(node.sets, node), from, ports),
      top,
    );
  }

  /** Adds a node (and its Namespace, where that is a level) below a path, or as its root. */
  extend(base: Path | undefined, node: Node, ports: readonly number[], found: Path[], mesh?: Mesh): void {
    const { namespace } = node.ref;
    if (namespace === "" || !node.level.isBelowNamespace || visitsNamespace(base, namespace)) {
      this.push(base, node, ports, found, mesh);
      return;
    }
    const withNamespace: Path[] = [];
    this.push(base, this.#nodes.ofNamespace(namespace), NO_PORTS, withNamespace, mesh);
    for (const above of withNamespace) this.push(above, node, ports, found, mesh);
  }

  /** Adds a node whose parent does not exist as the root of an incomplete path. */
  extendIncomplete(node: Node, found: Path[]): void {
    const from = found.length;
    this.extend(undefined, node, NO_PORTS, found);
    markIncomplete(found, from);
  }

  /** Adds the node without its Namespace. */
  push(base: Path | undefined, node: Node, ports: readonly number[], found: Path[], mesh?: Mesh): void {
    const above = base ?? { ...this.rootPath(node), ...mesh };
    const consumers = node.sets?.consumers;
    if (consumers === undefined || above.from === undefined) found.push(this.below(above, base, node, ports));
    else this.#pushSplit(above, base, node, consumers, ports, found);
  }

  /** The path down to a node without policies of consumers. `above`: what it continues, `base` or the root. */
  below(above: Path, base: Path | undefined, node: Node, ports: readonly number[]): Path {
    return this.#below(above, base, node, setAt(node.sets, node), above.from, ports);
  }

  #pushSplit(
    above: Path,
    base: Path | undefined,
    node: Node,
    consumers: ReadonlyMap<string, NodeSets>,
    ports: readonly number[],
    found: Path[],
  ): void {
    const own = setAt(node.sets, node);
    const [first, ...split] = splitTraffic(above, consumers, node);
    // Traffic that is split off here has its own path from here on: it is not split off again further down.
    const rest = split.length === 0 ? above : { ...above, elsewhere: new Set([...(above.elsewhere ?? []), ...split]) };
    const setOf = (from: string): PolicySet | undefined => this.combined(own, setAt(consumers.get(from), node));
    found.push(this.#below(rest, base, node, setOf(first), first, ports));
    for (const from of split) {
      const up = this.#splitOff(base, from);
      found.push(this.#below(up ?? above, up, node, setOf(from), from, ports));
    }
  }

  #below(
    above: Path,
    up: Path | undefined,
    node: Node,
    set: PolicySet | undefined,
    from: string | undefined,
    ports: readonly number[],
  ): Path {
    const base = this.#belowMesh(above.stack, up, node);
    const stack = set === undefined ? base : this.#kind.stacks.push(base, set);
    const named = node.sets?.named === undefined ? undefined : setAt(node.sets.named, node);
    const isUndefined = this.#mayBeUndefined && [set, named, node.sets?.meshWide?.own].some(isUndefinedSet);
    return {
      up,
      node,
      stack: named === undefined ? stack : this.#kind.stacks.push(stack, named),
      from,
      elsewhere: above.elsewhere,
      incomplete: above.incomplete || isUndefined,
      ancestor: above.ancestor ?? ancestorOf(node),
      ports,
    };
  }

  /** The policies of every Namespace are once on a path, at its first Namespace. */
  #belowMesh(stack: Stack, up: Path | undefined, { sets }: Node): Stack {
    const set = sets?.meshWide?.own;
    if (set === undefined) return stack;
    for (let at = up; at !== undefined; at = at.up) if (at.node.sets?.meshWide !== undefined) return stack;
    return this.#kind.stacks.push(stack, set);
  }

  /** The policies on a target for all requests, and those for the requests from one namespace. */
  combined(own: PolicySet | undefined, consumers: PolicySet | undefined): PolicySet | undefined {
    if (own === undefined || consumers === undefined) return own ?? consumers;
    return this.#kind.stacks.combined(own, consumers, this.#kind.definition.merge);
  }

  /** A path that begins at the node, without the policies of the node. */
  rootPath(node: Node): Path {
    return {
      up: undefined,
      node,
      stack: this.#kind.stacks.empty,
      from: undefined,
      elsewhere: undefined,
      incomplete: false,
      ancestor: ancestorOf(node),
      ports: NO_PORTS,
    };
  }
}

const isUndefinedSet = (set: PolicySet | undefined): boolean => set?.isUndefined === true;

/** Marks the paths from an index on as incomplete. */
export function markIncomplete(found: Path[], from: number): void {
  for (let i = from; i < found.length; i++) found[i] = { ...(found[i] as Path), incomplete: true };
}

/**
 * Consumer policies split traffic
 *
 * A consumer policy takes effect only on traffic from its own namespace, so a path through its target is split in two.
 * GEP-713 experimental, "Policy Attachment for Mesh"
 */
function splitTraffic(
  above: Path,
  consumers: ReadonlyMap<string, NodeSets>,
  node: Node,
): readonly [string, ...string[]] {
  const from = above.from ?? OTHERS;
  if (from !== OTHERS) return [from];
  const split = [...consumers]
    .filter(([consumer, sets]) => setAt(sets, node) !== undefined && above.elsewhere?.has(consumer) !== true)
    .map(([consumer]) => consumer);
  return [OTHERS, ...split.sort()];
}

function setAt(sets: NodeSets | undefined, { section }: Node): PolicySet | undefined {
  if (sets === undefined) return undefined;
  return section === undefined ? sets.own : sets.sections?.get(section.name);
}

import type { CompiledKind } from "../world/compiled-kind.ts";
import type { WithPolicies } from "../world/world.ts";
import { NodeFinder } from "./node-finder.ts";
import type { Node, Path } from "./path.ts";
import { PathBuilder } from "./path-builder.ts";

/** The number of paths that are kept: enough for all Gateways of a cluster. */
const MAX_REMEMBERED = 4096;

/**
 * Builds paths with the policies of another world. A change of policies alone leaves all paths as they are, and changes the stacks on them.
 * To follow the links once more would take most of the time of such a change.
 */
export class Restacker {
  readonly #attached: WithPolicies["attached"][number] | undefined;
  readonly #builder: PathBuilder;
  readonly #paths: Map<Path, Path | undefined> = new Map();
  readonly #nodes: Map<Node, Node> = new Map();

  /** The links and the objects on paths of the kind must be the same in the world of the paths and in `world`. */
  constructor(world: WithPolicies, kind: CompiledKind) {
    this.#attached = world.attached[kind.index];
    this.#builder = new PathBuilder(kind, new NodeFinder(world, kind));
  }

  /** Undefined: policies of consumers split the path, or did so before, so it has to be found anew. */
  restack(path: Path): Path | undefined {
    const { up } = path;
    if (up === undefined) return this.#below(path, undefined);
    let base = this.#paths.get(up);
    if (base === undefined && !this.#paths.has(up)) {
      base = this.restack(up);
      if (this.#paths.size >= MAX_REMEMBERED) this.#paths.clear();
      this.#paths.set(up, base);
    }
    return base === undefined ? undefined : this.#below(path, base);
  }

  #below(path: Path, base: Path | undefined): Path | undefined {
    const node = this.#nodeOf(path.node);
    if (path.node.sets?.consumers !== undefined || node.sets?.consumers !== undefined) return undefined;
    if (node === path.node && base === path.up) return path;
    const { from, elsewhere, ports, incomplete } = path;
    const above = base ?? { ...this.#builder.rootPath(node), from, elsewhere };
    const restacked = this.#builder.below(above, base, node, ports);
    return restacked.incomplete === incomplete ? restacked : { ...restacked, incomplete };
  }

  #nodeOf(node: Node): Node {
    const sets = this.#attached?.get(node.id);
    if (sets === node.sets) return node;
    let next = this.#nodes.get(node);
    if (next === undefined) {
      next = { ...node, sets };
      if (this.#nodes.size >= MAX_REMEMBERED) this.#nodes.clear();
      this.#nodes.set(node, next);
    }
    return next;
  }
}

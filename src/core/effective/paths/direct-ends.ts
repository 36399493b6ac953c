/** The paths of a Direct kind: just the target, with the policy that covers it. */
import type { ObjectId, ObjectRef } from "../../model/refs.ts";
import { OTHERS } from "../../model/traffic.ts";
import type { CompiledKind, EndLevel } from "../world/compiled-kind.ts";
import { type NodeSets, type PolicySet, setsAt } from "../world/stack.ts";
import type { WithPolicies } from "../world/world.ts";
import { coveringSection } from "./covering-section.ts";
import { carrierOf } from "./gateways-above.ts";
import { type NodeFinder, sectionsOfNode } from "./node-finder.ts";
import { type Node, type Path, sectionNode } from "./path.ts";
import type { PathBuilder } from "./path-builder.ts";
import type { PathScope } from "./path-scope.ts";

const NO_SETS: readonly PolicySet[] = [];

interface DirectContext {
  readonly nodes: NodeFinder;
  readonly paths: PathBuilder;
  readonly scope: PathScope | undefined;
  readonly everyGateway: boolean;
}

export class DirectEnds {
  readonly #world: WithPolicies;
  readonly #kind: CompiledKind;
  readonly #nodes: NodeFinder;
  readonly #paths: PathBuilder;
  readonly #scope: PathScope | undefined;
  readonly #everyGateway: boolean;

  constructor(world: WithPolicies, kind: CompiledKind, { nodes, paths, scope, everyGateway }: DirectContext) {
    this.#world = world;
    this.#kind = kind;
    this.#nodes = nodes;
    this.#paths = paths;
    this.#scope = scope;
    this.#everyGateway = everyGateway;
  }

  /**
   * The paths to an object and its sections, each with the policy that covers it. If every section of an object has a policy of its
   * own, the object's policy covers none; then it is above each of them in the stack, and overridden there.
   */
  forEachEnd(ref: ObjectRef, id: ObjectId, end: EndLevel, visit: (path: Path) => void): void {
    const sets = this.#world.attached[this.#kind.index]?.get(id);
    if (sets === undefined) return;
    // The controllers that serve an object depend on the objects above it.
    const hasControllers = this.#kind.definition.controllers.length > 0;
    if (this.#scope !== undefined && !this.#scope[hasControllers ? "touched" : "dirty"].has(id)) return;
    const node = this.#nodes.of(id, ref, this.#world.objects.get(id)?.raw);
    if (sets.consumers === undefined) return this.#forEachSection(node, end, sets, undefined, visit);
    // Consumers' policies take effect on the requests from their namespaces only.
    for (const from of [OTHERS, ...[...sets.consumers.keys()].sort()])
      this.#forEachSection(node, end, sets, from, visit);
  }

  #forEachSection(
    node: Node,
    end: EndLevel,
    sets: NodeSets,
    from: string | undefined,
    visit: (path: Path) => void,
  ): void {
    const theirs = from === undefined ? undefined : sets.consumers?.get(from);
    const { stacks } = this.#kind;
    const setsOf = (name: string | undefined): readonly PolicySet[] => {
      const at = (one: NodeSets | undefined): PolicySet | undefined =>
        name === undefined ? one?.own : one?.sections?.get(name);
      return [at(sets.meshWide), this.#paths.combined(at(sets), at(theirs)), at(sets.named)]
        .map(withPolicies)
        .filter((set) => set !== undefined);
    };
    const mayBeUndefined = this.#kind.definition.merge.sameTarget === "Undefined";
    const isUndefined = (name: string | undefined): boolean =>
      mayBeUndefined && setsAt(sets, name).some((set) => set.isUndefined === true);
    const root = (own: readonly PolicySet[]): Path => ({
      ...this.#paths.rootPath(node),
      incomplete: isUndefined(undefined),
      stack: own.reduce((stack, set) => stacks.push(stack, set), stacks.empty),
      from,
    });
    const carry = (path: Path, sectionName?: string): void => {
      const below = sectionName === undefined ? { object: node.id } : { object: node.id, sectionName };
      const carrier = carrierOf(this.#world, this.#kind.definition, below);
      const incomplete = carrier === "Unknown" || path.incomplete;
      if (carrier !== "Other" || this.#everyGateway) visit({ ...path, incomplete });
    };
    const sections = sectionsOfNode(node).filter(({ section }) => end.sections.has(section));
    const own = setsOf(undefined);
    if (sections.length === 0) {
      if (own.length > 0) carry(root(own));
      return;
    }
    const hasOwn = (name: string): boolean => setsOf(name).length > 0;
    const above = root(sections.every(({ name }) => hasOwn(name)) ? own : NO_SETS);
    for (const section of sections) {
      const covering = setsOf(coveringSection(section.name, hasOwn));
      if (covering.length === 0) continue;
      const stack = covering.reduce((high, set) => stacks.push(high, set), above.stack);
      const incomplete = above.incomplete || isUndefined(section.name);
      carry({ ...above, stack, up: above, node: sectionNode(node, section), incomplete }, section.name);
    }
  }
}

/** Undefined if all policies on a target are in conflict, and none takes effect. */
const withPolicies = (set: PolicySet | undefined): PolicySet | undefined =>
  set === undefined || set.policies.length === 0 ? undefined : set;

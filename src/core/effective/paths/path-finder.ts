/**
 * Paths of one policy kind through one world. Paths are found from their ends upwards and never kept in a list of all;
 * what routes have in common (class, gateway, listener) is found once and shared.
 */
import { kindId, type ObjectId } from "../../model/refs.ts";
import { OTHERS, trafficFrom } from "../../model/traffic.ts";
import type { UpLink } from "../../topology/links.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { CompiledKind, EndLevel } from "../world/compiled-kind.ts";
import { foreignController, isGateway, unknownClassOf } from "../world/gateway-controllers.ts";
import { referrersToChild, referrersToParent } from "../world/link-indexes.ts";
import type { WithPolicies } from "../world/world.ts";
import { DirectEnds } from "./direct-ends.ts";
import type { EndObject } from "./end-objects.ts";
import { type Ends, EndsBelow, isUnfollowed, isUsed } from "./ends-below.ts";
import { NodeFinder, sectionsOfNode } from "./node-finder.ts";
import { type Node, type Path, sectionNode } from "./path.ts";
import { markIncomplete, NO_PORTS, PathBuilder } from "./path-builder.ts";
import type { PathScope } from "./path-scope.ts";

const NO_PATHS: readonly Path[] = [];
/** The number of objects whose paths are cached: enough for all gateways of a cluster, while those of routes are dropped. */
const MAX_REMEMBERED = 4096;
const FEW = 32;

/** Each of `paths` leads to one object, and goes on to each of its `sections` with the same stack. */
export interface PathGroup {
  readonly paths: readonly Path[];
  readonly sections: readonly Section[];
}

export interface PathOptions {
  readonly scope?: PathScope;
  /** True: also paths behind Gateways of controllers that do not carry the kind out. Policies take no effect there. */
  readonly everyGateway?: boolean;
}

export class PathFinder {
  readonly #world: WithPolicies;
  readonly #kind: CompiledKind;
  readonly #scope: PathScope | undefined;
  readonly #everyGateway: boolean;
  readonly #remembered: Map<ObjectId, readonly Path[]> = new Map();
  readonly #sections: Map<ObjectId, Map<string, readonly Path[]>> = new Map();
  readonly #visiting: Set<ObjectId> = new Set();
  readonly #nodes: NodeFinder;
  readonly #endsBelow: EndsBelow;
  readonly #paths: PathBuilder;
  readonly #direct: DirectEnds;

  constructor(world: WithPolicies, kind: CompiledKind, { scope, everyGateway = false }: PathOptions = {}) {
    this.#world = world;
    this.#kind = kind;
    this.#scope = scope;
    this.#everyGateway = everyGateway || kind.definition.controllers.length === 0;
    this.#nodes = new NodeFinder(world, kind, { isNear: scope !== undefined });
    this.#endsBelow = new EndsBelow(world, this.#nodes);
    this.#paths = new PathBuilder(kind, this.#nodes);
    this.#direct = new DirectEnds(world, kind, {
      nodes: this.#nodes,
      paths: this.#paths,
      scope,
      everyGateway: this.#everyGateway,
    });
  }

  /** Visits each path that ends at the object or at one of its sections. */
  forEachPathTo({ id, ref, raw }: EndObject, visit: (path: Path) => void): void {
    const { end } = this.#nodes.levels.of(ref);
    if (end === undefined) return;
    if (this.#kind.definition.class === "Direct") {
      this.#direct.forEachEnd(ref, id, end, visit);
      return;
    }
    if (this.#scope !== undefined && !this.#scope.touched.has(id)) return;
    const node = raw === undefined ? this.#nodes.find(id) : this.#nodes.of(id, ref, raw);
    if (node === undefined) return;
    const { endGroups } = this.#kind;
    if (endGroups === undefined) this.#forEachEnd(node, end, undefined, visit);
    else
      for (const ends of endGroups) {
        const own = ends.get(kindId(ref));
        if (own !== undefined) this.#forEachEnd(node, own, ends, visit);
      }
  }

  /** `among`: the levels at which the settings of some parts take effect; undefined: all of them. */
  #forEachEnd(node: Node, end: EndLevel, among: Ends | undefined, visit: (path: Path) => void): void {
    const { id } = node;
    const sections =
      end.sections.size === 0 ? NO_SECTIONS : sectionsOfNode(node).filter(({ section }) => end.sections.has(section));
    const goesOn = (section: Section): boolean => end.mayContinue && this.#endsBelow.areThere(id, section, among);
    // Mostly every rule of a route has a backend: no path ends at the route, and the paths to it need not be found.
    if (!end.object && sections.every(goesOn)) return;
    const paths = this.#findToNode(node);
    if (paths.length === 0) return;
    const entering = end.object ? new Set<Path>() : undefined;
    const found: Path[] = [];
    for (const section of sections) {
      const isOpen = !goesOn(section);
      if (!isOpen && !end.object) continue;
      const below = sectionNode(node, section);
      for (const path of paths) {
        if (!isUsed(section, path.ports)) continue;
        entering?.add(path);
        if (isOpen) this.#paths.push(path, below, path.ports, found);
      }
    }
    for (const path of found) visit(path);
    if (entering === undefined || (end.mayContinue && this.#endsBelow.areThere(id, undefined, among))) return;
    // A route can name a port that the backend does not have: such a path ends at the Service, other paths end at its ports.
    for (const path of paths) if (!entering.has(path)) visit(path);
  }

  /**
   * The paths of `forEachPathTo` as a group, if each path to the object goes on to each of its sections, ends there, and meets no further
   * policy: mostly the paths of a route. Undefined: they differ, see `forEachPathTo`.
   */
  findGroupTo({ id, ref, raw }: EndObject): PathGroup | undefined {
    if (this.#scope !== undefined || !this.#nodes.levels.of(ref).endsAtAllSections) return undefined;
    const node = raw === undefined ? this.#nodes.find(id) : this.#nodes.of(id, ref, raw);
    if (node === undefined || node.sets?.sections !== undefined || node.sets?.consumers !== undefined) return undefined;
    if (node.sets?.named?.sections !== undefined) return undefined;
    return { paths: this.#findToNode(node), sections: sectionsOfNode(node) };
  }

  /** The paths to an object. `into` and `onTo` continue them. */
  pathsTo({ ref, id, raw }: EndObject): readonly Path[] {
    return this.#findToNode(this.#nodes.of(id, ref, raw));
  }

  /** Continues the path into a section of its last object. */
  into(path: Path, section: Section): Path | undefined {
    return this.#intoSection([path], section)[0];
  }

  /** Continues the path to a backend and one of its ports; without such a port, to the backend itself. */
  onTo(path: Path, child: ObjectId, port: number): Path | undefined {
    const node = this.#nodes.find(child);
    if (node === undefined) return undefined;
    const found: Path[] = [];
    this.#paths.extend(path, node, [port], found);
    const [last] = found;
    const { end } = node.level;
    const section = sectionsOfNode(node).find(
      ({ section: kind, raw }) => end?.sections.has(kind) && raw["port"] === port,
    );
    return last === undefined || section === undefined ? last : this.into(last, section);
  }

  /** The paths to an object that others are attached to. They are cached. */
  #toObject(id: ObjectId): readonly Path[] {
    const known = this.#remembered.get(id);
    if (known !== undefined) return known;
    // A cycle of links has no path; a finding reports it.
    if (this.#visiting.has(id)) return NO_PATHS;
    this.#visiting.add(id);
    const node = this.#scope === undefined || this.#scope.touched.has(id) ? this.#nodes.find(id) : undefined;
    const paths = node === undefined ? NO_PATHS : this.#findToNode(node);
    this.#visiting.delete(id);
    if (this.#remembered.size >= MAX_REMEMBERED) {
      this.#remembered.clear();
      this.#sections.clear();
    }
    this.#remembered.set(id, paths);
    return paths;
  }

  #findToNode(node: Node): readonly Path[] {
    if (!node.level.isPassed || this.#isForeign(node)) return NO_PATHS;
    const found: Path[] = [];
    if (node.level.isMeshTarget) this.#withoutRoute(node, found);
    else if (node.level.isRoot) this.#paths.extend(undefined, node, NO_PORTS, found);
    if (!node.level.isRoot) this.#fromParents(node, found);
    if (this.#hasUnknownController(node)) markIncomplete(found, 0);
    return found;
  }

  /**
   * Requests that no route carries go to the Service itself
   *
   * A policy on a Service takes effect on requests that no route carries, if its kind is about a mesh. A route in the Service's
   * namespace carries the requests of all namespaces, a route in another namespace those of its own.
   * Policy attachment reference, "Policy Attachment for Mesh"
   */
  #withoutRoute(node: Node, found: Path[]): void {
    if (!this.#counts(node.id)) return;
    const { hasProducer, consumers } = this.#routesOf(node.id, node.ref.namespace);
    if (!hasProducer) this.#paths.extend(undefined, node, NO_PORTS, found, { from: OTHERS, elsewhere: consumers });
  }

  /** True for a Gateway of a controller that does not carry the kind out. */
  #isForeign({ ref, raw }: Node): boolean {
    if (this.#everyGateway || !isGateway(ref)) return false;
    return foreignController(this.#world, this.#kind.definition, raw) !== undefined;
  }

  /** True for a Gateway whose controller is not known. */
  #hasUnknownController({ ref, raw }: Node): boolean {
    if (this.#kind.definition.controllers.length === 0 || !isGateway(ref)) return false;
    return unknownClassOf(this.#world, this.#kind.definition, raw) !== undefined;
  }

  #fromParents(node: Node, found: Path[]): void {
    const { id } = node;
    const links = this.#world.links.get(id);
    const finder = this.#scope?.dirty.has(id) ? this.#unscoped() : this;
    if (links !== undefined) {
      const isLoose = this.#world.unfollowed.size > 0 && this.#world.unfollowed.has(id);
      const up = isLoose ? links.up.filter(({ parent }) => !isUnfollowed(this.#world, id, parent)) : links.up;
      for (const base of finder.#above(up, node.ref.namespace)) this.#paths.extend(base, node, NO_PORTS, found);
      if (links.absentParents.length > 0 && this.#counts(id)) this.#paths.extendIncomplete(node, found);
    }
    if (!node.level.isChildByRef) return;
    for (const parent of finder.#namersOf(id)) {
      const links = this.#world.childLinksOf(parent);
      const link = links?.down.find(({ child }) => child === id);
      if (links === undefined || link === undefined || isUnfollowed(this.#world, id, parent)) continue;
      for (const { sectionIndex, ports } of link.uses) {
        const bases = finder.#aboveChild(parent, links.sections[sectionIndex]);
        for (const base of bases) this.#paths.extend(base, node, ports, found);
      }
    }
  }

  /** The paths to the parents of an object. Objects with the same parents share the list of links, so it is followed once. */
  #above(up: readonly UpLink[], namespace: string): readonly Path[] {
    if (this.#near?.up === up) return this.#near.bases;
    const all: Path[] = [];
    let isMesh = false;
    for (const link of up) {
      for (const path of this.#aboveLink(link, namespace)) all.push(path);
      isMesh ||= link.frontend === true;
    }
    const bases = all;
    // The traffic that a mesh Service passes on depends on the route.
    if (!isMesh) this.#near = { up, bases };
    return bases;
  }
  #near: { readonly up: readonly UpLink[]; readonly bases: readonly Path[] } | undefined;

  /** The objects that may name an object as their child, in order. A change or a question touches few of the thousands of routes that may do so. */
  #namersOf(id: ObjectId): Iterable<ObjectId> {
    const touched = this.#scope?.touched;
    if (touched === undefined) return referrersToChild(this.#world, id);
    // To ask each of a few needs no index of all.
    return touched.size <= FEW
      ? [...touched].sort()
      : [...referrersToChild(this.#world, id)].filter((one) => touched.has(one));
  }

  #counts(id: ObjectId): boolean {
    return this.#scope === undefined || this.#scope.dirty.has(id);
  }

  /** Above a changed object every path is visited. */
  #unscoped(): PathFinder {
    this.#whole ??= new PathFinder(this.#world, this.#kind);
    return this.#whole;
  }
  #whole: PathFinder | undefined;

  #aboveLink({ parent, section, frontend }: UpLink, namespace: string): readonly Path[] {
    if (frontend) return this.#toFrontend(parent, namespace);
    return section === undefined ? this.#toObject(parent) : this.#toSection(parent, section);
  }

  /** `section`: the section of the parent that names the child; undefined if the parent itself names it. */
  #aboveChild(parent: ObjectId, section: string | undefined): readonly Path[] {
    return section === undefined ? this.#toObject(parent) : this.#toSection(parent, section);
  }

  #toSection(id: ObjectId, name: string): readonly Path[] {
    return this.#toSections(id).get(name) ?? NO_PATHS;
  }

  #toSections(id: ObjectId): ReadonlyMap<string, readonly Path[]> {
    const paths = this.#toObject(id);
    let known = this.#sections.get(id);
    if (known === undefined) {
      known = new Map();
      const [first] = paths;
      if (first !== undefined)
        for (const section of sectionsOfNode(first.node)) known.set(section.name, this.#intoSection(paths, section));
      this.#sections.set(id, known);
    }
    return known;
  }

  #intoSection(paths: readonly Path[], section: Section): readonly Path[] {
    const found: Path[] = [];
    const [first] = paths;
    if (first === undefined) return found;
    const node = sectionNode(first.node, section);
    for (const path of paths) if (isUsed(section, path.ports)) this.#paths.push(path, node, path.ports, found);
    return found;
  }

  /**
   * Consumer routes carry the traffic of their namespace
   *
   * A route in another namespace than its Service carries traffic from that namespace; the producer's own route carries the rest.
   * GEP-1294, "Multiple routes for a Service"
   */
  #toFrontend(service: ObjectId, routeNamespace: string): readonly Path[] {
    // As a frontend the Service is a root: changes above it, in its role as a backend, do not matter.
    if (!this.#counts(service)) return NO_PATHS;
    const node = this.#nodes.find(service);
    if (node === undefined) return NO_PATHS;
    const { isPassed, isRoot } = node.level;
    if (!isPassed || (this.#kind.roots !== undefined && !isRoot)) return NO_PATHS;
    const isProducer = node.ref.namespace === routeNamespace;
    const elsewhere = isProducer ? this.#routesOf(service, node.ref.namespace).consumers : undefined;
    const found: Path[] = [];
    const base: Pick<Path, "from" | "elsewhere"> = {
      from: isProducer ? OTHERS : trafficFrom(routeNamespace),
      elsewhere,
    };
    this.#paths.begin(node, found, base);
    return found;
  }

  /** The routes that carry the requests to a Service: whether one is the producer's, and the namespaces of the others. */
  #routesOf(
    service: ObjectId,
    home: string,
  ): { readonly hasProducer: boolean; readonly consumers: ReadonlySet<string> } {
    const consumers = new Set<string>();
    let hasProducer = false;
    for (const id of referrersToParent(this.#world, service)) {
      const object = this.#world.objects.get(id);
      if (object === undefined || (hasProducer && object.family.namespace === home)) continue;
      if (!this.#nodes.levels.of(object.ref).isPassed) continue;
      if (!this.#world.links.get(id)?.up.some(({ parent, frontend }) => frontend && parent === service)) continue;
      if (object.family.namespace === home) hasProducer = true;
      else consumers.add(trafficFrom(object.family.namespace));
    }
    return { hasProducer, consumers };
  }
}

const NO_SECTIONS: readonly Section[] = [];

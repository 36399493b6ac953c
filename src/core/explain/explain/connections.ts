/** The connections of a target in the topology, whether it has policies or not. */
import type { PathNode } from "../../effective/paths/path-node.ts";
import { hostnamesOf } from "../../effective/world/gateway-listeners.ts";
import { referrersToChild, referrersToParent } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compareText, type ObjectId, parseObjectId } from "../../model/refs.ts";
import { routeHosts } from "../../routing/hostname-match.ts";
import type { UpLink } from "../../topology/links.ts";
import { type Listener, listenersOf } from "../../topology/listeners-of.ts";
import { type Section, sectionsOf } from "../../topology/sections-of.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import type { ConnectedBackend, ConnectedListener, Connections } from "./result.ts";

/** For a section: a listener has the routes attached to it, a rule its backends, a port the rules that use it. */
export function connectionsOf(world: World, target: ObjectOrSection): Connections {
  const object = world.objects.get(target.id);
  const section = object === undefined ? undefined : findSection(world, object, target.sectionName);
  const up = world.links.get(target.id)?.up ?? [];
  const attached = attachedObjects(world, target);
  return {
    attachedTo: up.map(({ parent, section: name }) => nodeAt(parent, name)),
    backendOf: backendUses(world, target.id, portNumber(section)),
    hostnames: object === undefined ? [] : hostnamesAt(world, object, up),
    listeners: object === undefined ? [] : listenersAt(world, object, target.sectionName, attached),
    attached: distinctObjects(attached.map(({ id }) => id)),
    backends: backendsOf(world, target.id, section),
  };
}

function nodeAt(id: ObjectId, sectionName?: string): PathNode {
  const { group, kind, namespace, name } = parseObjectId(id);
  return { group, kind, namespace, name, ...(sectionName === undefined ? {} : { sectionName }) };
}

const distinctObjects = (ids: readonly ObjectId[]): readonly PathNode[] =>
  [...new Set(ids)].sort(compareText).map((id) => nodeAt(id));

function findSection(world: World, object: KubeObject, name: string | undefined): Section | undefined {
  const facts = name === undefined ? undefined : world.rulebook.factsOf(object.family.kindId);
  return facts === undefined ? undefined : sectionsOf(object, facts).find((one) => one.name === name);
}

/** The number of a port, if the section is one. */
function portNumber(section: Section | undefined): number | undefined {
  const port = section?.section === "Port" ? section.raw["port"] : undefined;
  return typeof port === "number" ? port : undefined;
}

/** Objects attached to the target, each with the section that it is attached to. */
function attachedObjects(
  world: World,
  { id, sectionName }: ObjectOrSection,
): ReadonlyArray<{ readonly id: ObjectId; readonly section: string | undefined }> {
  const found: { readonly id: ObjectId; readonly section: string | undefined }[] = [];
  for (const other of referrersToParent(world, id)) {
    for (const { parent, section } of world.links.get(other)?.up ?? []) {
      if (parent === id && (sectionName === undefined || section === sectionName)) found.push({ id: other, section });
    }
  }
  return found;
}

/** The routes and rules that have the object as a backend; with `port` those that use this port. */
function backendUses(world: World, id: ObjectId, port: number | undefined): readonly PathNode[] {
  const nodes: PathNode[] = [];
  for (const other of referrersToChild(world, id)) {
    const links = world.childLinksOf(other);
    for (const { child, uses } of links?.down ?? []) {
      if (child !== id) continue;
      for (const { sectionIndex, ports } of uses) {
        const isUsed = port === undefined || ports.length === 0 || ports.includes(port);
        if (isUsed) nodes.push(nodeAt(other, links?.sections[sectionIndex]));
      }
    }
  }
  return nodes;
}

function backendsOf(world: World, id: ObjectId, section: Section | undefined): readonly ConnectedBackend[] {
  const links = world.childLinksOf(id);
  return (links?.down ?? []).flatMap(({ child, uses }) => {
    const sections = uses.flatMap(({ sectionIndex }) => links?.sections[sectionIndex] ?? []);
    if (section !== undefined && !sections.includes(section.name)) return [];
    const ports = uses
      .filter(({ sectionIndex }) => section === undefined || links?.sections[sectionIndex] === section.name)
      .flatMap((use) => use.ports);
    return [
      {
        ...nodeAt(child),
        ports: [...new Set(ports)].sort((a, b) => a - b),
        sections: section === undefined ? sections : [section.name],
      },
    ];
  });
}

/** The hosts of a route at the listeners that it is attached to; as written if the input has none of them. A mesh does not use hostnames. */
function hostnamesAt(world: World, object: KubeObject, up: readonly UpLink[]): readonly string[] {
  if (world.rulebook.factsOf(object.family.kindId)?.route === undefined) return [];
  if (up.length > 0 && up.every(({ frontend }) => frontend === true)) return [];
  const listeners = up.flatMap(({ parent, section }) => findListener(world, parent, section) ?? []);
  const hosts = (listeners.length === 0 ? [undefined] : listeners.map(({ hostname }) => hostname)).flatMap((listener) =>
    routeHosts(hostnamesOf(object), listener).map(({ hostname }) => hostname),
  );
  return [...new Set(hosts)].sort(compareText);
}

function findListener(world: World, owner: ObjectId, name: string | undefined): Listener | undefined {
  const object = world.objects.get(owner);
  return object === undefined ? undefined : readListeners(world, object).find((listener) => listener.name === name);
}

function readListeners(world: World, owner: KubeObject): readonly Listener[] {
  const facts = world.rulebook.factsOf(owner.family.kindId);
  return facts === undefined ? [] : listenersOf(owner, facts, "Listener");
}

function listenersAt(
  world: World,
  object: KubeObject,
  sectionName: string | undefined,
  attached: ReturnType<typeof attachedObjects>,
): readonly ConnectedListener[] {
  return readListeners(world, object)
    .filter(({ name }) => sectionName === undefined || name === sectionName)
    .map(({ name, protocol, port, hostname }) => ({
      name,
      protocol,
      ...(port === undefined ? {} : { port }),
      ...(hostname === undefined ? {} : { hostname }),
      attached: attached.filter(({ section }) => section === name).length,
    }));
}

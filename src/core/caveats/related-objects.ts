import { referrersToChild, referrersToParent } from "../effective/world/link-indexes.ts";
import type { World } from "../effective/world/world.ts";
import { namespaceRef, type ObjectId, objectId, type PolicyId, parseObjectId } from "../model/refs.ts";
import type { CaveatQuestion, CaveatScope } from "./caveat.ts";

/** The objects whose policies may take part in an answer. */
export interface RelatedObjects {
  /** The objects of the question and everything above them, Namespaces included. */
  readonly above: ReadonlySet<ObjectId>;
  /** The objects of the question and everything below them. */
  readonly below: ReadonlySet<ObjectId>;
  /** True if a Namespace is asked about: paths through it may begin anywhere below it. */
  readonly hasNamespace: boolean;
  /** Objects that a request of the question arrives at, and what is below them: a route there could take the request. */
  readonly competing: ReadonlySet<ObjectId>;
}

/** The objects that a question is related to. Undefined: all. */
export function relatedObjects(world: World, question: CaveatScope): RelatedObjects | undefined {
  const start = startOf(world, question);
  if (start === undefined) return undefined;
  const [above, below] = [new Set(start), new Set(start)];
  // A set may grow while it is iterated: new members are visited too.
  for (const id of above) for (const parent of parentsOf(world, id)) above.add(parent);
  for (const id of below) for (const child of childrenOf(world, id)) below.add(child);
  const competing = new Set(question.arrivesAt ?? []);
  for (const id of competing) for (const child of childrenOf(world, id)) competing.add(child);
  for (const ids of [above, below]) {
    const namespaces = new Set([...ids].map(namespaceOf));
    for (const id of namespaces) ids.add(id);
  }
  return { above, below, hasNamespace: start.some(isNamespace), competing };
}

function startOf(world: World, question: CaveatQuestion): readonly ObjectId[] | undefined {
  switch (question.about) {
    case "Input":
      return undefined;
    case "Objects":
      return question.objects;
    case "Policies": {
      const targets = question.policies.map((id) => targetsOf(world, id));
      // Without a target it is not known which objects the policy is about.
      return targets.some((own) => own.length === 0) ? undefined : targets.flat();
    }
  }
}

const targetsOf = (world: World, id: PolicyId): readonly ObjectId[] =>
  (world.policies.get(id)?.targets.attachments ?? []).map(({ object }) => object);

function* parentsOf(world: World, id: ObjectId): Iterable<ObjectId> {
  for (const { parent } of world.links.get(id)?.up ?? []) yield parent;
  for (const other of referrersToChild(world, id))
    if (world.childLinksOf(other)?.down.some(({ child }) => child === id) === true) yield other;
}

function* childrenOf(world: World, id: ObjectId): Iterable<ObjectId> {
  if (isNamespace(id)) {
    const { name } = parseObjectId(id);
    for (const kind of world.objects.kinds())
      for (const object of world.objects.inNamespace(kind, name)) yield object.id;
    return;
  }
  for (const { child } of world.childLinksOf(id)?.down ?? []) yield child;
  for (const other of referrersToParent(world, id))
    if (world.links.get(other)?.up.some(({ parent }) => parent === id) === true) yield other;
}

const isNamespace = (id: ObjectId): boolean => id.startsWith("Namespace./");

/** The Namespace of an object; a cluster-scoped object itself. */
function namespaceOf(id: ObjectId): ObjectId {
  const { namespace } = parseObjectId(id);
  return namespace === "" ? id : objectId(namespaceRef(namespace));
}

import type { NotAcceptedReason } from "../../effective/verdicts/verdict.ts";
import { verdictOf } from "../../effective/verdicts/verdict-of.ts";
import { attachedIn } from "../../effective/world/attached-policies.ts";
import type { World } from "../../effective/world/world.ts";
import {
  compareText,
  type ObjectId,
  objectId,
  type PolicyId,
  parseObjectId,
  parseTargetId,
  type TargetId,
  targetId,
} from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import type { Graph, GraphEdge, GraphNode, GraphPolicy, PolicyState } from "./result.ts";

/** The whole topology, or the part above and below some targets. */
export function buildGraph(world: World, targets?: readonly ObjectOrSection[]): Graph {
  const policies = attachedPolicies(world);
  const edges = allEdges(world, policies.keys());
  const ids = new Set<TargetId>([...edges.flatMap(({ from, to }) => [from, to]), ...policies.keys()]);
  const starts = targets?.map(({ id, sectionName }) => targetId(id, sectionName));
  const kept = starts === undefined ? ids : around(starts, edges);
  return {
    nodes: [...kept].sort(compareText).map((id) => nodeOf(world, id, policies.get(id) ?? [])),
    edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  };
}

function allEdges(world: World, targets: Iterable<TargetId>): readonly GraphEdge[] {
  const edges = new Map<string, GraphEdge>();
  const add = (from: TargetId, to: TargetId): void => void edges.set(`${from}>${to}`, { from, to });
  const addSection = (owner: ObjectId, section: string): TargetId => {
    const id = targetId(owner, section);
    add(targetId(owner), id);
    return id;
  };
  world.links.forEach(({ up, absentParents }, id) => {
    for (const parent of absentParents) add(targetId(objectId(parent)), targetId(id));
    for (const { parent, section } of up) {
      add(section === undefined ? targetId(parent) : addSection(parent, section), targetId(id));
    }
    const sections = sectionNames(world, id);
    for (const { child, uses } of world.linkChildren().get(id)?.down ?? []) {
      for (const { sectionIndex } of uses) {
        const section = sections[sectionIndex];
        add(section === undefined ? targetId(id) : addSection(id, section), targetId(child));
      }
    }
  });
  for (const target of targets) {
    const { object, sectionName } = parseTargetId(target);
    if (sectionName !== undefined) addSection(object, sectionName);
    for (const member of membersBelow(world, object)) add(target, targetId(member));
  }
  return [...edges.values()].sort((a, b) => compareText(a.from, b.from) || compareText(a.to, b.to));
}

function sectionNames({ objects, rulebook }: World, id: ObjectId): readonly string[] {
  const object = objects.get(id);
  const facts = object === undefined ? undefined : rulebook.factsOf(object.family.kindId);
  return object === undefined || facts === undefined ? [] : sectionsOf(object, facts).map(({ name }) => name);
}

/** The objects in a Namespace that is a level of a policy kind. No link records that they are below it. */
function membersBelow({ rulebook, objects, attached }: World, id: ObjectId): readonly ObjectId[] {
  const { kind, group, name } = parseObjectId(id);
  if (kind !== "Namespace" || group !== "") return [];
  const kinds = rulebook.kinds.filter(({ index }) => attached[index]?.has(id));
  return kinds.flatMap(({ namespacesAbove }) =>
    [...namespacesAbove].flatMap((above) => {
      const members: ObjectId[] = [];
      objects.ofKind(above).forEach(({ id: member, ref }) => {
        if (ref.namespace === name) members.push(member);
      });
      return members;
    }),
  );
}

function attachedPolicies(world: World): ReadonlyMap<TargetId, readonly GraphPolicy[]> {
  const found = new Map<TargetId, Map<PolicyId, GraphPolicy>>();
  for (const table of world.attached) {
    table.forEach((sets, object) => {
      for (const { policy, sectionName } of attachedIn(sets)) {
        const target = targetId(object, sectionName);
        const there = found.get(target) ?? new Map<PolicyId, GraphPolicy>();
        found.set(target, there.set(policy.id, attachedPolicy(world, policy.id)));
      }
    });
  }
  return new Map(
    [...found].map(([target, there]) => [target, [...there.values()].sort((a, b) => compareText(a.policy, b.policy))]),
  );
}

function attachedPolicy(world: World, policy: PolicyId): GraphPolicy {
  const record = world.policies.get(policy);
  if (record === undefined) return { policy, state: "Invalid", by: [] };
  const verdict = verdictOf(world, record);
  if (verdict.state === "NotAccepted") return { policy, state: stateOf(verdict.reason), by: verdict.by };
  return { policy, state: verdict.enforcement, by: verdict.total.overriddenBy.map((winner) => winner.policy) };
}

function nodeOf({ objects }: World, id: TargetId, policies: readonly GraphPolicy[]): GraphNode {
  const { object, sectionName } = parseTargetId(id);
  const ref = parseObjectId(object);
  return {
    id,
    ref,
    ...(sectionName === undefined ? {} : { sectionName }),
    ...(objects.has(object) ? {} : ref.namespace === "" ? { implied: true as const } : { absent: true as const }),
    policies,
  };
}

/** All nodes above and below some nodes. */
function around(starts: readonly TargetId[], edges: readonly GraphEdge[]): ReadonlySet<TargetId> {
  const up = neighbours(edges.map(({ from, to }) => [to, from]));
  const down = neighbours(edges.map(({ from, to }) => [from, to]));
  return new Set([...reachable(starts, up), ...reachable(starts, down)]);
}

function neighbours(pairs: readonly (readonly [TargetId, TargetId])[]): ReadonlyMap<TargetId, readonly TargetId[]> {
  const table = new Map<TargetId, TargetId[]>();
  for (const [from, to] of pairs) {
    const list = table.get(from);
    if (list === undefined) table.set(from, [to]);
    else list.push(to);
  }
  return table;
}

function reachable(
  starts: readonly TargetId[],
  next: ReadonlyMap<TargetId, readonly TargetId[]>,
): ReadonlySet<TargetId> {
  const seen = new Set(starts);
  for (const id of seen) for (const other of next.get(id) ?? []) seen.add(other);
  return seen;
}

const REASONS = ["Invalid", "TargetNotFound", "Conflicted"] as const;

/** Another reason is one that a definition names for invalid references. */
const stateOf = (reason: NotAcceptedReason): PolicyState => REASONS.find((one) => one === reason) ?? "NotResolved";

import type { NotAcceptedReason } from "../../effective/verdicts/verdict.ts";
import { verdictOf } from "../../effective/verdicts/verdict-of.ts";
import { attachedIn } from "../../effective/world/attached-policies.ts";
import type { World } from "../../effective/world/world.ts";
import { remember } from "../../model/collections/remember.ts";
import {
  compareText,
  type KindId,
  type ObjectId,
  type PolicyId,
  parseObjectId,
  parseTargetId,
  splitId,
  type TargetId,
  targetId,
} from "../../model/refs.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import { compareEdges, countUndrawnSections, graphEdges, sectionEdges, topologyObjects } from "./graph-edges.ts";
import { countKinds, kindCounts } from "./kind-counts.ts";
import type { Graph, GraphEdge, GraphNode, GraphPolicy, PolicyState } from "./result.ts";
import { aboveAndBelow, belowRoots } from "./within-depth.ts";
import { withoutNodes } from "./without-nodes.ts";

/** Selects what to draw. */
export interface GraphOptions {
  /** Draw these targets, and what is above and below them. Absent: the whole topology. */
  readonly targets?: readonly ObjectOrSection[];
  /** `All`: every rule, port and listener is a node. `Used`: only those with policies and those that others are attached to. */
  readonly sections: "All" | "Used";
  /** The treatment of objects without parents, children and policies. */
  readonly lone: "Drawn" | "LeftOut";
  /** The number of levels above and below the targets; without targets below the roots. Sections are at the level of their object. */
  readonly depth?: number;
  /** Draw only objects of these kinds. Their edges lead over the other objects. */
  readonly kinds?: ReadonlySet<KindId>;
  /** Draw only policies of these kinds. */
  readonly policyKinds?: ReadonlySet<KindId>;
}

/** The whole topology, or the part above and below some targets. */
export function buildGraph(world: World, options: GraphOptions): Graph {
  const { targets, sections, lone, depth, kinds, policyKinds } = options;
  const attached = attachedPolicies(world, policyKinds);
  const starts = targets?.map(({ id, sectionName }) => targetId(id, sectionName));
  const drawn = new Set<TargetId>([...attached.policies.keys(), ...(starts ?? []).filter(isSection)]);
  const links = graphEdges(world, { drawn, all: sections === "All" });
  const connected = new Set<TargetId>([...links.flatMap(({ from, to }) => [from, to]), ...attached.policies.keys()]);
  const alone = loneObjects(world, connected, starts);
  const shown = new Set([...connected, ...(lone === "Drawn" ? alone : [])]);
  const edges = sections === "All" ? withSections(world, shown, links) : links;
  const near =
    starts === undefined
      ? belowRoots({ ids: shown, edges }, depth)
      : aboveAndBelow(
          edges,
          starts.filter((id) => shown.has(id)),
          depth,
        );
  const isOther = (id: TargetId): boolean => kinds !== undefined && !kinds.has(splitId(parseTargetId(id).object).kind);
  const others = [...near.ids].filter(isOther);
  const left = withoutNodes(near, new Set(others));
  return {
    nodes: [...left.ids].sort(compareText).map((id) => nodeOf(world, id, attached.policies.get(id) ?? [])),
    edges: left.edges.toSorted(compareEdges),
    leftOut: {
      sections: kindCounts(
        countUndrawnSections(
          world,
          [...left.ids].filter((id) => near.below.has(id)),
          shown,
        ),
      ),
      lone: lone === "Drawn" ? [] : countKinds(alone),
      farther: countKinds(near.farther),
      otherKinds: countKinds(others),
      otherPolicies: countOthers(attached.others, left.ids),
    },
  };
}

/** Adds the sections of all shown objects to `shown`, and their edges. */
function withSections(world: World, shown: Set<TargetId>, links: readonly GraphEdge[]): readonly GraphEdge[] {
  const added = sectionEdges(world, shown).filter(({ to }) => !shown.has(to));
  for (const { to } of added) shown.add(to);
  return [...links, ...added];
}

const isSection = (id: TargetId): boolean => parseTargetId(id).sectionName !== undefined;

/** Objects of the topology that have no edge and no policy; among `starts` if there are any. */
function loneObjects(
  world: World,
  connected: ReadonlySet<TargetId>,
  starts: readonly TargetId[] | undefined,
): readonly TargetId[] {
  if (starts !== undefined) return starts.filter((id) => !connected.has(id));
  return topologyObjects(world)
    .map((id) => targetId(id))
    .filter((id) => !connected.has(id));
}

interface AttachedPolicies {
  readonly policies: ReadonlyMap<TargetId, readonly GraphPolicy[]>;
  /** The attached policies of other kinds, by the object that they are attached to. */
  readonly others: ReadonlyMap<ObjectId, ReadonlySet<PolicyId>>;
}

/** The number of policies of other kinds on drawn objects. */
function countOthers(others: AttachedPolicies["others"], drawn: ReadonlySet<TargetId>): number {
  const policies = new Set<PolicyId>();
  for (const [object, own] of others) if (drawn.has(targetId(object))) for (const policy of own) policies.add(policy);
  return policies.size;
}

function attachedPolicies(world: World, kinds: ReadonlySet<KindId> | undefined): AttachedPolicies {
  const found = new Map<TargetId, Map<PolicyId, GraphPolicy>>();
  const known = new Map<PolicyId, GraphPolicy>();
  const others = new Map<ObjectId, Set<PolicyId>>();
  for (const table of world.attached) {
    table.forEach((sets, object) => {
      for (const { policy, sectionName } of attachedIn(sets)) {
        if (kinds !== undefined && !kinds.has(splitId(policy.id).kind)) {
          remember(others, object, () => new Set()).add(policy.id);
          continue;
        }
        const there = remember(found, targetId(object, sectionName), () => new Map<PolicyId, GraphPolicy>());
        there.set(
          policy.id,
          remember(known, policy.id, () => attachedPolicy(world, policy.id)),
        );
      }
    });
  }
  const policies = [...found].map(
    ([target, there]) => [target, [...there.values()].sort((a, b) => compareText(a.policy, b.policy))] as const,
  );
  return { policies: new Map(policies), others };
}

function attachedPolicy(world: World, policy: PolicyId): GraphPolicy {
  const record = world.policies.get(policy);
  if (record === undefined) return { policy, state: "Invalid", by: [] };
  const verdict = verdictOf(world, record);
  if (verdict.state === "Unknown") return { policy, state: verdict.reason, by: [] };
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

const REASONS = ["Invalid", "TargetNotFound", "Conflicted"] as const;

/** Another reason is one that a definition names for invalid references. */
const stateOf = (reason: NotAcceptedReason): PolicyState => REASONS.find((one) => one === reason) ?? "NotResolved";

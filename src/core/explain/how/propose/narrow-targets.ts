/** Other targets for a policy, so that it takes effect everywhere but on the target of the question. */
import type { Attachment } from "../../../attachment/resolved-targets.ts";
import { forEachEffective } from "../../../effective/fold/for-each-effective.ts";
import { type Path, plainPath } from "../../../effective/paths/path.ts";
import type { PathNode } from "../../../effective/paths/path-node.ts";
import { policiesIn } from "../../../effective/world/stack.ts";
import type { JsonObject } from "../../../model/json.ts";
import { compareText, formatRef, kindId, type PolicyId, parseObjectId } from "../../../model/refs.ts";
import { joinWords } from "../../../model/words/count-kinds.ts";
import { leadsThrough } from "../../paths-through.ts";
import { withTargets } from "../edit-policy.ts";
import type { HowSearch } from "../search.ts";
import { nodeKey } from "./levels-of-paths.ts";
import { policyNamespace, refTo } from "./targetable.ts";

/** The number of targets that the lists of Gateway API's policies may have. */
const MAX_TARGETS = 16;

export interface NarrowedTargets {
  readonly raw: JsonObject;
  readonly targets: readonly PathNode[];
  /** The new targets, for a sentence. */
  readonly words: string;
}

/**
 * The policy with targets that no path of the question leads through: targets that it has, and on every other path the highest node
 * below its old target. Undefined if there are none, or too many.
 */
export function narrowedTargets(search: HowSearch, policy: PolicyId, raw: JsonObject): NarrowedTargets | undefined {
  const { world, kind } = search;
  const record = world.policies.get(policy);
  const own = kind.definition.policies.find((one) => kindId(one) === kindId(parseObjectId(policy)));
  if (record === undefined || own === undefined) return undefined;
  const { attachments } = record.targets;
  // A policy for the requests of one namespace of a mesh cannot be narrowed by other targets.
  if (attachments.some(({ consumer }) => consumer !== undefined)) return undefined;
  const avoided = new Set(search.paths.flatMap(({ nodes }) => nodes.map(nodeKey)));
  const kept = attachments.map(nodeOf).filter((node) => !avoided.has(nodeKey(node)));
  const { namespace } = parseObjectId(policy);
  const isTargetable = (node: PathNode): boolean =>
    !avoided.has(nodeKey(node)) && policyNamespace(world, kind, own, node) === namespace;
  const added = new Map<string, PathNode>();
  const held = new Set(attachments.map((one) => nodeKey(nodeOf(one))));
  forEachEffective(world, kind, (path) => {
    if (added.size > MAX_TARGETS || leadsThrough(path, search.target) || !hasPolicy(path, policy)) return;
    const node = replacementOn(plainPath(path), held, kept, isTargetable);
    if (node !== undefined) added.set(nodeKey(node), node);
  });
  const targets = [...kept, ...[...added].sort(([a], [b]) => compareText(a, b)).map(([, node]) => node)];
  if (targets.length === 0) return undefined;
  if (targets.length > MAX_TARGETS) {
    search.leaveOut(`other targets for ${formatRef(parseObjectId(policy))}: it would need more than ${MAX_TARGETS}`);
    return undefined;
  }
  const refs = targets.map((node) => refTo(node, namespace));
  const edited = withTargets(raw, kind.definition.targeting, refs);
  const words = joinWords(targets.map((node) => formatRef(node, node.sectionName)));
  return edited === undefined ? undefined : { raw: edited, targets, words };
}

function nodeOf({ object, sectionName }: Attachment): PathNode {
  const { group, kind, namespace, name } = parseObjectId(object);
  return { group, kind, namespace, name, ...(sectionName === undefined ? {} : { sectionName }) };
}

const hasPolicy = ({ stack }: Path, policy: PolicyId): boolean => policiesIn(stack).some(({ id }) => id === policy);

/** The highest node at or below the old target that can be targeted instead; undefined if a target that is kept is on the path. */
function replacementOn(
  nodes: readonly PathNode[],
  held: ReadonlySet<string>,
  kept: readonly PathNode[],
  isTargetable: (node: PathNode) => boolean,
): PathNode | undefined {
  const keys = nodes.map(nodeKey);
  if (kept.some((node) => keys.includes(nodeKey(node)))) return undefined;
  const top = keys.findIndex((key) => held.has(key));
  return top === -1 ? undefined : nodes.slice(top).find(isTargetable);
}

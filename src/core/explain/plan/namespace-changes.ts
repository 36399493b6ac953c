/** The changes of a plan by namespace: whose objects are affected, and whom to ask. */
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compareText, type ObjectId, objectId, parseObjectId, targetId } from "../../model/refs.ts";
import { contactsIn, type NamespaceContact, namespaceOf } from "../contacts.ts";
import type { NamespaceChange, PathChange, Plan } from "./result.ts";
import { trafficNodes } from "./traffic-nodes.ts";
import { keepsValue } from "./value-changes.ts";

/** The objects before or after the change. */
interface Objects {
  readonly objects: { get(id: ObjectId): Pick<KubeObject, "raw"> | undefined };
}

interface Draft {
  readonly objects: { created: number; changed: number; deleted: number };
  paths: number;
  readonly values: { changed: number; sameValueOtherSource: number };
  /** By their depth on a path, and then in the order of the paths. */
  readonly targets: Map<string, { readonly node: PathNode; depth: number }>;
  readonly policies: ObjectId[];
  readonly findings: { added: number; removed: number };
}

type DraftOf = (namespace: string) => Draft;

/** Groups a plan by namespace. Contacts are read from the objects after the change; from those before it if they are deleted. */
export function namespaceChanges(
  plan: Omit<Plan, "namespaces">,
  worlds: { readonly before: Objects; readonly after: Objects },
): readonly NamespaceChange[] {
  const drafts = new Map<string, Draft>();
  const draftOf = (namespace: string): Draft => {
    const draft = drafts.get(namespace) ?? emptyDraft();
    drafts.set(namespace, draft);
    return draft;
  };
  for (const { ref, change } of plan.objects) if (change !== "same") draftOf(namespaceOf(ref)).objects[change]++;
  for (const { changes } of plan.kinds) for (const path of changes) addPath(path, draftOf);
  for (const { policy } of plan.policies) draftOf(parseObjectId(policy).namespace).policies.push(policy);
  for (const how of ["added", "removed"] as const) {
    for (const { object } of plan.findings[how])
      if (object !== undefined) draftOf(namespaceOf(parseObjectId(object))).findings[how]++;
  }
  const find = (id: ObjectId): Pick<KubeObject, "raw"> | undefined =>
    worlds.after.objects.get(id) ?? worlds.before.objects.get(id);
  return [...drafts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([namespace, draft]) => toChange(namespace, draft, contactsIn(namespace, draft.policies, find)));
}

const emptyDraft = (): Draft => ({
  objects: { created: 0, changed: 0, deleted: 0 },
  paths: 0,
  values: { changed: 0, sameValueOtherSource: 0 },
  targets: new Map(),
  policies: [],
  findings: { added: 0, removed: 0 },
});

function addPath({ nodes, change, values }: PathChange, draftOf: DraftOf): void {
  const kept = values.filter(keepsValue).length;
  const affected = trafficNodes(nodes);
  for (const namespace of new Set(affected.map(namespaceOf))) {
    const draft = draftOf(namespace);
    draft.values.changed += values.length - kept;
    draft.values.sameValueOtherSource += kept;
    if (change === "changed" && kept === values.length) continue;
    draft.paths++;
    for (const node of affected) if (namespaceOf(node) === namespace) addTarget(draft, node, nodes.indexOf(node));
  }
}

function addTarget({ targets }: Draft, node: PathNode, depth: number): void {
  const key = targetId(objectId(node), node.sectionName);
  const known = targets.get(key);
  if (known === undefined) targets.set(key, { node, depth });
  else known.depth = Math.max(known.depth, depth);
}

const toChange = (namespace: string, draft: Draft, contacts: readonly NamespaceContact[]): NamespaceChange => ({
  namespace,
  contacts,
  objects: draft.objects,
  paths: draft.paths,
  values: draft.values,
  targets: [...draft.targets.values()].sort((a, b) => a.depth - b.depth).map(({ node }) => node),
  policies: draft.policies.length,
  findings: draft.findings,
});

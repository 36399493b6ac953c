import { forEachEffective } from "../../effective/fold/for-each-effective.ts";
import type { Delta, EffectiveChange } from "../../effective/update/delta.ts";
import type { ObjectChange } from "../../effective/update/object-changes.ts";
import { isImplied } from "../../effective/world/implied-objects.ts";
import { referrersOf } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import type { Finding } from "../../model/finding.ts";
import { isJsonObject, type JsonObject, jsonEqual } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compareText, type GroupKind, kindId, type ObjectId, type PolicyId } from "../../model/refs.ts";
import { findingChanges } from "./finding-changes.ts";
import { namespaceChanges } from "./namespace-changes.ts";
import { PathLookup } from "./path-lookup.ts";
import { policyChanges } from "./policy-changes.ts";
import type { KindChange, PathChange, Plan, PlannedObject } from "./result.ts";
import { removalChanges, type valueChanges, valueComparison } from "./value-changes.ts";

export interface PlanInput {
  readonly before: World;
  /** The world after the change, in which deleted objects do not exist: see `applyPlanned`. */
  readonly after: World;
  readonly delta: Delta;
  /** The requested changes. */
  readonly changes: readonly ObjectChange[];
  /** The findings to compare. */
  readonly findingsOf: (world: World) => readonly Finding[];
  /** Findings about requested changes that the API server would refuse. */
  readonly refused?: readonly Finding[];
  /** The paths whose values are wanted; all if undefined. Verdicts of policies are compared on all paths. */
  readonly isWanted?: (path: PathChange) => boolean;
}

/** Turns the difference of two evaluations into a plan: values that change, policies that change, findings that change. */
export function planChanges(input: PlanInput): Plan {
  const { before, after, delta, changes, findingsOf, refused = [] } = input;
  const objects = changes.flatMap((change) => plannedObject(change, before)).sort((a, b) => compareText(a.id, b.id));
  const changed = changedKinds(before, after, delta);
  const judged = new Set(delta.verdicts.map(({ policy }) => policy));
  const { added, removed } = findingChanges(findingsOf(before), findingsOf(after));
  const plan = {
    objects,
    kinds: kindChanges(after, changed, input.isWanted),
    policies: policyChanges({ before, after, judged }, changed),
    findings: { added: [...added, ...refused], removed },
    stillImplied: objects
      .filter(({ change, ref }) => change === "deleted" && isImplied(after, ref))
      .map(({ ref, id }) => ({ object: ref, namedBy: objectsNaming(after, id) })),
  };
  return { ...plan, namespaces: namespaceChanges(plan, { before, after }) };
}

function plannedObject(change: ObjectChange, world: World): readonly PlannedObject[] {
  const { id, ref, before, after, isQuiet } = change;
  // A Namespace without a document is deleted together with its objects. An object that does not exist cannot be deleted.
  if (isQuiet && before === undefined && after === undefined)
    return isImplied(world, ref) ? [{ id, ref, change: "deleted" }] : [];
  const position = (after ?? before)?.source;
  return [
    {
      id,
      ref,
      change: isQuiet || isSameObject(before, after) ? "same" : changeWord(before, after),
      ...(before === undefined ? {} : { before: before.raw }),
      ...(after === undefined ? {} : { after: after.raw }),
      ...(position === undefined ? {} : { position }),
    },
  ];
}

const changeWord = (before: KubeObject | undefined, after: KubeObject | undefined): PlannedObject["change"] =>
  after === undefined ? "deleted" : before === undefined ? "created" : "changed";

/** Fields that the API server maintains. A change of these alone is no change of the object. */
const BOOKKEEPING: ReadonlySet<string> = new Set(["resourceVersion", "managedFields", "generation", "uid", "selfLink"]);

/** True if both objects are equal without the fields of the API server. The order of keys does not matter. */
function isSameObject(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return before.apiVersion === after.apiVersion && jsonEqual(withoutBookkeeping(before), withoutBookkeeping(after));
}

function withoutBookkeeping({ raw }: KubeObject): JsonObject {
  const { status: _, metadata, ...rest } = raw;
  if (!isJsonObject(metadata)) return rest;
  const kept = Object.entries(metadata).filter(([key]) => !BOOKKEEPING.has(key));
  return { ...rest, metadata: Object.fromEntries(kept) };
}

function objectsNaming(world: World, id: ObjectId): readonly ObjectId[] {
  const namers: ObjectId[] = [];
  for (const namer of referrersOf(world, id)) {
    if (!world.policies.has(namer as PolicyId)) namers.push(namer);
  }
  return namers;
}

function kindChanges(
  after: World,
  changed: readonly ChangedKind[],
  isWanted: PlanInput["isWanted"] = () => true,
): readonly KindChange[] {
  return changed.flatMap(({ policyKind, lost, changes }) => {
    const wanted = changes.filter(isWanted);
    // Counting visits every path of the kind.
    return wanted.length === 0 ? [] : [{ policyKind, paths: countPaths(after, policyKind) + lost, changes: wanted }];
  });
}

/** The paths of one policy kind that change. */
export interface ChangedKind extends Pick<KindChange, "policyKind" | "changes"> {
  /** The number of paths that have no policy any more. */
  readonly lost: number;
}

/** The paths where values or their sources change, by policy kind. */
export function changedKinds(before: World, after: World, delta: Delta): readonly ChangedKind[] {
  const lookups = { before: new PathLookup(before), after: new PathLookup(after) };
  const compare = valueComparison();
  const drafts = new Map<string, { readonly policyKind: GroupKind; lost: number; readonly changes: PathChange[] }>();
  for (const change of delta.effective) {
    const { policyKind } = change;
    const draft = drafts.get(kindId(policyKind)) ?? { policyKind, lost: 0, changes: [] };
    drafts.set(kindId(policyKind), draft);
    if (change.after === undefined && change.before !== undefined) draft.lost++;
    const path = pathChange(change, lookups, compare);
    if (path !== undefined) draft.changes.push(path);
  }
  return [...drafts.values()].filter(({ changes }) => changes.length > 0);
}

/** Undefined if no value and no source changes. */
function pathChange(
  { policyKind, path, from, before, after }: EffectiveChange,
  lookups: { readonly before: PathLookup; readonly after: PathLookup },
  compare: typeof valueChanges,
): PathChange | undefined {
  const was = before ?? lookups.before.find(policyKind, path, from);
  const is = after ?? lookups.after.find(policyKind, path, from);
  const values = compare(was, is);
  if (values.length === 0) return undefined;
  return {
    nodes: path,
    ...(from === undefined ? {} : { from }),
    ...((is ?? was)?.incomplete ? { incomplete: true as const } : {}),
    change: was === undefined ? "added" : is === undefined ? "removed" : "changed",
    values,
    removals: removalChanges(was, is),
  };
}

/** The number of paths that have a policy of the kind. */
function countPaths(world: World, policyKind: GroupKind): number {
  const kind = world.rulebook.kinds.find((one) => kindId(one.policyKind) === kindId(policyKind));
  let count = 0;
  if (kind === undefined) return count;
  forEachEffective(world, kind, () => count++);
  return count;
}

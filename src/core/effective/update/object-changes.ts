/** Turns the changes of a caller into changes of objects: each object once, before and after. */
import type { Finding } from "../../model/finding.ts";
import type { KubeObject, SourcePosition } from "../../model/kube-object.ts";
import { kindId, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import type { UnevaluatedRule } from "../../model/schema/judge/check-node.ts";
import { DUPLICATE, namespaceFor, parseObject, type RefusedObject } from "../../model/snapshot.ts";
import { idInScope, putInScope } from "../world/scope-objects.ts";
import type { WithObjects } from "../world/world.ts";
import { hasSameMeaning } from "./has-same-meaning.ts";

/**
 * `upsert`: the plain object as it is from now on, and its position in a file if it has one.
 *
 * @example
 * ```ts
 * const changes: readonly Change[] = [{ delete: fridayFix }, ...objects.map((upsert) => ({ upsert }))];
 * console.log(apply(evaluation, changes).delta.verdicts.length);
 * ```
 */
export type Change = { readonly upsert: unknown; readonly position?: SourcePosition } | { readonly delete: ObjectRef };

export interface ObjectChange {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** The reasons why the object cannot be used, if it exists and is invalid. */
  readonly refusal: RefusedObject | undefined;
  /** Rules of its schema that could not be evaluated. */
  readonly unevaluated: readonly UnevaluatedRule[];
  /** True if the object is new or gone, also by becoming valid or invalid. */
  readonly isPresence: boolean;
  /** True if only its status, its bookkeeping metadata or its position in a file changed: no result depends on these. */
  readonly isQuiet: boolean;
}

export interface ObjectChanges {
  readonly changes: readonly ObjectChange[];
  readonly documentFindings: readonly Finding[];
  /** Objects that do not exist afterwards. */
  readonly deleted: ReadonlySet<ObjectId>;
}

/**
 * The meaning of a deletion for an object. `FromInput`: it is no longer in the input, and may exist elsewhere, such as when a file is removed.
 * `FromCluster`: it does not exist afterwards, as in a plan.
 */
export type Deletion = "FromInput" | "FromCluster";

type Now = Pick<ObjectChange, "ref" | "after" | "refusal" | "unevaluated">;

/** The last of several changes of one object is used. */
export function objectChanges(
  world: WithObjects,
  changes: Iterable<Change>,
  deletion: Deletion = "FromInput",
): ObjectChanges {
  const now = new Map<ObjectId, Now>();
  const unidentified: Finding[] = [];
  for (const change of changes) {
    if ("delete" in change) {
      const scope = world.rulebook.factsOf(kindId(change.delete))?.scope;
      const ref = { ...change.delete, namespace: namespaceFor(scope, change.delete.namespace) };
      now.set(objectId(ref), { ref, after: undefined, refusal: undefined, unevaluated: [] });
      continue;
    }
    const parsed = parseObject(change.upsert, change.position, world.judging);
    if (parsed.state === "unidentified") {
      unidentified.push(parsed.finding);
      continue;
    }
    const object = putInScope(parsed.object, world.rulebook);
    const isUsable = parsed.state === "object";
    now.set(object.id, {
      ref: object.ref,
      after: isUsable ? object : undefined,
      refusal: isUsable ? undefined : parsed,
      unevaluated: isUsable ? parsed.unevaluated : [],
    });
  }
  return {
    changes: [...now].map(([id, current]) => changeOf(world, id, current)),
    documentFindings: findingsAfter(world, now, unidentified),
    deleted: deletedAfter(world, now, deletion),
  };
}

function deletedAfter(
  { deleted }: WithObjects,
  now: ReadonlyMap<ObjectId, Now>,
  deletion: Deletion,
): ReadonlySet<ObjectId> {
  if (deleted.size === 0 && deletion === "FromInput") return deleted;
  const known = new Set(deleted);
  for (const [id, { after, refusal }] of now) {
    if (after !== undefined || refusal !== undefined) known.delete(id);
    else if (deletion === "FromCluster") known.add(id);
  }
  return known;
}

function changeOf(world: WithObjects, id: ObjectId, now: Now): ObjectChange {
  const { after, refusal } = now;
  const before = world.objects.get(id);
  const isPresence =
    (before === undefined) !== (after === undefined) || world.refused.has(id) !== (refusal !== undefined);
  const isQuiet =
    !isPresence &&
    (before === undefined ||
      after === undefined ||
      (before.apiVersion === after.apiVersion && hasSameMeaning(before.raw, after.raw)));
  return { id, ...now, before, isPresence, isQuiet };
}

/** The findings about documents after a change. After a change of an object only the new document counts. */
function findingsAfter(
  { documentFindings, rulebook }: WithObjects,
  now: ReadonlyMap<ObjectId, Now>,
  unidentified: readonly Finding[],
): readonly Finding[] {
  const isSettled = ({ code, object }: Finding): boolean =>
    code === DUPLICATE && object !== undefined && now.has(idInScope(parseObjectId(object), rulebook));
  if (unidentified.length === 0 && !documentFindings.some(isSettled)) return documentFindings;
  return [...documentFindings.filter((finding) => !isSettled(finding)), ...unidentified];
}

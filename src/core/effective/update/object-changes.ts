/** From the changes a caller names to what changes in the table of objects: each object once, as it was and as it is. */
import type { Finding } from "../../model/finding.ts";
import type { KubeObject, SourcePosition } from "../../model/kube-object.ts";
import { kindId, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import { hasSameMeaning } from "../../model/same-meaning.ts";
import { DUPLICATE, namespaceFor, parseObject } from "../../model/snapshot.ts";
import { homed, homedId } from "../world/home-objects.ts";
import type { World } from "../world/world.ts";

/** `upsert`: the plain object as it is from now on, and its position in a file if it has one. */
export type Change = { readonly upsert: unknown; readonly position?: SourcePosition } | { readonly delete: ObjectRef };

export interface ObjectChange {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** What is wrong with it, if it is there and cannot be used. */
  readonly refusal: readonly Finding[] | undefined;
  /** It came or went (also by becoming usable or useless). */
  readonly isPresence: boolean;
  /** Only its status, its bookkeeping or its place in a file changed: whatever rests on it stays as it is. */
  readonly isQuiet: boolean;
}

export interface ObjectChanges {
  readonly changes: readonly ObjectChange[];
  readonly documentFindings: readonly Finding[];
}

type Now = Pick<ObjectChange, "ref" | "after" | "refusal">;

/** Of several changes of one object the last counts. */
export function objectChanges(world: World, changes: Iterable<Change>): ObjectChanges {
  const now = new Map<ObjectId, Now>();
  const unidentified: Finding[] = [];
  for (const change of changes) {
    if ("delete" in change) {
      const scope = world.rulebook.factsOf(kindId(change.delete))?.scope;
      const ref = { ...change.delete, namespace: namespaceFor(scope, change.delete.namespace) };
      now.set(objectId(ref), { ref, after: undefined, refusal: undefined });
      continue;
    }
    const parsed = parseObject(change.upsert, change.position);
    if (parsed.state === "unidentified") {
      unidentified.push(parsed.finding);
      continue;
    }
    const object = homed(parsed.object, world.rulebook);
    const isUsable = parsed.state === "object";
    now.set(object.id, {
      ref: object.ref,
      after: isUsable ? object : undefined,
      refusal: isUsable ? undefined : parsed.findings,
    });
  }
  return {
    changes: [...now].map(([id, { ref, after, refusal }]) => changeOf(world, id, ref, after, refusal)),
    documentFindings: findingsAfter(world, now, unidentified),
  };
}

function changeOf(
  world: World,
  id: ObjectId,
  ref: ObjectRef,
  after: KubeObject | undefined,
  refusal: readonly Finding[] | undefined,
): ObjectChange {
  const before = world.objects.byId.get(id);
  const isPresence =
    (before === undefined) !== (after === undefined) || world.refused.has(id) !== (refusal !== undefined);
  const isQuiet =
    !isPresence &&
    (before === undefined ||
      after === undefined ||
      (before.apiVersion === after.apiVersion && hasSameMeaning(before.raw, after.raw)));
  return { id, ref, before, after, refusal, isPresence, isQuiet };
}

/** Whoever names an object anew says which of its documents counts. */
function findingsAfter(
  { documentFindings, rulebook }: World,
  now: ReadonlyMap<ObjectId, Now>,
  unidentified: readonly Finding[],
): readonly Finding[] {
  const isSettled = ({ code, object }: Finding): boolean =>
    code === DUPLICATE && object !== undefined && now.has(homedId(parseObjectId(object), rulebook));
  if (unidentified.length === 0 && !documentFindings.some(isSettled)) return documentFindings;
  return [...documentFindings.filter((finding) => !isSettled(finding)), ...unidentified];
}

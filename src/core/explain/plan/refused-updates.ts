import type { Change } from "../../effective/update/object-changes.ts";
import { putInScope } from "../../effective/world/scope-objects.ts";
import type { World } from "../../effective/world/world.ts";
import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef } from "../../model/refs.ts";
import { judgeValue } from "../../model/schema/judge/judge-value.ts";
import type { Judging } from "../../model/schema/judge/judging.ts";
import { parseObject } from "../../model/snapshot.ts";

/**
 * Transition rules
 *
 * A rule of a CRD that reads `oldSelf` compares the object with its version before the change. The API server refuses a change
 * that breaks one, and the object stays as it is.
 * Kubernetes, "Transition rules"
 */
export function transitionFindings(before: KubeObject, after: KubeObject, judging: Judging): readonly Finding[] {
  if (before.apiVersion !== after.apiVersion || judging.validated) return [];
  const { schemas, matchRegex } = judging;
  const schema = schemas.ofCrd(after.family) ?? schemas.of(after.family);
  const { id, ref, source } = after;
  return judgeValue(schema, after.raw, { matchRegex, old: before.raw })
    .problems.filter(({ problem }) => problem === "rule")
    .map(({ field, message }) => ({
      code: "InvalidField",
      severity: "error",
      object: id,
      field,
      message: `${formatRef(ref)}: ${message}; the object stays as it is, as the API server would refuse the change`,
      ...(source === undefined ? {} : { source }),
    }));
}

export interface AcceptedChanges {
  readonly changes: readonly Change[];
  /** Why the other changes are refused. */
  readonly refused: readonly Finding[];
}

/** The changes without those that break a transition rule. */
export function acceptedChanges(world: World, changes: readonly Change[]): AcceptedChanges {
  const refused: Finding[] = [];
  const accepted = changes.filter((change) => {
    if ("delete" in change) return true;
    const parsed = parseObject(change.upsert, change.position, world.judging);
    if (parsed.state !== "object") return true;
    const object = putInScope(parsed.object, world.rulebook);
    const before = world.objects.get(object.id);
    const findings = before === undefined ? [] : transitionFindings(before, object, world.judging);
    refused.push(...findings);
    return findings.length === 0;
  });
  return { changes: accepted, refused };
}

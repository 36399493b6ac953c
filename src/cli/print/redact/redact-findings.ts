import type { CheckFinding } from "../../../core/check/check-finding.ts";
import type { World } from "../../../core/effective/world/world.ts";
import { findingCodes } from "../../../core/model/finding-codes.ts";
import { formatRef, kindId, type ObjectId, parseObjectId } from "../../../core/model/refs.ts";
import type { Redaction } from "../../args/redaction.ts";

/**
 * Removes findings about hidden policies. A finding that mentions a hidden policy keeps only its code and meaning: its message may
 * contain the policy's name or values.
 */
export function redactFindings(
  findings: readonly CheckFinding[],
  world: World,
  { isHidden, hidesField }: Redaction,
): readonly CheckFinding[] {
  return withoutValues(withoutHidden(findings, world, isHidden), hidesField);
}

/** A finding about a sensitive field keeps its code and its field: its message may quote the value. */
const withoutValues = (
  findings: readonly CheckFinding[],
  hidesField: Redaction["hidesField"],
): readonly CheckFinding[] =>
  findings.map((finding) => {
    const { object, field, code } = finding;
    if (object === undefined || field === undefined || !hidesField(object, field)) return finding;
    return { ...finding, message: `${findingCodes[code].title} The value of ${field} is not shown.` };
  });

function withoutHidden(
  findings: readonly CheckFinding[],
  world: World,
  isHidden: Redaction["isHidden"],
): readonly CheckFinding[] {
  const hidden = hiddenPolicies(world, { isHidden });
  if (hidden.size === 0) return findings;
  const mentions = mentionsAny(hidden);
  return findings.flatMap((finding) => {
    const { object, message, fix, related = [], ...rest } = finding;
    if (object !== undefined && isHidden(object) && isPolicy(object, world)) return [];
    const open = related.filter((other) => !hidden.has(other.object) && !mentions(other.message));
    const isOpen = open.length === related.length && !mentions(message) && !mentions(fix);
    if (isOpen) return [finding];
    return [
      {
        ...rest,
        ...(object === undefined ? {} : { object }),
        message: `${findingCodes[finding.code].title} ${PARTY}`,
        ...(open.length === 0 ? {} : { related: open }),
      },
    ];
  });
}

/** True if a text names a hidden policy. */
export const mentionsHidden = (
  world: World,
  redaction: Pick<Redaction, "isHidden">,
): ((text: string | undefined) => boolean) => mentionsAny(hiddenPolicies(world, redaction));

function mentionsAny(hidden: ReadonlySet<ObjectId>): (text: string | undefined) => boolean {
  const names = [...hidden].map((id) => formatRef(parseObjectId(id)));
  return (text) => text !== undefined && names.some((name) => text.includes(name));
}

function hiddenPolicies(world: World, { isHidden }: Pick<Redaction, "isHidden">): ReadonlySet<ObjectId> {
  const hidden = new Set<ObjectId>();
  world.policies.forEach((_, id) => {
    if (isHidden(id)) hidden.add(id);
  });
  world.refused.forEach((_, id) => {
    if (isHidden(id) && isPolicy(id, world)) hidden.add(id);
  });
  return hidden;
}

/** True for policies, including policies that cannot be parsed. */
export const isPolicy = (id: ObjectId, { rulebook }: World): boolean =>
  rulebook.byPolicyKind.has(kindId(parseObjectId(id)));

const PARTY = "A policy that may not be shown has part in it.";

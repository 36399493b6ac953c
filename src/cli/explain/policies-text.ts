import type { PathOutcome, PolicyPart } from "../../core/explain/explain/result.ts";
import type { PolicyId } from "../../core/model/refs.ts";
import { formatNode, listWords } from "../print/format/format-paths.ts";
import { formatRemoved } from "../print/format/format-removed.ts";
import { countWord } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/terminal/styled-text.ts";
import type { TextContext } from "../print/text-context.ts";

/** The effect of one policy on all paths together. */
interface WholePart {
  readonly on: string;
  paths: number;
  /** Paths on which a value of it takes effect. */
  pathsInEffect: number;
  /** The pointers of its values that take effect on a path, also of those that another policy sets to the same. */
  readonly values: Set<string>;
  gated: boolean;
  /** Settings of it are overridden. Without an overriding policy the object's own values do. */
  isOverridden: boolean;
  readonly removes: Set<string>;
  keepsOut: boolean;
  readonly by: Set<PolicyId>;
}

/** Prints the policies on the paths, highest first, each with its effect. */
export function printPolicyParts(outcomes: readonly PathOutcome[], context: TextContext): void {
  const { print, redaction } = context;
  const parts = new Map<PolicyId, WholePart>();
  for (const { policies, paths, sources } of outcomes) {
    for (const part of policies) addPart(parts, part, paths.length);
    for (const { policy, pointer, lost } of sources) {
      if (policy !== null) parts.get(policy)?.values.add(pointer);
      for (const one of lost)
        if (one.reason === "equal" && one.policy !== undefined) parts.get(one.policy)?.values.add(pointer);
    }
  }
  const evaluated = outcomes.flatMap(({ order = [] }) => order);
  for (const [policy, part] of parts) {
    const group = evaluated.find((one) => one.policy === policy)?.group;
    print.paragraph(
      { indent: 2, hanging: 2 },
      ...(group === undefined ? [] : [`${group}: `]),
      glued(redaction.name(policy)),
      ` on ${part.on} `,
      ...formatEffect(policy, part, context),
      ...notResolved(policy, context),
    );
  }
}

function addPart(parts: Map<PolicyId, WholePart>, part: PolicyPart, paths: number): void {
  const { policy, at, inEffect, overridden, gated, removes, keepsOut, by } = part;
  const whole = parts.get(policy) ?? {
    on: formatNode(at),
    paths: 0,
    pathsInEffect: 0,
    values: new Set<string>(),
    gated: false,
    isOverridden: false,
    removes: new Set<string>(),
    keepsOut: false,
    by: new Set<PolicyId>(),
  };
  parts.set(policy, whole);
  whole.paths += paths;
  if (inEffect > 0) whole.pathsInEffect += paths;
  whole.gated ||= gated;
  whole.isOverridden ||= overridden > 0;
  whole.keepsOut ||= keepsOut;
  for (const pointer of removes) whole.removes.add(pointer);
  for (const winner of by) whole.by.add(winner);
}

/** A policy without a valid reference keeps its target: what it sets is meant, but does not work. */
function notResolved(policy: PolicyId, { source, redaction }: TextContext): readonly Piece[] {
  const noneValid = source.world.policies.get(policy)?.references.noneValid;
  if (noneValid === undefined || redaction.isHidden(policy)) return [];
  return [styled(`; it is not accepted (${noneValid.reason}), and what needs it fails: ${noneValid.message}`, "red")];
}

function formatEffect(policy: PolicyId, part: WholePart, context: TextContext): readonly Piece[] {
  const { paths, pathsInEffect, values, removes, keepsOut } = part;
  const where = pathsInEffect === paths ? "" : ` on ${pathsInEffect} of its ${paths} paths`;
  const done = [
    ...(pathsInEffect === 0 ? [] : [`sets ${countWord(values.size, "value")}${where}`]),
    ...(keepsOut ? ["sets nothing and keeps out the defaults above it"] : []),
    ...(removes.size === 0 ? [] : [`removes ${formatRemoved([...removes])}`]),
  ];
  return done.length > 0
    ? [done.join(" and ")]
    : [styled("has no effect here", "yellow"), whyNothing(policy, part, context)];
}

function whyNothing(
  policy: PolicyId,
  { by, gated, isOverridden }: WholePart,
  { redaction, source }: TextContext,
): string {
  const winners = listWords([...new Set([...by].map((winner) => glued(redaction.name(winner))))]);
  if (winners !== "") return `: overridden by ${winners}`;
  if (isOverridden) return ": the object itself sets these values";
  if (gated) return ": its condition is false";
  const blocks = source.world.policies.get(policy)?.policy?.blocks ?? [];
  return blocks.some(({ remove }) => remove.length > 0) ? ": no policy above it sets what it removes" : "";
}

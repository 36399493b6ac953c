import type { PathOutcome, PolicyPart } from "../../core/explain/explain/result.ts";
import type { PolicyId } from "../../core/model/refs.ts";
import { listWords, showNode } from "../print/format-paths.ts";
import { showPointer } from "../print/format-value.ts";
import { countWord } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/styled-text.ts";
import type { Telling } from "../print/text-context.ts";

/** What one policy does on all paths together. */
interface WholePart {
  readonly on: string;
  paths: number;
  /** Paths on which it decides something, and how many values at most. */
  deciding: number;
  values: number;
  gated: boolean;
  readonly removes: Set<string>;
  readonly by: Set<PolicyId>;
}

/** Who takes part, highest first, and with what success. */
export function tellPolicyParts(outcomes: readonly PathOutcome[], telling: Telling): void {
  const { print, redaction } = telling;
  const parts = new Map<PolicyId, WholePart>();
  for (const { policies, paths } of outcomes) for (const part of policies) addPart(parts, part, paths.length);
  for (const [policy, part] of parts) {
    print.paragraph(
      { indent: 2, hanging: 2 },
      glued(redaction.name(policy)),
      ` on ${part.on} `,
      fateOf(policy, part, telling),
    );
  }
}

function addPart(parts: Map<PolicyId, WholePart>, part: PolicyPart, paths: number): void {
  const { policy, at, inEffect, gated, removes, by } = part;
  const whole = parts.get(policy) ?? {
    on: showNode(at),
    paths: 0,
    deciding: 0,
    values: 0,
    gated: false,
    removes: new Set<string>(),
    by: new Set<PolicyId>(),
  };
  parts.set(policy, whole);
  whole.paths += paths;
  if (inEffect > 0) whole.deciding += paths;
  whole.values = Math.max(whole.values, inEffect);
  whole.gated ||= gated;
  for (const pointer of removes) whole.removes.add(pointer);
  for (const winner of by) whole.by.add(winner);
}

const MOST_REMOVED = 4;

function fateOf(policy: PolicyId, part: WholePart, telling: Telling): Piece {
  const { paths, deciding, values, removes } = part;
  const where = deciding === paths ? "" : ` on ${deciding} of its ${paths} paths`;
  const done = [
    ...(deciding === 0 ? [] : [`decides ${countWord(values, "value")}${where}`]),
    ...(removes.size === 0 ? [] : [`removes ${removedWords([...removes])}`]),
  ];
  return done.length > 0
    ? done.join(", and ")
    : styled(`decides nothing here${whyNothing(policy, part, telling)}`, "yellow");
}

function removedWords(pointers: readonly string[]): string {
  const shown = pointers.slice(0, MOST_REMOVED).map(showPointer);
  const left = pointers.length - shown.length;
  return left > 0 ? `${shown.join(", ")} and ${left} more` : listWords(shown);
}

function whyNothing(policy: PolicyId, { by, gated }: WholePart, { redaction, source }: Telling): string {
  const winners = listWords([...new Set([...by].map((winner) => glued(redaction.name(winner))))]);
  if (winners !== "") return `: overridden by ${winners}`;
  if (gated) return ": its condition does not hold";
  const blocks = source.world.policies.get(policy)?.policy?.blocks ?? [];
  return blocks.some(({ remove }) => remove.length > 0) ? ": what it removes is set by nobody above it" : "";
}

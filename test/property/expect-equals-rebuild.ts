/** Compares the result of `apply` with an evaluation from scratch. */
import { expect } from "vitest";
import type { EffectivePolicy } from "../../src/core/effective/fold/effective-policy.ts";
import type { Verdict } from "../../src/core/effective/verdicts/verdict.ts";
import { type Applied, type Delta, effectivePolicies, verdicts } from "../../src/index.ts";
import { type Evaluation, outputOf } from "./evaluate-cluster.ts";

interface Difference {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The output of an evaluation at one time, to compare with later. */
export interface Captured {
  readonly evaluation: Evaluation;
  readonly output: ReturnType<typeof outputOf>;
  readonly effective: ReadonlyMap<string, EffectivePolicy>;
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

export const capture = (evaluation: Evaluation): Captured => ({
  evaluation,
  output: outputOf(evaluation),
  effective: effectiveByKey(evaluation),
  verdicts: verdictByPolicy(evaluation),
});

/** The result equals a rebuild, byte for byte; the delta names exactly what differs; the old evaluation is unchanged. */
export function expectEqualsRebuild(before: Captured, { evaluation, delta }: Applied, rebuilt: Evaluation): void {
  expect(outputOf(evaluation), "incremental equals rebuild").toStrictEqual(outputOf(rebuilt));
  expect(namedIn(delta), "the delta names exactly what differs").toEqual({
    effective: differences(before.effective, effectiveByKey(evaluation)),
    verdicts: differences(before.verdicts, verdictByPolicy(evaluation)),
  });
  expect(outputOf(before.evaluation), "the old evaluation is unchanged").toStrictEqual(before.output);
}

const effectiveKey = ({ policyKind, path, from }: Pick<EffectivePolicy, "policyKind" | "path" | "from">): string =>
  JSON.stringify([
    policyKind.group,
    policyKind.kind,
    path.map((n) => [n.group, n.kind, n.namespace, n.name, n.sectionName]),
    from,
  ]);

/** The differences between two maps. */
function differences(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): readonly Difference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({ key, before: before.get(key), after: after.get(key) }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after))
    .sort(byKey);
}

const byKey = (a: Difference, b: Difference): number => (a.key < b.key ? -1 : 1);

const effectiveByKey = (evaluation: Evaluation): ReadonlyMap<string, EffectivePolicy> =>
  new Map([...effectivePolicies(evaluation)].map((one) => [effectiveKey(one), one]));
const verdictByPolicy = (evaluation: Evaluation): ReadonlyMap<string, Verdict> =>
  new Map([...verdicts(evaluation)].map(({ policy, verdict }) => [policy, verdict]));

const namedIn = (delta: Delta): { effective: readonly Difference[]; verdicts: readonly Difference[] } => ({
  effective: delta.effective
    .map((one) => ({ key: effectiveKey(one), before: one.before, after: one.after }))
    .sort(byKey),
  verdicts: delta.verdicts.map(({ policy, before, after }) => ({ key: policy, before, after })).sort(byKey),
});

import type { AnnotatedStrategy, StrategyAnnotation } from "../model/definition.ts";
import { annotationOf, type KubeObject } from "../model/kube-object.ts";
import { type GroupKind, kindId } from "../model/refs.ts";

/**
 * The strategy that an annotation selects
 *
 * A definition lists the values of the annotation, and may say what its absence means. Any other value may list the fields that have a
 * strategy of their own. Undefined: the annotation selects nothing, and the higher policy dictates the strategy.
 * GEP-713, "Conflict resolution"
 */
export function annotatedStrategy(
  { key, values, absent, fields, on }: StrategyAnnotation,
  kind: GroupKind,
  target: KubeObject | undefined,
): AnnotatedStrategy | undefined {
  if (on !== undefined && !on.some((one) => kindId(one) === kindId(kind))) return undefined;
  const value = target === undefined ? undefined : annotationOf(target, key);
  if (value === undefined) return absent;
  if (Object.hasOwn(values, value)) return values[value];
  if (fields === undefined || absent === undefined) return absent;
  return { ...absent, listed: { fields: listedIn(value), strategy: fields } };
}

const listedIn = (value: string): readonly string[] =>
  [...new Set(value.split(",").map((field) => field.trim()))].filter((field) => field !== "").sort();

/** The value of an annotation that has no meaning. Undefined: it has one, or is absent. */
export function meaninglessValue(
  { key, values, fields, on }: StrategyAnnotation,
  target: KubeObject,
): string | undefined {
  const value = annotationOf(target, key);
  if (value === undefined || fields !== undefined || Object.hasOwn(values, value)) return undefined;
  return on !== undefined && !on.some((one) => kindId(one) === target.family.kindId) ? undefined : value;
}

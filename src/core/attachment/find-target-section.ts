/** The section that a target names, or why it has none of that name. */
import type { KindFacts, Targeting, TargetKind } from "../model/definition.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { nearMiss } from "../model/near-miss.ts";
import { displayRef, type ObjectRef } from "../model/refs.ts";
import { type Section, sectionsOf } from "../topology/sections-of.ts";

/** A kind of targets, and what is known of its objects. */
interface Sectioned {
  readonly allowed: TargetKind;
  readonly facts: KindFacts | undefined;
}

/** Declared, unique names only: `rule-2` is how an unnamed rule is shown, and reordering rules would move the policy. */
export function findTargetSection(
  { positionalRules }: Targeting,
  { allowed, facts }: Sectioned,
  object: KubeObject,
  name: string,
): Section | undefined {
  if (facts === undefined) return undefined;
  const isUnnamedRule = ({ section, raw }: Section): boolean =>
    section === "Rule" && (raw["name"] ?? "") === "" && positionalRules;
  return sectionsOf(object, facts).find(
    (section) =>
      section.name === name &&
      (section.declared || isUnnamedRule(section)) &&
      allowed.sections.includes(section.section),
  );
}

export function describeNoSection(
  { allowed, facts }: Sectioned,
  object: KubeObject | undefined,
  ref: ObjectRef,
  name: string,
): string {
  const sections = object === undefined || facts === undefined ? [] : sectionsOf(object, facts);
  const usable = sections.filter(({ section }) => allowed.sections.includes(section));
  const shown = usable.find((section) => section.name === name);
  if (shown !== undefined) {
    const noun = shown.section.toLowerCase();
    return `'${name}' is only how an unnamed ${noun} of ${displayRef(ref)} is shown; give the ${noun} a name of its own and target that`;
  }
  const names = usable.filter(({ declared }) => declared).map((section) => section.name);
  const near = nearMiss(name, names);
  const hint =
    near !== undefined
      ? `; did you mean '${near}'?`
      : names.length > 0
        ? `; it has: ${names.join(", ")}`
        : "; it has no named ones";
  return `${displayRef(ref)} has no ${allowed.sections.map((section) => section.toLowerCase()).join(" or ")} named '${name}'${hint}`;
}

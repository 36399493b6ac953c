/** The parts of a policy kind, prepared for evaluation. */

import type { DefinitionPart, LevelKind, MergeRules, PolicyDefinition } from "../../model/definition.ts";
import { escapePointer, liesBelow } from "../../model/json-pointer.ts";
import { sameLevel } from "../../model/levels.ts";
import type { CrdFacts } from "../../model/parse/definition/parse-crd.ts";
import type { Block, Policy } from "../../model/policy.ts";
import { unitRulesOf } from "../../model/units.ts";
import { withoutEntry } from "../accumulated-pointer.ts";
import type { FoldTools } from "../fold.ts";

/** A part that is merged on its own. */
export interface MergedPart {
  readonly name: string;
  readonly merge: MergeRules;
  readonly tools: FoldTools;
}

/** The settings that take effect where a path ends. */
export interface PartsAtEnd {
  /** Levels with equal keys have the same settings. */
  readonly key: string;
  /** The parts that are merged on their own. */
  readonly merged: readonly MergedPart[];
  /** True if a setting of the blocks without a part takes effect here. */
  readonly isHere: (pointer: string) => boolean;
  /** True if a setting of the policy takes effect here, or the policy sets nothing at all. */
  readonly hasPart: (policy: Policy) => boolean;
}

export interface CompiledParts {
  readonly at: (end: LevelKind) => PartsAtEnd;
}

/** Undefined: all settings of the kind have the same rules. `crd`: that of the policies. */
export function compileParts(
  { merge, parts = [] }: PolicyDefinition,
  crd: CrdFacts | undefined,
  tools: FoldTools,
): CompiledParts | undefined {
  if (parts.length === 0) return undefined;
  const merged = new Map(
    parts.flatMap(({ name, merge: own }): [string, MergedPart][] =>
      own === undefined
        ? []
        : [[name, { name, merge: own, tools: { ...tools, unitRules: unitRulesOf({ merge: own }, crd) } }]],
    ),
  );
  const known = new Map<string, PartsAtEnd>();
  const at = (end: LevelKind): PartsAtEnd => {
    const here = parts.filter((part) => isAtEnd(part, end));
    const key = here.map(({ name }) => name).join("/");
    const found = known.get(key) ?? partsAtEnd(key, here, parts, merged, merge);
    known.set(key, found);
    return found;
  };
  return { at };
}

const isAtEnd = ({ effectiveTargets }: DefinitionPart, end: LevelKind): boolean =>
  effectiveTargets === undefined || effectiveTargets.some((level) => sameLevel(level, end));

function partsAtEnd(
  key: string,
  here: readonly DefinitionPart[],
  all: readonly DefinitionPart[],
  merged: ReadonlyMap<string, MergedPart>,
  { accumulate }: MergeRules,
): PartsAtEnd {
  const absent = all.filter((part) => part.merge === undefined && !here.includes(part)).flatMap(({ paths }) => paths);
  const pointers = absent.map((path) =>
    path
      .split(".")
      .map((step) => `/${escapePointer(step)}`)
      .join(""),
  );
  const isHere = (pointer: string): boolean => {
    const inPolicy = accumulate === undefined ? pointer : withoutEntry(pointer);
    return !pointers.some((above) => inPolicy === above || liesBelow(inPolicy, above));
  };
  const names = new Set(here.map(({ name }) => name));
  const isBlockHere = ({ part, units }: Block): boolean =>
    part === undefined ? units.some(({ pointer }) => isHere(pointer)) : names.has(part);
  return {
    key,
    merged: here.flatMap(({ name }) => merged.get(name) ?? []),
    isHere,
    hasPart: ({ blocks }) => blocks.length === 0 || blocks.some(isBlockHere),
  };
}

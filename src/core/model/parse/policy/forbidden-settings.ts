/** Settings that a definition forbids for targets of some kinds. */
import { wordsOf } from "../../block-names.ts";
import type {
  DefinitionPart,
  ForbiddenSetting,
  LevelKind,
  MergeRules,
  PolicyDefinition,
  Targeting,
} from "../../definition.ts";
import { type JsonObject, ownValue } from "../../json.ts";
import { formatLevel } from "../../levels.ts";
import type { Block, PolicyTarget, Unit } from "../../policy.ts";
import { formatValue } from "../../words/format-value.ts";
import type { Report } from "./policy-problem.ts";

export function checkForbidden(
  spec: JsonObject,
  { targeting, merge, parts = [] }: Pick<PolicyDefinition, "targeting" | "merge" | "parts">,
  targets: readonly PolicyTarget[],
  blocks: readonly Block[],
  report: Report,
): void {
  const reported = new Set<string>();
  for (const target of targets) {
    for (const forbidden of [...forbiddenAt(targeting, target), ...outsideParts(parts, target)]) {
      for (const block of blocks) {
        const rules = parts.find(({ name }) => name === block.part)?.merge ?? merge;
        for (const { field, found } of usesIn(spec, block, forbidden.path, rules)) {
          if (reported.has(field)) continue;
          reported.add(field);
          const why = forbidden.because === undefined ? "" : `: ${forbidden.because}`;
          const message = `${field} ${found}; a policy on a ${target.kind} (${target.field}) cannot set ${forbidden.path}${why}. Remove it, or set it in a policy with another target.`;
          report("InvalidForTarget", field, message);
        }
      }
    }
  }
}

function forbiddenAt({ kinds }: Targeting, { kind, group, sectionName }: PolicyTarget): readonly ForbiddenSetting[] {
  return kinds
    .filter((one) => one.kind.toLowerCase() === kind.toLowerCase() && (group === undefined || one.group === group))
    .flatMap(({ forbids }) => forbids ?? [])
    .filter(({ bySectionName }) => bySectionName !== true || sectionName !== undefined);
}

/** The settings of parts that cannot have the target. */
const outsideParts = (parts: readonly DefinitionPart[], target: PolicyTarget): readonly ForbiddenSetting[] =>
  parts
    .filter(({ targets }) => targets !== undefined && !targets.some((level) => isAt(level, target)))
    .flatMap(({ paths, targets = [] }) =>
      paths.map((path) => ({ path, because: `it is for ${targets.map(formatLevel).join(", ")}` })),
    );

/** True if the target is at the level. A policy has no name for the kind of a section. */
const isAt = (level: LevelKind, { kind, group, sectionName, port }: PolicyTarget): boolean =>
  level.kind.toLowerCase() === kind.toLowerCase() &&
  (group === undefined || level.group === group) &&
  (level.section === undefined) === (sectionName === undefined && port === undefined);

interface ForbiddenUse {
  readonly field: string;
  readonly found: string;
}

/** The fields in which a block sets or removes the value at a path or a part of it. */
function usesIn(
  spec: JsonObject,
  { name, units, remove }: Block,
  path: string,
  merge: MergeRules,
): readonly ForbiddenUse[] {
  const skipped = merge.accumulate === undefined ? 0 : 1;
  const prefix = name === "bare" ? "spec" : `spec.${spelling(spec, name, merge)}`;
  const wanted = path.split(".");
  const set = units
    .map((unit) => ({ value: unit.value, path: unit.path.slice(skipped) }))
    .filter((unit) => isAtOrBelow(unit, wanted))
    .map(
      (unit): ForbiddenUse => ({ field: `${prefix}.${unit.path.join(".")}`, found: `is ${formatValue(unit.value)}` }),
    );
  const isRemoved = remove.some((one) => path === one || path.startsWith(`${one}.`) || one.startsWith(`${path}.`));
  return isRemoved ? [...set, { field: `${prefix}.remove`, found: `removes ${path}` }] : set;
}

const isAtOrBelow = ({ path }: Pick<Unit, "path">, wanted: readonly string[]): boolean =>
  path.length >= wanted.length && wanted.every((step, at) => step === path[at]);

/** The name of the block in the spelling of the policy. */
function spelling(spec: JsonObject, name: "defaults" | "overrides", merge: MergeRules): string {
  return wordsOf(merge)[name].find((word) => (ownValue(spec, word) ?? null) !== null) ?? name;
}

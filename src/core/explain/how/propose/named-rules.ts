/** Rules without a name get one, so that policies can target them. */
import type { PathNode } from "../../../effective/paths/path-node.ts";
import type { World } from "../../../effective/world/world.ts";
import { isJsonList } from "../../../model/json.ts";
import { valueAtKeys } from "../../../model/json-pointer.ts";
import { formatRef, kindId, objectId } from "../../../model/refs.ts";
import type { Section } from "../../../topology/sections-of.ts";
import { type HowDraft, NO_CHANGE, rawIn, withStep } from "../draft.ts";
import { withValue } from "../edit-json.ts";
import type { HowStep } from "../result.ts";
import type { HowSearch } from "../search.ts";
import { type BlockDrafts, createdPolicies } from "./level-policies.ts";
import type { CoveringLevel } from "./levels-of-paths.ts";
import { sectionOf } from "./targetable.ts";

/** New policies on a level with rules that have no name: the rules are named in the same change. Empty if all have names. */
export function policiesOnNamed(search: HowSearch, level: CoveringLevel): readonly BlockDrafts[] {
  const naming = nameRules(search, level.nodes);
  const named = naming === undefined ? undefined : searchAfter(search, naming);
  if (naming === undefined || named === undefined) return [];
  return createdPolicies(named, level).map(({ block, drafts }) => ({
    block,
    drafts: drafts.map((draft) => joined(naming, draft)),
  }));
}

/** The search in the world in which the rules have names. Undefined: names would be refused. */
export function searchAfter(search: HowSearch, naming: HowDraft): HowSearch | undefined {
  const trial = search.trials.try(naming);
  return trial.state === "Refused" ? undefined : { ...search, world: trial.world };
}

const joined = (first: HowDraft, second: HowDraft): HowDraft => ({
  steps: [...first.steps, ...second.steps],
  objects: new Map([...first.objects, ...second.objects]),
});

/**
 * Gives rules the names that they are shown by: `rule-2`. So nothing else about them changes, not even what they are called in answers. Undefined if all have
 * names, or one cannot get its own.
 */
export function nameRules({ world, kind }: HowSearch, nodes: readonly PathNode[]): HowDraft | undefined {
  // Here a policy can target a rule by its index.
  if (kind.definition.targeting.positionalRules) return undefined;
  const unnamed = nodes.flatMap((node) => {
    const section = sectionOf(world, node);
    return section?.section !== "Rule" || section.declared ? [] : [{ node, section }];
  });
  // A name that is there twice, or a number that another rule has as its name.
  const isTaken = ({ section }: UnnamedRule): boolean => hasName(section) || !/^rule-\d+$/.test(section.name);
  if (unnamed.length === 0 || unnamed.some(isTaken)) return undefined;
  return unnamed.reduce<HowDraft | undefined>((draft, rule) => draft && nameRule(world, draft, rule), NO_CHANGE);
}

interface UnnamedRule {
  readonly node: PathNode;
  readonly section: Section;
}

const hasName = ({ raw }: Section): boolean => Object.hasOwn(raw, "name");

function nameRule(world: World, draft: HowDraft, { node, section }: UnnamedRule): HowDraft | undefined {
  const { sectionName: _, ...ref } = node;
  const raw = rawIn(world, draft, objectId(ref));
  const list = world.rulebook.factsOf(kindId(ref))?.sections.find((one) => one.section === section.section);
  const keys = list?.path.split(".") ?? [];
  if (raw === undefined || !isJsonList(valueAtKeys(raw, keys))) return undefined;
  const step: HowStep = {
    way: "NameRule",
    object: objectId(ref),
    targets: [node],
    summary: `Give rule ${section.index + 1} of ${formatRef(ref)} the name ${section.name}`,
  };
  return withStep(
    draft,
    step,
    ref,
    withValue(raw, [...keys, String(section.index)], { name: section.name, ...section.raw }),
  );
}

/** The changes that achieve what is wanted: each is examined, and only those that reach every path of the target are kept. */
import type { PathNode } from "../../effective/paths/path-node.ts";
import { compareText, kindId, type ObjectId, type PolicyId, parseObjectId } from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { draftKey, type HowDraft, NO_CHANGE } from "./draft.ts";
import { type PolicyInEffect, policiesInEffectOn } from "./policies-in-effect.ts";
import { type BlockDrafts, createdPolicies, editedPolicies, isOnLevel } from "./propose/level-policies.ts";
import { type CoveringLevel, coveringLevels } from "./propose/levels-of-paths.ts";
import { nameRules, policiesOnNamed, searchAfter } from "./propose/named-rules.ts";
import {
  addCondition,
  addConditionApart,
  changeValue,
  deletePolicy,
  makeDefaults,
  makeSettingsDefaults,
  narrowTargets,
  type PolicyWay,
  policiesToChange,
  removeSetting,
} from "./propose/policy-ways.ts";
import { setFields } from "./propose/set-fields.ts";
import type { HowSearch } from "./search.ts";
import type { Trial } from "./trials.ts";

/** A draft that achieves what is wanted. */
export interface MetDraft {
  readonly draft: HowDraft;
  readonly trial: Extract<Trial, { readonly state: "Met" }>;
}

export interface FoundChanges {
  /** In the order in which they were found; each once. */
  readonly met: readonly MetDraft[];
  /** The policies whose settings take effect after the most specific change, or now. They prevent it. */
  readonly inEffect: readonly PolicyInEffect[];
}

export function findChanges(search: HowSearch): FoundChanges {
  const { kind, settings, unmet } = search;
  const met = new Map<string, MetDraft>();
  const add = (draft: HowDraft | undefined): boolean => {
    const trial = draft === undefined ? undefined : search.trials.try(draft);
    if (draft === undefined || trial?.state !== "Met") return false;
    const key = draftKey(draft);
    if (!met.has(key)) met.set(key, { draft, trial });
    return true;
  };
  const fields = setFields(search);
  add(fields);
  const levels = coveringLevels(unmet, search.target);
  const now = policiesInEffectOn(unmet, kind, settings);
  for (const way of [changeValue, deletePolicy]) add(repeated(search, way, NO_CHANGE));
  // A policy whose settings take effect is changed by value. To remove settings it may need entries of `remove`, too.
  const isSet = settings.every(({ value }) => value !== undefined);
  const setNow = isSet ? new Set(now.map(({ policy }) => policy)) : NONE;
  for (const level of levels) for (const draft of onLevel(search, level, setNow)) add(draft);
  const lower = lowerDrafts(search, fields, levels);
  const inEffect = lower.map((draft) => policiesInEffectAfter(search, draft)).find((found) => found.length > 0) ?? now;
  for (const way of WAYS_OUT) {
    if (add(repeated(search, way, NO_CHANGE))) continue;
    // Two changes together are needed only where no single one does it without changing anything else.
    if ([...met.values()].some(({ trial }) => trial.reach.others.values === 0)) continue;
    add(
      lightest(
        lower.flatMap((draft) => repeated(search, way, draft) ?? []),
        search,
      ),
    );
  }
  // On some paths a policy sets the values, and on others nothing is set.
  if (met.size === 0)
    for (const way of [changeValue, deletePolicy])
      add(
        lightest(
          lower.flatMap((draft) => repeated(search, way, draft) ?? []),
          search,
        ),
      );
  const fewest = Math.min(...[...met.values()].map(({ trial }) => trial.reach.others.values));
  for (const draft of withNames(search, levels))
    if (weigh(search, draft).some(({ others }) => others < fewest)) add(draft);
  return { met: withoutNeedless([...met.values()]), inEffect };
}

/** Changes for which rules without a name get one. They are worth it only where every other change has a larger reach. */
function withNames(search: HowSearch, levels: readonly CoveringLevel[]): readonly HowDraft[] {
  const onLevels = levels.flatMap((level) => best(search, policiesOnNamed(search, level))?.draft ?? []);
  const naming = nameRules(search, rulesBeside(search));
  const named = naming === undefined ? undefined : searchAfter(search, naming);
  const narrowed = naming === undefined || named === undefined ? undefined : repeated(named, narrowTargets, naming);
  return [...onLevels, ...(narrowed === undefined ? [] : [narrowed])];
}

/** The other rules of the route: where the target is a rule, a policy of the route can target them instead. */
function rulesBeside({ world, target: { id, sectionName } }: HowSearch): readonly PathNode[] {
  const object = world.objects.get(id);
  const facts = world.rulebook.factsOf(kindId(parseObjectId(id)));
  if (object === undefined || facts === undefined || sectionName === undefined) return [];
  const others = sectionsOf(object, facts).filter(({ name }) => name !== sectionName);
  return others.map(({ name }) => ({ ...object.ref, sectionName: name }));
}

/** Without edits that remove a setting from above where taking it out of the same policy does as well. */
function withoutNeedless(all: readonly MetDraft[]): readonly MetDraft[] {
  const isTakenOut = (policy: ObjectId, others: number): boolean =>
    all.some(({ draft: { steps, objects }, trial }) => {
      const isAlone = objects.size === 1 && objects.has(policy);
      return isAlone && steps.every(({ way }) => way === "RemoveSetting") && trial.reach.others.values <= others;
    });
  return all.filter(({ draft: { steps }, trial }) => {
    const [step, ...more] = steps;
    const isEdit = step?.way === "EditPolicy" && more.length === 0;
    return !isEdit || !isTakenOut(step.object, trial.reach.others.values);
  });
}

/** Ways by which the settings of a policy no longer take effect, so that those of others do. */
const WAYS_OUT: readonly PolicyWay[] = [
  addCondition,
  addConditionApart,
  narrowTargets,
  makeSettingsDefaults,
  makeDefaults,
  removeSetting,
];

/** The best new policy and the best edit of each policy on a level. A new policy that changes no less than an edit is left out. */
function onLevel(search: HowSearch, level: CoveringLevel, setNow: ReadonlySet<PolicyId>): readonly HowDraft[] {
  const edits = editedPolicies(search, level, setNow).flatMap((blocks) => best(search, blocks) ?? []);
  const created = best(search, createdPolicies(search, level));
  const changed = isOnLevel(search, level, setNow) ? repeated(search, changeValue, NO_CHANGE) : undefined;
  const rivals = [...edits, ...(changed === undefined ? [] : weigh(search, changed))];
  const isWorse = created !== undefined && rivals.some(({ others }) => others <= created.others);
  return [...edits, ...(created === undefined || isWorse ? [] : [created])].map(({ draft }) => draft);
}

interface Weighed {
  readonly draft: HowDraft;
  readonly others: number;
}

/** Empty if the draft does not achieve what is wanted. */
function weigh({ trials }: HowSearch, draft: HowDraft): readonly Weighed[] {
  const trial = trials.try(draft);
  return trial.state === "Met" ? [{ draft, others: trial.reach.others.values }] : [];
}

/** The draft that achieves it with the fewest other values, and then with the fewest objects. */
function lightest(drafts: readonly HowDraft[], search: HowSearch): HowDraft | undefined {
  const weighed = drafts.flatMap((draft) => weigh(search, draft));
  return weighed.toSorted((a, b) => a.others - b.others || a.draft.objects.size - b.draft.objects.size)[0]?.draft;
}

/** The draft that changes least, of the first block that achieves it. */
function best(search: HowSearch, blocks: readonly BlockDrafts[]): Weighed | undefined {
  for (const { drafts } of blocks) {
    const [first, ...rest] = drafts.flatMap((draft) => weigh(search, draft));
    if (first !== undefined) return rest.reduce((a, b) => (b.others < a.others ? b : a), first);
  }
  return undefined;
}

const MAX_LOWER = 4;

/** The most specific changes that do not suffice alone: own fields, and policies with defaults on the target, or as near as possible. */
function lowerDrafts(
  search: HowSearch,
  fields: HowDraft | undefined,
  levels: readonly CoveringLevel[],
): readonly HowDraft[] {
  const nearest = levels
    .map((level) => [...editedPolicies(search, level, NONE).flat(), ...createdPolicies(search, level)])
    .find((blocks) => blocks.length > 0);
  const policies = (nearest ?? []).filter(({ block }) => block !== "overrides").flatMap(({ drafts }) => drafts);
  return [...(fields === undefined ? [] : [fields]), ...policies.slice(0, MAX_LOWER)].filter(
    (draft) => search.trials.try(draft).state === "Unmet",
  );
}

const NONE: ReadonlySet<PolicyId> = new Set();

function policiesInEffectAfter({ trials, kind, settings }: HowSearch, draft: HowDraft): readonly PolicyInEffect[] {
  const trial = trials.try(draft);
  const policies = trial.state === "Unmet" ? policiesInEffectOn(trial.unmet, kind, settings) : [];
  return policies.filter(({ policy }) => !draft.objects.has(policy));
}

const MAX_ROUNDS = 3;

/**
 * Changes each policy that sets a wanted setting otherwise, in one way. If others set it then, they are changed in the same way, up to three times.
 * Undefined if that does not achieve what is wanted.
 */
function repeated(search: HowSearch, way: PolicyWay, start: HowDraft): HowDraft | undefined {
  const { world, kind, settings, trials } = search;
  let draft = start;
  let unmet = search.unmet;
  const first = start === NO_CHANGE ? undefined : trials.try(start);
  if (first?.state === "Unmet") unmet = first.unmet;
  const changed = new Set<ObjectId>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const policies = policiesToChange(world, policiesInEffectOn(unmet, kind, settings)).filter(({ policy }) =>
      exists(search, policy),
    );
    if (policies.length === 0 || policies.some(({ policy }) => changed.has(policy))) return undefined;
    for (const policy of policies.toSorted((a, b) => compareText(a.policy, b.policy))) {
      const next = way(search, draft, policy);
      if (next === undefined) return undefined;
      draft = next;
      changed.add(policy.policy);
    }
    const trial = trials.try(draft);
    if (trial.state === "Met") return draft;
    if (trial.state === "Refused") return draft;
    unmet = trial.unmet;
  }
  return undefined;
}

/** True for a policy that is there before the change. */
const exists = ({ world }: HowSearch, policy: PolicyId): boolean => world.objects.has(policy);

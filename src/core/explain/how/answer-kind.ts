import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import type { Source } from "../../merge/provenance.ts";
import type { Json } from "../../model/json.ts";
import { valueAtKeys } from "../../model/json-pointer.ts";
import { compareText, type ObjectId, parseObjectId } from "../../model/refs.ts";
import { contactsIn, namespaceOf } from "../contacts.ts";
import type { ExplainedPath } from "../explain/result.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import { manifestOf } from "./draft.ts";
import { type FoundChanges, findChanges, type MetDraft } from "./find-changes.ts";
import { policyFormat } from "./policy-format.ts";
import {
  type ChangedObject,
  type CurrentValue,
  type ForbiddingPolicy,
  type HowChange,
  type HowStep,
  type KindAnswer,
  type Rights,
  type ValueCount,
  WAYS,
} from "./result.ts";
import type { HowSearch } from "./search.ts";
import { pointerOf, type UnitWish } from "./settings.ts";
import { foldsWith, hasSetting, hasSettings, type TargetPath, targetPaths } from "./target-paths.ts";
import { Trials, type TryChanges } from "./trials.ts";

/** The answer for one policy kind. Undefined if no path of the kind leads through the target. */
export function answerKind(
  world: World,
  kind: CompiledKind,
  target: ObjectOrSection,
  settings: readonly UnitWish[],
  tryChanges: TryChanges,
): KindAnswer | undefined {
  const paths = targetPaths(world, kind, target);
  if (paths.length === 0) return undefined;
  const unmet = paths.filter((path) => !hasSettings(path, kind, settings));
  const base = {
    policyKind: kind.policyKind,
    paths: paths.length,
    incompletePaths: paths.filter(({ incomplete }) => incomplete).length,
    now: settings.flatMap((setting) => currentValues(paths, kind, setting)),
  };
  if (unmet.length === 0)
    return { ...base, state: "AlreadySo", changes: [], forbiddenBy: [], leftOut: [], refused: [] };
  const leftOut = new Set<string>();
  const search: HowSearch = {
    world,
    kind,
    target,
    settings,
    paths,
    unmet,
    formats: kind.definition.policies.flatMap((own) => policyFormat(world, kind, own) ?? []),
    trials: new Trials(world, { kind, target, settings, unmet: countUnmet(unmet, kind, settings) }, tryChanges),
    leaveOut: (what) => void leftOut.add(what),
  };
  const found = findChanges(search);
  noteLimits(search, found);
  if (search.trials.isExhausted) search.leaveOut("further changes: too many were examined before");
  const changes = found.met.map((one) => toChange(search, one)).sort(compareChanges);
  const isForbidden = changes.every(({ needsRights }) => needsRights.length > 0);
  return {
    ...base,
    state: changes.length > 0 ? "Changes" : "Nothing",
    changes,
    forbiddenBy: isForbidden ? forbiddingPolicies(search, found) : [],
    leftOut: [...leftOut],
    refused: changes.length > 0 ? [] : [...search.trials.refusals].slice(0, MAX_REFUSALS),
  };
}

const MAX_REFUSALS = 5;

const countUnmet = (unmet: readonly TargetPath[], kind: CompiledKind, settings: readonly UnitWish[]): ValueCount => ({
  values: unmet.flatMap((path) => settings.filter((setting) => !hasSetting(path, kind, setting))).length,
  paths: unmet.length,
});

/** Notes the changes that cannot be examined. */
function noteLimits({ world, kind, formats, target, leaveOut }: HowSearch, { met }: FoundChanges): void {
  if (formats.length === 0)
    leaveOut(
      `a new ${kind.policyKind.kind}: its apiVersion is not known, as no policy and no CRD of the kind is in the input`,
    );
  const { sectionName } = target;
  const ref = parseObjectId(target.id);
  const object = world.objects.get(target.id);
  if (sectionName === undefined || object === undefined) return;
  const isRule = /^rule-\d+~*$/.test(sectionName);
  const isNamed = met.some(({ draft }) => draft.steps.some(({ way }) => way === "NameRule"));
  if (isRule && !isNamed && !kind.definition.targeting.positionalRules)
    leaveOut(
      `a policy on ${ref.kind} ${ref.namespace}/${ref.name}#${sectionName}: the rule has no name, and a policy can target only named rules`,
    );
}

/** The values of a setting now, by value and source. */
function currentValues(paths: readonly TargetPath[], kind: CompiledKind, setting: UnitWish): readonly CurrentValue[] {
  const groups = new Map<string, { readonly value: CurrentValue; readonly paths: ExplainedPath[] }>();
  for (const path of paths) {
    const isWanted = hasSetting(path, kind, setting);
    for (const { value, source } of valuesWithSources(path, kind, setting)) {
      const { policy, block, object } = source ?? { policy: null, block: null, object: undefined };
      const key = JSON.stringify([value, policy, block, object, isWanted]);
      const own: ExplainedPath[] = groups.get(key)?.paths ?? [];
      const current: CurrentValue = {
        pointer: setting.pointer,
        ...(value === undefined ? {} : { value }),
        ...(source === undefined ? {} : { source }),
        isWanted,
        paths: own,
      };
      if (!groups.has(key)) groups.set(key, { value: current, paths: own });
      own.push(explainedPath(path));
    }
  }
  return [...groups.values()].map(({ value }) => value);
}

function valuesWithSources(
  path: TargetPath,
  kind: CompiledKind,
  setting: UnitWish,
): readonly { readonly value: Json | undefined; readonly source: Source | undefined }[] {
  const unit = pointerOf(setting.unit);
  const found = foldsWith(path, kind, setting).map(({ spec, sources }) => ({
    value: valueAtKeys(spec, setting.keys) ?? undefined,
    source:
      sources.find(({ pointer }) => pointer === unit) ?? sources.find(({ pointer }) => pointer.startsWith(`${unit}/`)),
  }));
  return found.length === 0 ? [{ value: undefined, source: undefined }] : found;
}

const explainedPath = ({ nodes, from, incomplete }: TargetPath): ExplainedPath => ({
  nodes,
  ...(from === undefined ? {} : { from }),
  ...(incomplete ? { incomplete: true as const } : {}),
});

function toChange({ world, target }: HowSearch, { draft, trial }: MetDraft): HowChange {
  const objects = [...draft.objects]
    .sort(([a], [b]) => compareText(a, b))
    .map(([id, { ref, raw }]): ChangedObject => {
      const before = world.objects.get(id)?.raw;
      const change = raw === undefined ? "deleted" : before === undefined ? "created" : "changed";
      return { id, ref, change, manifest: manifestOf({ raw: raw ?? before ?? {} }, ref) };
    });
  return {
    steps: draft.steps,
    objects,
    reach: trial.reach,
    needsRights: rightsOf(world, target.id, objects),
    incompletePaths: trial.paths.filter(({ incomplete }) => incomplete).length,
  };
}

function rightsOf(world: World, target: ObjectId, objects: readonly ChangedObject[]): readonly Rights[] {
  const home = namespaceOf(parseObjectId(target));
  const foreign = objects.filter(({ ref }) => ref.namespace !== home);
  return [...new Set(foreign.map(({ ref }) => ref.namespace))].sort(compareText).map((namespace) => ({
    namespace,
    contacts: contactsIn(
      namespace,
      foreign.filter(({ ref }) => ref.namespace === namespace).map(({ id }) => id),
      (id) => world.objects.get(id),
    ),
  }));
}

/** Smallest reach first; then fewer other sources, fewer rights, fewer objects, the order of ways. Others stay in the order in which they were found. */
const compareChanges = (a: HowChange, b: HowChange): number =>
  a.reach.others.values - b.reach.others.values ||
  a.reach.sameValue - b.reach.sameValue ||
  a.needsRights.length - b.needsRights.length ||
  a.objects.length - b.objects.length ||
  rankOf(a) - rankOf(b);

const rankOf = ({ steps }: HowChange): number => Math.max(...steps.map(rankOfStep));

/** A new override on top of other policies comes after a change of the policy that sets the value now. */
function rankOfStep({ way, block }: HowStep): number {
  const isOnTop = (way === "CreatePolicy" || way === "EditPolicy") && block === "overrides";
  return isOnTop ? WAYS.indexOf("ChangeValue") + 0.5 : WAYS.indexOf(way);
}

/** The policies outside of the namespace of the target whose settings take effect, whatever is changed in that namespace. */
function forbiddingPolicies({ world, target }: HowSearch, { inEffect }: FoundChanges): readonly ForbiddingPolicy[] {
  const home = namespaceOf(parseObjectId(target.id));
  const found = new Map<string, ForbiddingPolicy>();
  for (const { policy, block, setting } of inEffect) {
    const { namespace } = parseObjectId(policy);
    const key = `${policy} ${setting.pointer}`;
    if (namespace === home || (found.has(key) && block === null)) continue;
    const contacts = contactsIn(namespace, [policy], (id) => world.objects.get(id));
    found.set(key, { policy, block, pointer: setting.pointer, namespace, contacts });
  }
  return [...found.values()];
}

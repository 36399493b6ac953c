import type { Attachment } from "../../attachment/resolved-targets.ts";
import type { EffectivePolicy } from "../../effective/fold/effective-policy.ts";
import { effectivePolicyAt } from "../../effective/fold/effective-policy-at.ts";
import { specAndFields } from "../../effective/fold/spec-and-fields.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import { findConflict } from "../../effective/verdicts/find-conflict.ts";
import { formatRejection } from "../../effective/verdicts/format-rejection.ts";
import { verdictOf } from "../../effective/verdicts/verdict-of.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { PolicyRecord, World } from "../../effective/world/world.ts";
import { valueAtPointer } from "../../model/json-pointer.ts";
import type { Block, Unit } from "../../model/policy.ts";
import {
  compareText,
  formatRef,
  type ObjectId,
  type ObjectRef,
  objectId,
  type PolicyId,
  parseObjectId,
  type TargetId,
  targetId,
} from "../../model/refs.ts";
import { forEachPathThroughAny } from "../paths-through.ts";
import { missingLinks } from "./missing-links.ts";
import type {
  Reach,
  ReachedPath,
  ReachedRemoval,
  ReachedTarget,
  ReachedValue,
  ReachLoss,
  ReachTarget,
} from "./result.ts";
import {
  isEqual,
  isOverridden,
  outcomesOfEmpty,
  pathOutcome,
  removalOutcomes,
  takesEffect,
  type UnitOutcome,
  unitOutcomes,
} from "./unit-outcomes.ts";

/**
 * Every path that has the policy in its stack, and the outcome of each of its settings there. `wants` selects values, and leaves out the
 * entries of `remove`.
 */
export function reachPolicy(world: World, id: PolicyId, record: PolicyRecord, wants?: (unit: Unit) => boolean): Reach {
  const { kind, policy, targets } = record;
  const blocks = policy?.blocks ?? [];
  const drafts = blocks.flatMap((block) =>
    // The API server sorts the keys of an object, so their order means nothing.
    block.units
      .filter((unit) => wants?.(unit) ?? true)
      .toSorted((a, b) => compareText(a.pointer, b.pointer))
      .map((unit) => draftOf(block, unit)),
  );
  const survey: Survey = {
    id,
    kind,
    drafts,
    removals: wants === undefined ? blocks.flatMap(removalDrafts) : [],
    targets: targets.attachments,
    reachedNodes: new Map(),
    through: new Map(),
  };
  const paths: ReachedPath[] = [];
  const absent = new Map<ObjectId, ObjectRef>();
  const attachedTo = new Set(targets.attachments.map(({ object }) => object));
  forEachPathThroughAny(world, kind, attachedTo, (path, core) => {
    const outcome = core.outcomes.find((one) => one.policy.id === id);
    if (outcome === undefined) return;
    const effective = effectivePolicyAt(path, kind);
    // An empty policy has no settings, and may keep out defaults all the same.
    paths.push(addPath(survey, effective, blocks.length === 0 ? outcomesOfEmpty(outcome) : []));
    if (!effective.incomplete) return;
    for (const node of effective.path)
      for (const ref of world.links.get(objectId(node))?.absentParents ?? []) absent.set(objectId(ref), ref);
  });
  return {
    policy: id,
    policyKind: kind.policyKind,
    verdict: verdictOf(world, record),
    targets: targetsOf(world, record, survey),
    values: drafts.map(toValue),
    removals: survey.removals.map(({ removes, by, ...rest }) => ({
      ...rest,
      removes: [...removes].sort(),
      by: [...by].sort(),
    })),
    paths,
    reachedNodes: [...survey.reachedNodes.values()],
    absentParents: [...absent.values()].sort((a, b) => compareText(formatRef(a), formatRef(b))),
    unenforced: [...(world.findUnenforced().get(id)?.gateways ?? [])].map(([gateway, controller]) => ({
      gateway,
      controller,
    })),
  };
}

interface Survey {
  readonly id: PolicyId;
  readonly kind: CompiledKind;
  readonly drafts: readonly Draft[];
  readonly removals: readonly RemovalDraft[];
  readonly targets: readonly Attachment[];
  readonly reachedNodes: Map<TargetId, Mutable<ReachedTarget>>;
  /** The number of paths through each declared target. */
  readonly through: Map<Attachment, number>;
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };

interface Draft {
  readonly block: Block;
  readonly unit: Unit;
  inEffect: number;
  equal: number;
  overridden: number;
  gated: number;
  readonly losses: Map<string, ReachLoss & { readonly paths: ReachedPath[] }>;
}

interface RemovalDraft extends Mutable<Omit<ReachedRemoval, "removes" | "by">> {
  readonly removes: Set<string>;
  readonly by: Set<PolicyId>;
}

const removalDrafts = ({ name, remove }: Block): readonly RemovalDraft[] =>
  [...new Set(remove)].map((entry) => ({
    block: name,
    entry,
    inEffect: 0,
    overridden: 0,
    neutral: 0,
    gated: 0,
    removes: new Set(),
    by: new Set(),
  }));

const draftOf = (block: Block, unit: Unit): Draft => ({
  block,
  unit,
  inEffect: 0,
  equal: 0,
  overridden: 0,
  gated: 0,
  losses: new Map(),
});

function addPath(survey: Survey, effective: EffectivePolicy, ofEmpty: readonly UnitOutcome[]): ReachedPath {
  const { path, from, incomplete } = effective;
  const folds = specAndFields(effective);
  const outcomes = survey.drafts.map(({ block, unit }) =>
    folds.flatMap((fold) => unitOutcomes(fold, survey.id, { block: block.name, pointer: unit.pointer })),
  );
  const all = [...outcomes.flat(), ...countRemovals(survey, effective), ...ofEmpty];
  const reached: ReachedPath = {
    nodes: path,
    ...(from === undefined ? {} : { from }),
    ...(incomplete ? { incomplete } : {}),
    effect: pathOutcome(all),
  };
  survey.drafts.forEach((draft, index) => {
    count(draft, outcomes[index] ?? [], reached, survey.kind);
  });
  addNodes(survey, reached, all.some(takesEffect) ? 1 : 0);
  return reached;
}

/** Counts the entries of `remove` on a path, and returns their outcomes. */
function countRemovals({ id, removals: drafts }: Survey, { removals = [] }: EffectivePolicy): readonly UnitOutcome[] {
  return drafts.flatMap((draft) => {
    const found = removals.find(
      ({ policy, block, entry }) => policy === id && block === draft.block && entry === draft.entry,
    );
    if (found === undefined) return [];
    draft[found.state]++;
    for (const pointer of found.removes) draft.removes.add(pointer);
    for (const winner of found.by) draft.by.add(winner);
    return removalOutcomes(found);
  });
}

function count(draft: Draft, outcomes: readonly UnitOutcome[], path: ReachedPath, kind: CompiledKind): void {
  const once = (isSo: (outcome: UnitOutcome) => boolean): number => (outcomes.some(isSo) ? 1 : 0);
  draft.inEffect += once(({ state }) => state === "inEffect");
  draft.equal += once(isEqual);
  draft.overridden += once(isOverridden);
  draft.gated += once(({ state }) => state === "gated");
  for (const outcome of outcomes) if (outcome.state === "lost") addLoss(draft, outcome, path, kind);
}

function addLoss(
  { losses, unit }: Draft,
  { reason, by, fold, source }: Extract<UnitOutcome, { readonly state: "lost" }>,
  path: ReachedPath,
  kind: CompiledKind,
): void {
  const { field } = fold;
  const effectiveValue = valueAtPointer(fold.spec, unit.pointer);
  const object = by.length === 0 ? (field?.object ?? ownerOn(path.nodes, kind)) : undefined;
  const effective = [source.policy, source.block, source.object, effectiveValue];
  const key = JSON.stringify([reason, by, object, effective, field?.object, field?.pointer]);
  const known = losses.get(key);
  if (known !== undefined) {
    if (known.paths.at(-1) !== path) known.paths.push(path);
    return;
  }
  losses.set(key, {
    reason,
    by,
    ...(object === undefined ? {} : { object }),
    source,
    ...(effectiveValue === undefined ? {} : { effectiveValue }),
    ...(field === undefined ? {} : { field }),
    paths: [path],
  });
}

/** The object on the path whose own fields the policy kind maps onto. */
function ownerOn(nodes: readonly PathNode[], { mappings }: CompiledKind): ObjectId | undefined {
  const node = nodes.findLast((one) =>
    mappings.some(({ level }) => level.kind === one.kind && level.group === one.group),
  );
  return node === undefined ? undefined : objectId(node);
}

function addNodes({ reachedNodes, targets, through }: Survey, { nodes, from }: ReachedPath, inEffect: number): void {
  let isBelow = false;
  // A path may visit a target twice: a mesh Service as frontend and as backend.
  const seen = new Set<Attachment | TargetId>();
  const isNew = (one: Attachment | TargetId): boolean => !seen.has(one) && seen.add(one) !== undefined;
  for (const node of nodes) {
    const id = objectId(node);
    for (const target of targets) {
      if (target.object !== id || target.sectionName !== node.sectionName) continue;
      if (target.consumer !== undefined && target.consumer !== from) continue;
      isBelow = true;
      if (isNew(target)) through.set(target, (through.get(target) ?? 0) + 1);
    }
    const key = targetId(id, node.sectionName);
    const reached = reachedNodes.get(key) ?? { node, isBelow, paths: 0, inEffect: 0 };
    reachedNodes.set(key, reached);
    reached.isBelow ||= isBelow;
    if (!isNew(key)) continue;
    reached.paths++;
    reached.inEffect += inEffect;
  }
}

const toValue = ({ block, unit, inEffect, equal, overridden, gated, losses }: Draft): ReachedValue => ({
  block: block.name,
  pointer: unit.pointer,
  value: unit.value,
  ...(block.when === undefined ? {} : { when: block.when }),
  inEffect,
  equal,
  overridden,
  gated,
  losses: [...losses.values()].sort((a, b) => b.paths.length - a.paths.length),
});

function targetsOf(world: World, record: PolicyRecord, { targets, through }: Survey): readonly ReachTarget[] {
  const attached = targets.map((attachment): ReachTarget => {
    const { sectionName, consumer, object } = attachment;
    const { group, kind: name, namespace, name: own } = parseObjectId(object);
    const section = sectionName === undefined ? {} : { sectionName };
    const node: PathNode = { group, kind: name, namespace, name: own, ...section };
    const conflict = findConflict(world, record, attachment);
    if (conflict !== undefined) return { state: "conflicted", node, ...conflict };
    const paths = through.get(attachment) ?? 0;
    return {
      state: "attached",
      node,
      ...(consumer === undefined ? {} : { consumer }),
      paths,
      gaps: paths > 0 ? [] : missingLinks(world, object),
    };
  });
  const refused = record.targets.rejections.map(
    (rejection): ReachTarget => ({
      state: "refused",
      field: rejection.field,
      code: rejection.code,
      message: formatRejection(world, rejection),
    }),
  );
  return [...attached, ...refused];
}

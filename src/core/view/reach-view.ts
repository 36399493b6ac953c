/** The view of one policy: where it takes effect, and where it is overridden. Only those who may read the policy get one. */

import type { Caveat } from "../caveats/caveat.ts";
import { findCaveats } from "../caveats/find-caveats.ts";
import { kindNamesIn } from "../effective/findings/kind-names.ts";
import { fieldOfPointer } from "../effective/fold/field-of-pointer.ts";
import type { Verdict } from "../effective/verdicts/verdict.ts";
import type { PolicyRecord } from "../effective/world/world.ts";
import { namespaceOf } from "../explain/contacts.ts";
import { reachPolicy } from "../explain/reach/reach-policy.ts";
import type { Reach, ReachedValue, ReachLoss, ReachTarget } from "../explain/reach/result.ts";
import {
  compareText,
  type GroupKind,
  kindId,
  type ObjectId,
  type PolicyId,
  parseObjectId,
  splitId,
} from "../model/refs.ts";
import { cutView } from "./cut-view.ts";
import { formatNode, isNamed } from "./group-paths.ts";
import { explainRefusals, suggestedObjects } from "./readable-names.ts";
import { retriesOf } from "./retries-view.ts";
import { statusCaveats } from "./status-caveats.ts";
import { caveatObjects, viewCaveats } from "./view-caveats.ts";
import type { ViewContext, Viewer } from "./view-context.ts";
import { viewMetadata } from "./view-metadata.ts";
import { VIEW_API_VERSION, viewResourceFor } from "./view-resources.ts";
import type {
  PolicyReachView,
  ViewReached,
  ViewReachLoss,
  ViewReachTarget,
  ViewReachValue,
  ViewVerdict,
} from "./view-types.ts";
import type { ViewedObject } from "./viewed-objects.ts";
import { REDACTED, VisibleValues } from "./visible-values.ts";

/** The facts of an evaluation about a policy, before it is known who asks. */
export interface ReachSurvey {
  readonly viewed: ViewedObject;
  readonly record: PolicyRecord;
  readonly reach: Reach;
  /** The objects that messages about missing targets could suggest. */
  readonly suggested: readonly ObjectId[];
  readonly caveats: readonly Caveat[];
}

export function surveyReach({ world, unread }: ViewContext, viewed: ViewedObject): ReachSurvey | undefined {
  const policy = viewed.id as PolicyId;
  const record = world.policies.get(policy);
  if (record === undefined) return undefined;
  return {
    viewed,
    record,
    reach: reachPolicy(world, policy, record),
    suggested: suggestedObjects(world, record),
    caveats: findCaveats(world, { about: "Policies", policies: [policy], unread }),
  };
}

/** The objects that the view could name, and the namespaces that they are in: the rights that must be known. */
export function reachSubjects({ viewed, reach, suggested, caveats }: ReachSurvey): {
  readonly objects: ReadonlySet<ObjectId>;
  readonly namespaces: ReadonlySet<string>;
} {
  const objects = new Set<ObjectId>([viewed.id, ...suggested, ...caveatObjects(caveats)]);
  for (const { losses } of reach.values)
    for (const { by, source } of losses)
      for (const policy of [...by, ...(source.policy === null ? [] : [source.policy])]) objects.add(policy);
  const named = [
    ...reach.reachedNodes.map(({ node }) => namespaceOf(node)),
    ...suggested.map((id) => splitId(id).namespace),
  ];
  const namespaces = new Set(named.filter((one) => one !== ""));
  return { objects, namespaces };
}

export function reachView(
  context: ViewContext,
  { viewed, record, reach, caveats }: ReachSurvey,
  viewer: Viewer,
): PolicyReachView {
  const visible = new VisibleValues(context, viewer);
  const { verdict, targets } = explainRefusals(context.world, record, reach, viewer);
  const { inText } = kindNamesIn(context.world);
  const named = (message: string): string => inText(message, [reach.policyKind]);
  const worth = retriesOf(context, reach, viewer);
  const count = (effect: Reach["paths"][number]["effect"]): number =>
    reach.paths.filter((path) => path.effect === effect).length;
  return cutView({
    apiVersion: VIEW_API_VERSION,
    kind: viewResourceFor("Policies", viewed.namespace).kind,
    metadata: viewMetadata(viewed),
    policy: parseObjectId(viewed.id),
    policyKind: reach.policyKind,
    verdict: verdictView(verdict, visible, named),
    paths: {
      count: reach.paths.length,
      full: count("full"),
      partial: count("partial"),
      none: count("none"),
      met: count("met"),
      idle: count("idle"),
    },
    targets: targets.map((target) => targetView(target, visible, named)),
    values: reach.values.map((value) => valueView(value, visible, viewer)),
    reached: reachedView(reach, viewer),
    ...(worth.retries === undefined ? {} : { retries: worth.retries }),
    caveats: viewCaveats([...caveats, ...worth.caveats, ...statusCaveats(context, viewed.id)], viewer, visible),
    notes: [],
  });
}

/** A message, with the groups of kinds that share their name. */
type NameMessage = (message: string) => string;

function verdictView(verdict: Verdict, visible: VisibleValues, named: NameMessage): ViewVerdict {
  switch (verdict.state) {
    case "Accepted":
      return { accepted: "True", reason: verdict.enforcement };
    case "NotAccepted": {
      const message = verdict.by.every((one) => visible.isNamed(one)) ? named(verdict.message) : CONFLICTED;
      return { accepted: "False", reason: verdict.reason, message };
    }
    case "Unknown":
      return { accepted: "Unknown", reason: verdict.reason, message: named(verdict.message) };
  }
}

/** A message without the name of the other policy. */
const CONFLICTED = "another policy takes effect on the target";

function targetView(target: ReachTarget, visible: VisibleValues, named: NameMessage): ViewReachTarget {
  switch (target.state) {
    case "attached":
      return { state: "Attached", target: formatNode(target.node), paths: target.paths };
    case "conflicted":
      return {
        state: "Conflicted",
        target: formatNode(target.node),
        by: visible.refOf(target.by),
        message: visible.isNamed(target.by) ? named(target.message) : CONFLICTED,
      };
    case "refused":
      return { state: "Refused", message: `${target.field}: ${named(target.message)}` };
  }
}

const valueView = (value: ReachedValue, visible: VisibleValues, viewer: Viewer): ViewReachValue => ({
  field: fieldOfPointer(value.pointer),
  pointer: value.pointer,
  block: value.block,
  value: value.value,
  ...(value.when === undefined ? {} : { when: value.when }),
  inEffect: value.inEffect,
  equal: value.equal,
  overridden: value.overridden,
  gated: value.gated,
  lost: value.losses.map((loss) => lossView(loss, visible, viewer)),
});

/** The policy that overrides a value is named, as the status of the overridden one does. An object below it is, where the user may see it. */
function lossView(
  { reason, by, object, source, effectiveValue, field, paths }: ReachLoss,
  visible: VisibleValues,
  viewer: Viewer,
): ViewReachLoss {
  const isShown = visible.isEffectiveShown(source, { isMapped: field !== undefined });
  return {
    reason,
    by: by.map((one) => visible.refOf(one)),
    ...(object === undefined || !isNamed(parseObjectId(object), viewer) ? {} : { object: parseObjectId(object) }),
    ...(effectiveValue === undefined ? {} : isShown ? { value: effectiveValue } : { redacted: REDACTED }),
    paths: paths.length,
  };
}

/** The number of objects that a view lists. */
const MAX_OBJECTS = 100;

/** How many objects there are is never hidden: it is the reach of one's own policy. */
function reachedView({ reachedNodes }: Reach, viewer: Viewer): ViewReached {
  const reached = reachedNodes.filter(({ isBelow, inEffect }) => isBelow && inEffect > 0);
  const open = reached.filter(({ node }) => isNamed(node, viewer));
  const kinds = new Map<string, GroupKind & { count: number }>();
  for (const { node } of reached) {
    const { group, kind } = node;
    const counted = kinds.get(kindId(node)) ?? { group, kind, count: 0 };
    kinds.set(kindId(node), counted);
    counted.count++;
  }
  return {
    count: reached.length,
    byKind: [...kinds.values()].sort((a, b) => compareText(kindId(a), kindId(b))),
    objects: open.slice(0, MAX_OBJECTS).map(({ node, paths, inEffect }) => ({ ...node, paths, inEffect })),
    ...(open.length > MAX_OBJECTS ? { more: open.length - MAX_OBJECTS } : {}),
    ...(open.length < reached.length ? { hidden: reached.length - open.length } : {}),
  };
}

/** The view of one object: what takes effect on it, and why, as far as a user may see it. */

import type { Caveat } from "../caveats/caveat.ts";
import { findCaveats } from "../caveats/find-caveats.ts";
import { type KindNames, kindNamesIn } from "../effective/findings/kind-names.ts";
import { fieldOfPointer } from "../effective/fold/field-of-pointer.ts";
import type { PathNode } from "../effective/paths/path-node.ts";
import { contactsIn, namespaceOf } from "../explain/contacts.ts";
import { explainKinds, explainTarget } from "../explain/explain/explain-target.ts";
import { groupValues, type ValueGroup, type ValueVariant } from "../explain/explain/group-values.ts";
import type { Explanation, IneffectivePolicy, KindExplanation } from "../explain/explain/result.ts";
import { blockPointer } from "../explain/value-pointer.ts";
import type { Lost, Source } from "../merge/provenance.ts";
import type { JsonObject } from "../model/json.ts";
import { type WrittenValue, writtenValueOf } from "../model/managed-fields.ts";
import { compareText, type GroupKind, type ObjectId, type PolicyId, parseObjectId } from "../model/refs.ts";
import { cutView } from "./cut-view.ts";
import { formatNode, groupPaths } from "./group-paths.ts";
import { retriesThrough } from "./retries-view.ts";
import { statusCaveats } from "./status-caveats.ts";
import { caveatObjects, viewCaveats } from "./view-caveats.ts";
import type { ViewContext, Viewer } from "./view-context.ts";
import { viewMetadata } from "./view-metadata.ts";
import { VIEW_API_VERSION, viewResourceFor } from "./view-resources.ts";
import type {
  EffectivePolicyView,
  ViewIneffective,
  ViewLost,
  ViewPolicyKind,
  ViewSource,
  ViewValue,
} from "./view-types.ts";
import type { ViewedObject } from "./viewed-objects.ts";
import { REDACTED, VisibleValues } from "./visible-values.ts";

/** The facts of an evaluation about an object, before it is known who asks. */
export interface EffectiveSurvey {
  readonly viewed: ViewedObject;
  readonly kinds: readonly KindExplanation[];
  /** Policies that name the object without effect. Finding them visits all policies, so lists do without. */
  readonly failures: readonly IneffectivePolicy[] | undefined;
  readonly caveats: readonly Caveat[];
}

/** Undefined if no policy reaches the object. */
export function surveyEffective(
  context: ViewContext,
  viewed: ViewedObject,
  options: { readonly withFailures: boolean },
): EffectiveSurvey | undefined {
  const { world, unread } = context;
  const explained: Pick<Explanation, "kinds"> & Partial<Pick<Explanation, "failures">> = options.withFailures
    ? explainTarget(world, viewed, { group: true })
    : explainKinds(world, viewed, { group: true });
  const { kinds, failures } = explained;
  if (!isReached(kinds)) return undefined;
  return { viewed, kinds, failures, caveats: findCaveats(world, { about: "Objects", objects: [viewed.id], unread }) };
}

/** True if a policy is on a path through the object. */
export const isReached = (kinds: readonly KindExplanation[]): boolean =>
  kinds.some(({ outcomes }) => outcomes.some(({ policies }) => policies.length > 0));

/** Every policy that the view could name, and every namespace with objects below the target: the rights that must be known. */
export function effectiveSubjects({ viewed, kinds, failures = [], caveats }: EffectiveSurvey): {
  readonly objects: ReadonlySet<ObjectId>;
  readonly namespaces: ReadonlySet<string>;
} {
  const objects = new Set<ObjectId>([...caveatObjects(caveats), ...failures.map(({ policy }) => policy)]);
  const namespaces = new Set<string>([viewed.namespace]);
  for (const { outcomes } of kinds) {
    for (const { policies, sources, fields, paths } of outcomes) {
      for (const { policy, by } of policies) for (const one of [policy, ...by]) objects.add(one);
      for (const source of [...sources, ...fields.flatMap((field) => field.sources)])
        for (const one of policiesOf(source)) objects.add(one);
      for (const { nodes } of paths)
        for (const node of nodes) if (namespaceOf(node) !== "") namespaces.add(namespaceOf(node));
    }
  }
  return { objects, namespaces };
}

const policiesOf = ({ policy, decidedBy, lost }: Source): readonly PolicyId[] => [
  ...(policy === null ? [] : [policy]),
  ...(decidedBy.policy === null ? [] : [decidedBy.policy]),
  ...lost.flatMap((one) => [...(one.policy === undefined ? [] : [one.policy]), ...one.by]),
];

/** The policies whose values take effect, of those that the user may read: the ones that may say how they were written. At most 20. */
export const blamedPolicies = ({ kinds }: EffectiveSurvey, { mayRead }: Viewer): readonly PolicyId[] => {
  const sources = kinds.flatMap(({ outcomes }) =>
    outcomes.flatMap((outcome) => [...outcome.sources, ...outcome.fields.flatMap((field) => field.sources)]),
  );
  const policies = new Set(sources.flatMap(({ policy }) => policy ?? []));
  return [...policies].filter(mayRead).sort(compareText).slice(0, MAX_BLAMED);
};

const MAX_BLAMED = 20;

/** `whole`: policies with their managed fields, if it was asked how their values were written. */
export function effectiveView(
  context: ViewContext,
  survey: EffectiveSurvey,
  viewer: Viewer,
  whole: ReadonlyMap<ObjectId, JsonObject> = new Map(),
): EffectivePolicyView {
  const { viewed, kinds, failures, caveats } = survey;
  const visible = new VisibleValues(context, viewer);
  const writtenBy = ({ policy, block, pointer, computed }: Source): WrittenValue | undefined => {
    const object = policy === null || computed === true ? undefined : whole.get(policy);
    if (policy === null || object === undefined) return undefined;
    return writtenValueOf(object, blockPointer(context.world, policy, block, pointer).pointer);
  };
  const values = kinds.flatMap((kind) => kindValues(kind, { visible, viewer, target: viewed.id, writtenBy }));
  const worth = retriesThrough(context, viewed.id, pathsIn(kinds), viewer);
  return cutView({
    apiVersion: VIEW_API_VERSION,
    kind: viewResourceFor("Targets", viewed.namespace).kind,
    metadata: viewMetadata(viewed),
    target: parseObjectId(viewed.id),
    policyKinds: kinds.map((kind) => policyKindView(context, kind, visible)),
    values,
    ...(worth.retries === undefined ? {} : { retries: worth.retries }),
    ...(failures === undefined ? {} : { ineffective: ineffectiveView(failures, viewer, kindNamesIn(context.world)) }),
    caveats: viewCaveats([...caveats, ...worth.caveats, ...statusCaveats(context, viewed.id)], viewer, visible),
    notes: [],
  });
}

function* pathsIn(kinds: readonly KindExplanation[]): Generator<readonly PathNode[]> {
  for (const { outcomes } of kinds) for (const { paths } of outcomes) for (const { nodes } of paths) yield nodes;
}

const ineffectiveView = (
  failures: readonly IneffectivePolicy[],
  { mayRead }: Viewer,
  { inText }: KindNames,
): readonly ViewIneffective[] =>
  failures
    .filter(({ policy }) => mayRead(policy))
    .map(({ policy, reason, message }) => {
      const ref = parseObjectId(policy);
      return { policy: ref, reason, message: inText(message, [ref]) };
    });

interface ValueContext {
  readonly visible: VisibleValues;
  readonly viewer: Viewer;
  readonly target: ObjectId;
  readonly writtenBy: (source: Source) => WrittenValue | undefined;
}

/** The policies of a kind that the user may know of: those that take effect here, and those whose settings for the target they may know. */
function policyKindView(
  { world }: ViewContext,
  { policyKind, paths, outcomes }: KindExplanation,
  visible: VisibleValues,
): ViewPolicyKind {
  const parts = new Map<PolicyId, ViewPolicyKind["policies"][number]>();
  for (const { policies, sources, fields } of outcomes) {
    const setting = new Set([...sources, ...fields.flatMap((field) => field.sources)].map(({ policy }) => policy));
    for (const { policy, at, removes, keepsOut } of policies) {
      // A policy that sets the same value as the one that takes effect would change nothing.
      const takesEffect = setting.has(policy) || removes.length > 0 || keepsOut;
      if (parts.has(policy) || !(takesEffect || visible.isKnown(policy))) continue;
      const ref = parseObjectId(policy);
      const [contact] = contactsIn(ref.namespace, [policy], (id) => world.objects.get(id));
      parts.set(policy, {
        policy: visible.refOf(policy),
        attachedTo: formatNode(at),
        ...(contact === undefined ? {} : { contact: contact.contact }),
      });
    }
  }
  return { ...policyKind, paths, policies: [...parts.values()] };
}

function kindValues({ policyKind, paths, outcomes }: KindExplanation, context: ValueContext): readonly ViewValue[] {
  return groupValues(outcomes).flatMap((group) =>
    inOrder(group.variants).flatMap((variant) => valueView(policyKind, group, variant, paths, context)),
  );
}

/** Most paths first. Equal numbers are in an order that does not depend on how the paths were found. */
const inOrder = (variants: readonly ValueVariant[]): readonly ValueVariant[] =>
  variants.length < 2
    ? variants
    : variants
        .map((variant) => ({ variant, key: JSON.stringify([variant.value ?? null, variant.source]) }))
        .sort((a, b) => b.variant.paths.length - a.variant.paths.length || compareText(a.key, b.key))
        .map(({ variant }) => variant);

function valueView(
  policyKind: GroupKind,
  { pointer, field }: ValueGroup,
  { value, source, paths }: ValueVariant,
  of: number,
  { visible, viewer, target, writtenBy }: ValueContext,
): readonly ViewValue[] {
  const options = { isMapped: field !== undefined };
  const lost = source.lost.flatMap((one) => lostView(one, pointer, source, visible, options));
  const isSet = source.policy !== null || source.object !== undefined || source.computed === true;
  // The rest of a setting that the user may not know is not shown either.
  if (!isSet && lost.length === 0) return [];
  const isShown = visible.isEffectiveShown(source, options);
  return [
    {
      policyKind: { group: policyKind.group, kind: policyKind.kind },
      field: fieldOfPointer(pointer),
      pointer,
      ...(field === undefined ? {} : { mappedTo: fieldOfPointer(field.pointer) }),
      ...(value === undefined ? {} : isShown ? { value } : { redacted: REDACTED }),
      ...(isSet ? { source: sourceView(source, visible, writtenBy(source)) } : {}),
      lost,
      paths: groupPaths(paths, { target, of, viewer }),
    },
  ];
}

const sourceView = (
  { policy, object, block, computed, decidedBy }: Source,
  visible: VisibleValues,
  written: WrittenValue | undefined,
): ViewSource => ({
  ...(policy === null ? {} : { policy: visible.refOf(policy) }),
  ...(object === undefined ? {} : { object: parseObjectId(object) }),
  ...(block === null ? {} : { block }),
  strategy: decidedBy.strategy,
  ...(computed === true ? { computed } : {}),
  ...(written === undefined ? {} : { written }),
});

function lostView(
  { policy, block, value, reason, by }: Lost,
  pointer: string,
  source: Source,
  visible: VisibleValues,
  options: { readonly isMapped: boolean },
): readonly ViewLost[] {
  if (policy !== undefined && !visible.isKnown(policy)) return [];
  const isShown = policy === undefined || visible.isShown(policy, pointer, options);
  return [
    {
      ...(policy === undefined ? {} : { policy: visible.refOf(policy) }),
      ...(block === undefined ? {} : { block }),
      ...(isShown ? { value } : { redacted: REDACTED }),
      reason,
      by: by.filter((one) => one === source.policy || visible.isKnown(one)).map((one) => visible.refOf(one)),
    },
  ];
}

import { type GroupKind, parseKindId, splitId } from "../../core/model/refs.ts";
import {
  blamedPolicies,
  type EffectiveSurvey,
  effectiveSubjects,
  effectiveView,
  surveyEffective,
} from "../../core/view/effective-view.ts";
import { reachSubjects, reachView, surveyReach } from "../../core/view/reach-view.ts";
import { viewPrefix } from "../../core/view/view-name.ts";
import type { EffectivePolicyView, PolicyReachView } from "../../core/view/view-types.ts";
import { type ViewedObject, viewedObjects } from "../../core/view/viewed-objects.ts";
import { mayGet, viewerFor } from "../rights/viewer-for.ts";
import type { ViewReader } from "./view-reader.ts";

export type AnyView = EffectivePolicyView | PolicyReachView;

/** `forbidden`: the policy kind that the user may not read, whether there is such a policy or not. */
export type ReadView =
  | { readonly found: true; readonly view: AnyView }
  | { readonly found: false; readonly forbidden?: GroupKind };

export async function readView(reader: ViewReader, namespace: string, name: string): Promise<ReadView> {
  const { context, resource } = reader;
  if (resource.about === "Policies") {
    const kind = policyKindOf(reader, name);
    if (kind !== undefined && !(await mayReadPolicies(reader, kind, namespace)))
      return { found: false, forbidden: kind };
  }
  const [viewed] = viewedObjects(context, resource, { namespace, name });
  const view = viewed === undefined ? undefined : await buildView(reader, viewed);
  return view === undefined ? { found: false } : { found: true, view };
}

/** The policy kind that a name begins with. */
function policyKindOf({ context: { world, pluralOf } }: ViewReader, name: string): GroupKind | undefined {
  for (const kind of world.rulebook.byPolicyKind.keys()) {
    const parsed = parseKindId(kind);
    if (name.startsWith(`${viewPrefix(parsed, pluralOf)}.`)) return parsed;
  }
  return undefined;
}

const mayReadPolicies = (
  { user, reviews, context }: ViewReader,
  kind: GroupKind,
  namespace: string,
): Promise<boolean> => mayGet(kind, namespace, user, reviews, context.pluralOf);

/** Undefined if no policy reaches the object, or if the user may not read the policy. */
function buildView(reader: ViewReader, viewed: ViewedObject): Promise<AnyView | undefined> {
  if (reader.resource.about === "Policies") return buildReach(reader, viewed);
  return buildEffective(reader, surveyEffective(reader.context, viewed, { withFailures: true }));
}

export async function buildEffective(
  { context, user, reviews, loadWhole }: ViewReader,
  survey: EffectiveSurvey | undefined,
): Promise<EffectivePolicyView | undefined> {
  if (survey === undefined) return undefined;
  const viewer = await viewerFor(effectiveSubjects(survey), user, reviews, context.pluralOf);
  const whole = await loadWhole?.(blamedPolicies(survey, viewer));
  return effectiveView(context, survey, viewer, whole);
}

export async function buildReach(reader: ViewReader, viewed: ViewedObject): Promise<PolicyReachView | undefined> {
  const { context, user, reviews } = reader;
  const { kind, namespace } = splitId(viewed.id);
  if (!(await mayReadPolicies(reader, parseKindId(kind), namespace))) return undefined;
  const survey = surveyReach(context, viewed);
  if (survey === undefined) return undefined;
  return reachView(context, survey, await viewerFor(reachSubjects(survey), user, reviews, context.pluralOf));
}

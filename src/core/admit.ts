/** Admission: what the webhooks say about a request to the API server. */
import { type AdmissionRequest, isSettled } from "./admission/admission-request.ts";
import { FAR, farEffect } from "./admission/far-effect.ts";
import { type AdmissionRefusal, findRefusal, isExempt, type RefusalSettings } from "./admission/find-refusal.ts";
import { formatWarnings, type WarningSettings } from "./admission/format-warnings.ts";
import { type NameSettings, otherNames } from "./admission/other-names.ts";
import type { DefinitionEffect, EffectSettings, RequestEffect } from "./admission/request-effect.ts";
import { samplePolicies } from "./admission/sample-policies.ts";
import { apply, applyPlanned, type Change, touchedOf } from "./apply.ts";
import { namedKinds } from "./effective/findings/ignored-policies.ts";
import { hasSameMeaning } from "./effective/update/has-same-meaning.ts";
import { buildRulebook } from "./effective/world/build-rulebook.ts";
import { isRule, RULES } from "./effective/world/rulebook.ts";
import { putInScope } from "./effective/world/scope-objects.ts";
import type { World } from "./effective/world/world.ts";
import { type Evaluation, optionsOf, worldOf } from "./evaluation.ts";
import { withCascades } from "./explain/plan/with-cascades.ts";
import type { Finding } from "./model/finding.ts";
import type { JsonObject } from "./model/json.ts";
import type { KubeObject } from "./model/kube-object.ts";
import { isNamespace, kindId, type ObjectRef } from "./model/refs.ts";
import { parseObject } from "./model/snapshot.ts";

/** The plan of a request, as warnings of one line each. Empty: nothing changes, as far as is known. */
export function admissionWarnings(
  evaluation: Evaluation,
  request: AdmissionRequest,
  settings: WarningSettings,
): readonly string[] {
  const subject = isSettled(request) ? undefined : subjectOf(evaluation, request);
  const effect = subject === undefined ? undefined : effectOf(evaluation, request, subject, settings);
  return effect === undefined ? [] : formatWarnings(effect, settings);
}

/** Why a request is refused. Undefined: it is allowed. */
export function admissionRefusal(
  evaluation: Evaluation,
  request: AdmissionRequest,
  settings: RefusalSettings,
): AdmissionRefusal | undefined {
  const subject = subjectOf(evaluation, request);
  if (subject === undefined || isExempt(request, subject.ref, worldOf(evaluation))) return undefined;
  const effect = effectOf(evaluation, request, subject, settings);
  return effect === undefined ? undefined : findRefusal(effect, settings);
}

/** Policies whose changes are typical requests, not those that reach too far to be compared. */
export const admissionSamples = (evaluation: Evaluation, count: number): readonly JsonObject[] =>
  samplePolicies(worldOf(evaluation), { count, mostPaths: FAR });

/** The object that the request is about. `request.name` of Kubernetes may be empty (deletecollection), so the object itself is read. */
function subjectOf(evaluation: Evaluation, { object, oldObject }: AdmissionRequest): KubeObject | undefined {
  const { judging, rulebook } = worldOf(evaluation);
  const parsed = parseObject(object ?? oldObject, undefined, judging);
  return parsed.state === "unidentified" ? undefined : putInScope(parsed.object, rulebook);
}

/** Undefined: the request means nothing to policies. */
function effectOf(
  evaluation: Evaluation,
  request: AdmissionRequest,
  subject: KubeObject,
  settings: EffectSettings,
): RequestEffect | undefined {
  const { ref, id } = subject;
  const { operation, object, oldObject } = request;
  if (operation === "UPDATE" && oldObject !== undefined && object !== undefined && hasSameMeaning(oldObject, object))
    return undefined;
  if (isRule(ref)) return definitionEffect(evaluation, request, subject, settings);
  const cel = optionsOf(evaluation).evaluateCondition;
  const far = farEffect(worldOf(evaluation), request, subject, { ...settings, cel });
  if (far !== undefined) return far;
  const current = asStored(evaluation, request, subject);
  const before = worldOf(current);
  const applied = applyPlanned(current, operation === "DELETE" ? deletions(before, ref) : [{ upsert: object }]);
  const after = worldOf(applied.evaluation);
  return {
    state: "Change",
    request,
    ref,
    id,
    before,
    after,
    delta: applied.delta,
    touched: touchedOf(applied),
    cel,
    names: otherNames(settings, before, after),
  };
}

/** A Namespace goes with all that is in it. */
const deletions = (world: World, ref: ObjectRef): readonly Change[] =>
  (isNamespace(ref) ? withCascades(world, [ref]) : [ref]).map((one) => ({ delete: one }));

/** The evaluation with the object as the API server has it: the watch may be a moment behind. */
function asStored(evaluation: Evaluation, { oldObject }: AdmissionRequest, { ref, id }: KubeObject): Evaluation {
  const known = worldOf(evaluation).objects.get(id);
  if (oldObject === undefined)
    return known === undefined ? evaluation : apply(evaluation, [{ delete: ref }]).evaluation;
  if (known !== undefined && hasSameMeaning(known.raw, oldObject)) return evaluation;
  return apply(evaluation, [{ upsert: oldObject }]).evaluation;
}

function definitionEffect(
  evaluation: Evaluation,
  request: AdmissionRequest,
  subject: KubeObject,
  settings: NameSettings,
): DefinitionEffect {
  const world = worldOf(evaluation);
  const { id, ref } = subject;
  const others = RULES.flatMap((kind) => world.objects.ofKind(kindId(kind))).filter((rule) => rule.id !== id);
  const errorsWith = (rules: readonly KubeObject[]): readonly Finding[] =>
    buildRulebook(rules, world.judging, optionsOf(evaluation)).findings.filter(
      ({ object, severity }) => object === id && severity === "error",
    );
  const known = world.objects.get(id);
  return {
    state: "Definition",
    request,
    ref,
    id,
    names: otherNames(settings, world),
    world,
    errors: {
      before: known === undefined ? [] : errorsWith([...others, known]),
      after: request.operation === "DELETE" ? [] : errorsWith([...others, subject]),
    },
    policies: namedKinds(subject).reduce((sum, kind) => sum + world.objects.ofKind(kindId(kind)).length, 0),
  };
}

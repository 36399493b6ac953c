/** Policies that select workloads by label: Pods, or the objects that stand for them. */
import type { AbsentTarget, WorkloadKind } from "../model/definition.ts";
import { valueAtField } from "../model/field-value.ts";
import { isJsonObject, type JsonObject, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { parseSelector } from "../model/parse/parse-selector.ts";
import type { LabelSelector, Policy } from "../model/policy.ts";
import { kindId } from "../model/refs.ts";
import { formatSelector, matchesSelector } from "../topology/matches-selector.ts";
import { namespaceOf, type Resolution, reject } from "./resolution.ts";

/** The labels that a policy selects workloads by, as a label selector. Undefined: the policy is for all workloads. */
export function writtenWorkloads({ object }: Policy, { workloadSelector }: AbsentTarget): JsonObject | undefined {
  const spec = ownValue(object.raw, "spec");
  const written = workloadSelector === undefined || !isJsonObject(spec) ? undefined : ownValue(spec, workloadSelector);
  if (!isJsonObject(written)) return undefined;
  const selector = isLabelSelector(written) ? written : { matchLabels: ownValue(written, "labels") ?? written };
  return hasRequirements(selector) ? selector : undefined;
}

const isLabelSelector = (written: JsonObject): boolean =>
  Object.hasOwn(written, "matchLabels") || Object.hasOwn(written, "matchExpressions");

/** True unless all parts of the selector are empty. A selector that is not valid counts as one with requirements. */
function hasRequirements(selector: JsonObject): boolean {
  const parsed = parseSelector(selector);
  return !parsed.ok || parsed.selector.matchLabels.length + parsed.selector.matchExpressions.length > 0;
}

/**
 * Workload selectors
 *
 * A policy without a target may select workloads by label. It is attached to each workload of its namespace that matches, and from the root
 * namespace of a mesh to those of all namespaces. The labels are those of the Pods: a definition says where an object of each kind has them.
 * Where no workload matches and the input may lack some, whether the policy takes effect is not known.
 * GEP-713, "Label selectors"
 */
export function resolveWorkloads(resolution: Resolution, absent: AbsentTarget, written: JsonObject): void {
  const { workloadSelector = "", workloads, rootNamespace } = absent;
  const field = `spec.${workloadSelector}`;
  const parsed = parseSelector(written);
  if (!parsed.ok) {
    const message = `${field} is not a label selector: ${parsed.field === "" ? "it" : parsed.field} ${parsed.message}`;
    return reject(resolution, field, "InvalidTarget", message);
  }
  if (workloads === undefined) {
    const message =
      "the policy selects workloads by label, which are not in the hierarchy of the kind: whether it takes effect is not known";
    return reject(resolution, field, "UnknownWorkloads", message);
  }
  const own = namespaceOf(resolution);
  const namespace = own === "" || own === rootNamespace ? undefined : own;
  const before = resolution.attachments.length;
  for (const kind of workloads) attachMatching(resolution, kind, namespace, parsed.selector);
  if (resolution.attachments.length === before) rejectAll(resolution, absent, namespace, parsed.selector);
}

/** `namespace`: undefined for all. */
function attachMatching(
  { attachments, context, selects }: Resolution,
  kind: WorkloadKind,
  namespace: string | undefined,
  selector: LabelSelector,
): void {
  selects.push(kindId(kind));
  for (const object of context.objectsOf(kindId(kind), namespace))
    if (matchesSelector(selector, podLabels(object, kind))) attachments.push({ object: object.id });
}

/** The labels of the Pods that an object stands for. */
function podLabels({ raw, name }: KubeObject, { labels, nameLabels = [] }: WorkloadKind): JsonObject {
  const written = valueAtField(raw, labels);
  const own = isJsonObject(written) ? written : {};
  return nameLabels.length === 0 ? own : { ...own, ...Object.fromEntries(nameLabels.map((label) => [label, name])) };
}

function rejectAll(
  resolution: Resolution,
  { workloadSelector = "", workloads = [] }: AbsentTarget,
  namespace: string | undefined,
  selector: LabelSelector,
): void {
  const field = `spec.${workloadSelector}`;
  const where = namespace === undefined ? "" : ` in namespace '${namespace}'`;
  const names = workloads.map(({ kind }) => kind).join(", ");
  const nothing = `no workload${where} (${names}) has the labels ${formatSelector(selector)}`;
  const isKnown = ({ group, kind }: WorkloadKind): boolean =>
    resolution.context.isKnownAbsent({ group, kind, namespace: namespace ?? "", name: "" });
  if (workloads.every(isKnown)) reject(resolution, field, "SelectorMatchesNothing", nothing);
  else
    reject(
      resolution,
      field,
      "UnknownWorkloads",
      `${nothing}, and the input may lack workloads: whether the policy takes effect is not known`,
    );
}

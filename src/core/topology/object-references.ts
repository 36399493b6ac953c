/** References from Gateways, GatewayClasses, listeners and filters to other objects, as one table. */
import type { KindFacts } from "../model/definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { missingContent, type WantedContent } from "../model/missing-content.ts";
import { formatRef, type GroupKind, isPlainName, type KindId, kindId, type ObjectRef } from "../model/refs.ts";
import type { ConditionProblem, GatewayReason } from "./gateway-reason.ts";
import { type Grant, isReferencePermitted } from "./reference-grants.ts";

/** The tables that references are resolved with. */
export interface ObjectReferenceContext {
  find(kind: KindId, namespace: string, name: string): KubeObject | undefined;
  /** Facts of a known kind. */
  kind(kind: GroupKind): KindFacts | undefined;
  readonly grantsIn: (namespace: string) => readonly Grant[];
  /** True if an object that is not found does not exist. */
  isKnownAbsent(ref: ObjectRef): boolean;
  /** The known facts about the implementation. Absent: none. */
  readonly implementation?: Implementation;
}

/** One implementation of Gateway API: it supports the kinds that the specification requires, and no others. */
export interface Implementation {
  /** The problem of the content of a Secret, which is not part of the snapshot. Undefined: nothing. */
  readonly secretProblem: (secret: ObjectRef) => string | undefined;
  /** The kind of parameters of Gateways and GatewayClasses. Undefined: none is supported. */
  readonly parameters?: GroupKind | undefined;
}

/** References at one field of a kind. */
interface ReferenceRow {
  readonly from: readonly GroupKind[];
  /** The path of the reference; `[]` for every item of a list. */
  readonly path: string;
  /** The kind that the specification requires to be supported, which is the default. Undefined: the implementation decides. */
  readonly to?: GroupKind;
  readonly content?: WantedContent;
  readonly condition: ConditionProblem["condition"];
  readonly reason: GatewayReason;
  /** The reason for a kind that is not supported. */
  readonly kindReason: GatewayReason;
}

const gateway: GroupKind = { group: GATEWAY_API, kind: "Gateway" };
const withListeners: readonly GroupKind[] = [
  gateway,
  { group: GATEWAY_API, kind: "ListenerSet" },
  { group: "gateway.networking.x-k8s.io", kind: "XListenerSet" },
];
const httpRoutes: readonly GroupKind[] = ["HTTPRoute", "GRPCRoute"].map((kind) => ({ group: GATEWAY_API, kind }));
const core = (kind: string): GroupKind => ({ group: "", kind });
const authorities = {
  to: core("ConfigMap"),
  content: { keys: ["ca.crt"], format: "Certificates" },
  condition: "ResolvedRefs",
  reason: "InvalidCACertificateRef",
  kindReason: "InvalidCACertificateKind",
} as const;
const parameters = { condition: "Accepted", reason: "InvalidParameters", kindReason: "InvalidParameters" } as const;
const ofFilter = {
  from: httpRoutes,
  to: core("Service"),
  condition: "ResolvedRefs",
  reason: "BackendNotFound",
  kindReason: "InvalidKind",
} as const;

const rows: readonly ReferenceRow[] = [
  {
    from: withListeners,
    path: "spec.listeners[].tls.certificateRefs[]",
    to: core("Secret"),
    condition: "ResolvedRefs",
    reason: "InvalidCertificateRef",
    kindReason: "InvalidCertificateRef",
  },
  { from: [gateway], path: "spec.tls.frontend.default.validation.caCertificateRefs[]", ...authorities },
  { from: [gateway], path: "spec.tls.frontend.perPort[].tls.validation.caCertificateRefs[]", ...authorities },
  {
    from: [gateway],
    path: "spec.tls.backend.clientCertificateRef",
    to: core("Secret"),
    condition: "ResolvedRefs",
    reason: "InvalidClientCertificateRef",
    kindReason: "InvalidClientCertificateRef",
  },
  { from: [gateway], path: "spec.infrastructure.parametersRef", ...parameters },
  { from: [{ group: GATEWAY_API, kind: "GatewayClass" }], path: "spec.parametersRef", ...parameters },
  { path: "spec.rules[].filters[].requestMirror.backendRef", ...ofFilter },
  { path: "spec.rules[].backendRefs[].filters[].requestMirror.backendRef", ...ofFilter },
  { path: "spec.rules[].filters[].externalAuth.backendRef", ...ofFilter },
  { path: "spec.rules[].backendRefs[].filters[].externalAuth.backendRef", ...ofFilter },
];

const byKind: ReadonlyMap<KindId, readonly ReferenceRow[]> = new Map(
  [...new Set(rows.flatMap(({ from }) => from.map(kindId)))].map((id) => [
    id,
    rows.filter(({ from }) => from.some((kind) => kindId(kind) === id)),
  ]),
);

/** The kinds of objects that have such references. */
export const referringKinds: readonly KindId[] = [...byKind.keys()];

/**
 * References of Gateways and listeners must resolve
 *
 * A reference is invalid if its kind is not supported, if it names no object, or if the object does not contain what it must. A reference into
 * another namespace needs a ReferenceGrant; without one the reason is RefNotPermitted, whatever else is wrong. Kinds of other groups are up
 * to the implementation, and an object that is not in an incomplete snapshot is not known to be absent.
 * Gateway API, "ListenerConditionResolvedRefs"
 */
export function referenceProblems(object: KubeObject, context: ObjectReferenceContext): readonly ConditionProblem[] {
  const problems: ConditionProblem[] = [];
  for (const row of byKind.get(object.family.kindId) ?? []) {
    for (const { value, field } of valuesAt(object.raw, row.path.split("."), "")) {
      const found = isJsonObject(value) ? referenceProblem(object, value, row, context) : undefined;
      if (found !== undefined) problems.push({ field, condition: row.condition, ...found });
    }
  }
  return problems;
}

/** The references whose object is not in the snapshot and may exist elsewhere: it is not known whether they resolve. */
export function unknownReferences(object: KubeObject, context: ObjectReferenceContext): readonly UnknownReference[] {
  const unknown: UnknownReference[] = [];
  for (const { path, to } of byKind.get(object.family.kindId) ?? []) {
    for (const { value, field } of valuesAt(object.raw, path.split("."), "")) {
      const ref = isJsonObject(value) ? referenceTo(object, value, to, context).target : undefined;
      if (ref === undefined || !isPlainName(ref.name)) continue;
      const isFound = context.find(kindId(ref), ref.namespace, ref.name) !== undefined;
      if (!isFound && !context.isKnownAbsent(ref)) unknown.push({ field, ref });
    }
  }
  return unknown;
}

/** A reference to an object that the snapshot does not have, so that it is not known whether it resolves. */
export interface UnknownReference {
  readonly field: string;
  readonly ref: ObjectRef;
}

/** The Secrets and ConfigMaps that the object refers to and may refer to, whether they exist or not. */
export function permittedMaterial(
  object: KubeObject,
  context: Pick<ObjectReferenceContext, "kind" | "grantsIn">,
): readonly ObjectRef[] {
  return (byKind.get(object.family.kindId) ?? []).flatMap(({ path, to }) => {
    if (to === undefined || !MATERIAL.includes(to.kind)) return [];
    return Array.from(valuesAt(object.raw, path.split("."), "")).flatMap(({ value }) => {
      const target = isJsonObject(value) ? referenceTo(object, value, to, context).target : undefined;
      if (target === undefined || kindId(target) !== kindId(to) || !isPlainName(target.name)) return [];
      return isPlainName(target.namespace) && isReferencePermitted(object.family, target, context.grantsIn)
        ? [target]
        : [];
    });
  });
}

const MATERIAL: readonly string[] = ["Secret", "ConfigMap"];

interface Found {
  readonly value: Json;
  readonly field: string;
}

function* valuesAt(value: Json | undefined, [step, ...rest]: readonly string[], field: string): Generator<Found> {
  if (value === undefined || value === null) return;
  if (step === undefined) {
    yield { value, field };
    return;
  }
  // A listener with this mode terminates no TLS, so it has no use for certificates.
  if (!isJsonObject(value) || (step === "certificateRefs[]" && value["mode"] === "Passthrough")) return;
  const isList = step.endsWith("[]");
  const key = isList ? step.slice(0, -2) : step;
  const path = field === "" ? key : `${field}.${key}`;
  const found = ownValue(value, key);
  if (!isList) yield* valuesAt(found, rest, path);
  else if (isJsonList(found))
    for (const [index, item] of found.entries()) yield* valuesAt(item, rest, `${path}[${index}]`);
}

/** Undefined: it resolves, or it is not known whether it does. */
function referenceProblem(
  from: KubeObject,
  ref: JsonObject,
  { to: required, content, reason, kindReason }: ReferenceRow,
  context: ObjectReferenceContext,
): Pick<ConditionProblem, "reason" | "message" | "notPermitted"> | undefined {
  const to = reason === "InvalidParameters" ? context.implementation?.parameters : required;
  const { target, facts, written } = referenceTo(from, ref, to, context);
  const { namespace, name, ...kind } = target;
  const scope = facts?.scope ?? "Namespaced";
  // The schema refuses what is no name.
  if (!isPlainName(name) || (namespace !== "" && !isPlainName(namespace))) return undefined;
  if (!isReferencePermitted(from.family, target, context.grantsIn))
    return { reason: "RefNotPermitted", message: formatNotPermitted(from, target), notPermitted: target };
  if (to === undefined || kindId(to) !== kindId(kind)) {
    // The kinds of these groups are known; others are up to the implementation.
    const isKnown = to !== undefined && (kind.group === "" || kind.group === GATEWAY_API);
    const message = `${kind.kind} is not a supported kind; supported: ${to?.kind ?? "none"}`;
    if (isKnown || context.implementation !== undefined) return { reason: kindReason, message };
    if (to !== undefined) return undefined;
  }
  if (facts !== undefined && isOutOfScope(from, facts, written)) {
    const what = scope === "Cluster" ? "is cluster-scoped, so it has no namespace" : "needs a namespace";
    return { reason, message: `a reference to a ${kind.kind} ${what}` };
  }
  const object = context.find(kindId(kind), namespace, name);
  if (object === undefined)
    return context.isKnownAbsent(target) ? { reason, message: `there is no ${formatRef(target)}` } : undefined;
  const isSecret = kind.group === "" && kind.kind === "Secret";
  const inSecret = isSecret ? context.implementation?.secretProblem(target) : undefined;
  const missing = missingContent(object, content ?? NO_CONTENT) ?? inSecret;
  return missing === undefined ? undefined : { reason, message: `${formatRef(target)} ${missing}` };
}

const NO_CONTENT: WantedContent = { keys: [], format: "Any" };

/** The object that a reference names, with the defaults of its field. `written`: the namespace as it is written. */
function referenceTo(
  from: KubeObject,
  ref: JsonObject,
  to: GroupKind | undefined,
  context: Pick<ObjectReferenceContext, "kind">,
): { readonly target: ObjectRef; readonly facts: KindFacts | undefined; readonly written: string } {
  const kind: GroupKind = {
    group: textAt(ref, "group") ?? to?.group ?? "",
    kind: textAt(ref, "kind") ?? to?.kind ?? "",
  };
  const facts = context.kind(kind);
  const written = textAt(ref, "namespace") ?? "";
  const namespace = facts?.scope === "Cluster" ? "" : written === "" ? from.family.namespace : written;
  return { target: { ...kind, namespace, name: textAt(ref, "name") ?? "" }, facts, written };
}

const isOutOfScope = (from: KubeObject, { scope }: KindFacts, namespace: string): boolean =>
  scope === "Cluster" ? namespace !== "" : namespace === "" && from.family.namespace === "";

const formatNotPermitted = ({ ref: from }: KubeObject, to: ObjectRef): string =>
  `${formatRef(to)} is in another namespace, and no ReferenceGrant in namespace '${to.namespace}' lets a ${from.kind} (${from.group}) from namespace '${from.namespace}' refer to it`;

function textAt(object: JsonObject, key: string): string | undefined {
  const value = ownValue(object, key);
  return typeof value === "string" ? value : undefined;
}

import { isJsonList, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { type KubeObject, NAMESPACE_NAME_LABEL } from "../model/kube-object.ts";
import type { LabelSelector } from "../model/policy.ts";
import { formatRef, isNamespace, isPlainName, kindId, namespaceRef, type ObjectRef } from "../model/refs.ts";
import { nearMiss } from "../model/words/near-miss.ts";
import {
  type AllowedNamespaces,
  allowedNamespaces,
  formatAllowed,
  isNamespaceAllowed,
  type OtherNamespace,
} from "./allowed-namespaces.ts";
import { type Acceptance, formatAcceptance, listenerAccepts, type RouteRequest } from "./allowed-routes.ts";
import type { RefField, RefTarget } from "./compile-rows.ts";
import { itemsAt, keyPath } from "./key-path.ts";
import {
  findNamed,
  findTarget,
  formatForbidden,
  formatMissing,
  isPermitted,
  type LinkDraft,
  lookUp,
  type NamedObject,
  type ParentDraft,
  unknownKind,
} from "./link-draft.ts";
import type { RefusalCode } from "./links.ts";
import type { Listener } from "./listeners-of.ts";
import { matchesSelector } from "./matches-selector.ts";
import { sectionsOf } from "./sections-of.ts";

/** A reference to a parent, the field that has it, and its index in that field. */
interface ParentRef {
  readonly ref: JsonObject;
  readonly refField: RefField;
  readonly index: number;
}

/** Adds the links to every object that the object names as its parent. */
export function addParents(draft: ParentDraft): void {
  const { plan, object } = draft;
  for (const field of plan.parentNames) addNamedParent(draft, field);
  for (const field of plan.parentRefs) {
    const refs = itemsAt(object.raw, field.path);
    for (let index = 0; index < refs.length; index++) {
      const ref = refs[index];
      if (isJsonObject(ref)) addParent(draft, { ref, refField: field, index });
      else refuseRef(draft, field, index, "parent");
    }
  }
}

/** A cluster-scoped parent needs no document: the controller of a Gateway decides which classes exist. */
function addNamedParent(draft: ParentDraft, { path, targets }: RefField): void {
  const name = path.read(draft.object.raw);
  if (name === undefined || name === null || name === "") return;
  for (const target of targets) {
    if (typeof name !== "string" || !isPlainName(name)) {
      refuse(draft, path.text, "InvalidRef", `${path.text} must name a ${target.facts.kind}`);
      continue;
    }
    const implied = target.facts.scope === "Cluster";
    const named = lookUp(draft, target, implied ? "" : draft.namespace, name);
    if (named.object === draft.object) {
      refuseItself(draft, path.text, named);
    } else if (named.object === undefined && !implied) {
      refuseAbsent(draft, path.text, named);
    } else {
      if (named.object === undefined) draft.impliedParents.push(named.ref);
      for (const { section } of target.rows) addUnconditionally(draft, named, section, undefined);
    }
  }
}

function addParent(draft: ParentDraft, parentRef: ParentRef): void {
  const { ref, refField, index } = parentRef;
  const target = findTarget(refField, ref);
  if (target === undefined) {
    const { code, reason } = unknownKind(draft, refField, ref, "parent");
    return refuse(draft, fieldName(draft, parentRef), code, reason);
  }
  const named = findNamed(draft, target, ref);
  if (named === undefined) return refuseRef(draft, refField, index, target.facts.kind);
  if (named.object === undefined) return refuseAbsent(draft, fieldName(draft, parentRef), named);
  if (named.object === draft.object) return refuseItself(draft, fieldName(draft, parentRef), named);
  const before = draft.up.length;
  for (const { section, attachment } of target.rows) {
    switch (attachment) {
      case "RouteToListener":
        addListeners(draft, parentRef, named.object, draft.listenersOf(named.object, target, section ?? "Listener"));
        break;
      case "ListenerSetToGateway":
        addGateway(draft, parentRef, named.object);
        break;
      case "RouteToService":
        addFrontend(draft, parentRef, named.object, target);
        break;
      case undefined:
        if (isPermitted(draft, named)) addUnconditionally(draft, named, section, ref["sectionName"]);
        else refuse(draft, fieldName(draft, parentRef), "RefNotPermitted", formatForbidden(draft, named), named.ref);
    }
  }
  if (draft.up.length > before) named.isParent = true;
}

/** Links to a parent that does not restrict its children. */
function addUnconditionally(
  draft: ParentDraft,
  named: NamedObject,
  section: string | undefined,
  sectionName: Json | undefined,
): void {
  const { object, target, id } = named;
  const before = draft.up.length;
  if (section === undefined) {
    draft.up.push({ order: -1, link: { parent: id } });
  } else if (object !== undefined) {
    for (const [order, item] of sectionsOf(object, target.facts).entries()) {
      const meant = typeof sectionName !== "string" || sectionName === "" || sectionName === item.raw["name"];
      if (item.section === section && meant) draft.up.push({ order, link: { parent: id, section: item.name } });
    }
  }
  if (draft.up.length > before) named.isParent = true;
}

/**
 * A route attaches to the listeners of its direct parent only
 *
 * A parentRef to a Gateway means the Gateway's own listeners; the listeners of its ListenerSets need a parentRef to the
 * ListenerSet. One listener that accepts the route is enough.
 * GEP-1713, "Route Attachment"
 */
function addListeners(
  draft: ParentDraft,
  parentRef: ParentRef,
  owner: KubeObject,
  listeners: readonly Listener[],
): void {
  const request = requestOf(draft, parentRef.ref);
  let accepted = false;
  for (const listener of listeners) {
    if (listenerAccepts(listener, owner.family.namespace, request, labelsFor(draft, listener)) !== "Accepted") continue;
    draft.up.push(listener);
    accepted = true;
  }
  if (!accepted) refuseByListeners(draft, parentRef, owner, listeners);
}

const NO_LABELS: JsonObject = {};
const NO_HOSTNAMES: readonly Json[] = [];

/** The labels of the object's namespace; read only for a selector. */
function labelsFor(draft: ParentDraft, { namespaces }: Pick<Listener, "namespaces">): JsonObject {
  if (namespaces.from !== "Selector") return NO_LABELS;
  draft.labelsRead = true;
  return draft.context.namespaceLabels(draft.namespace);
}

/** Without its object, the labels of a namespace are known only if the namespace is known not to exist. */
function otherNamespace({ context }: ParentDraft, name: string): OtherNamespace {
  const ref = namespaceRef(name);
  const isPresent = context.find(kindId(ref), "", name) !== undefined;
  return { name, hasKnownLabels: isPresent || context.isKnownAbsent?.(ref) === true };
}

function requestOf({ plan, object, namespace }: LinkDraft, { sectionName, port }: JsonObject): RouteRequest {
  const spec = object.raw["spec"];
  const hostnames = isJsonObject(spec) ? spec["hostnames"] : undefined;
  return {
    facts: plan.facts,
    namespace,
    hostnames: isJsonList(hostnames) ? hostnames : NO_HOSTNAMES,
    sectionName: typeof sectionName === "string" && sectionName !== "" ? sectionName : undefined,
    port: typeof port === "number" ? port : undefined,
  };
}

/** How near a listener came to accepting the route. The reason of the nearest one is reported. */
const NEARNESS: Readonly<Record<Acceptance, number>> = {
  OtherName: 0,
  OtherPort: 1,
  OtherKinds: 2,
  OtherProtocol: 2,
  OtherNamespaces: 3,
  OtherHostname: 4,
  Accepted: 5,
};

function refuseByListeners(
  draft: ParentDraft,
  parentRef: ParentRef,
  owner: KubeObject,
  listeners: readonly Listener[],
): void {
  const request = requestOf(draft, parentRef.ref);
  const isAllButSelected = (listener: Listener): boolean =>
    listener.namespaces.from === "Selector" &&
    listenerAccepts({ ...listener, namespaces: { from: "All" } }, owner.family.namespace, request, NO_LABELS) ===
      "Accepted";
  const open = listeners.find(isAllButSelected);
  if (open !== undefined && mayBeSelected(draft, open.namespaces)) {
    const reason = formatAcceptance(
      "OtherNamespaces",
      open,
      owner.ref,
      request,
      otherNamespace(draft, draft.namespace),
    );
    return refuse(draft, fieldName(draft, parentRef), "UnknownNamespaceLabels", reason, owner.ref);
  }
  let nearest: Listener | undefined;
  let why: Acceptance = "OtherName";
  let relevant = 0;
  for (const listener of listeners) {
    const acceptance = listenerAccepts(listener, owner.family.namespace, request, labelsFor(draft, listener));
    if (NEARNESS[acceptance] > NEARNESS.OtherPort) relevant++;
    if (nearest !== undefined && NEARNESS[acceptance] <= NEARNESS[why]) continue;
    nearest = listener;
    why = acceptance;
  }
  let reason = `${formatRef(owner.ref)} has no listeners`;
  if (nearest !== undefined)
    reason = formatAcceptance(why, nearest, owner.ref, request, otherNamespace(draft, request.namespace));
  if (why === "OtherName") reason += suggestListener(listeners, request.sectionName ?? "");
  if (relevant > 1) reason += "; its other listeners do not accept it either";
  refuse(draft, fieldName(draft, parentRef), codeOf(why), reason, owner.ref);
}

/** The part of a selector that is about the one label that every namespace has. */
const aboutName = ({ matchLabels, matchExpressions }: LabelSelector): LabelSelector => ({
  matchLabels: matchLabels.filter(([key]) => key === NAMESPACE_NAME_LABEL),
  matchExpressions: matchExpressions.filter(({ key }) => key === NAMESPACE_NAME_LABEL),
});

/**
 * A selector allows a namespace only by known labels
 *
 * A namespace that is not in the input, where that may be a part of the world, may have the labels that a selector asks for. Then it is not
 * known whether the object is attached, and the Namespace is an absent object of its paths.
 * Gateway API, "RouteNamespaces"
 */
function mayBeSelected(draft: ParentDraft, allowed: AllowedNamespaces): boolean {
  if (allowed.from !== "Selector" || otherNamespace(draft, draft.namespace).hasKnownLabels) return false;
  if (!matchesSelector(aboutName(allowed.selector), draft.context.namespaceLabels(draft.namespace))) return false;
  if (!draft.absentParents.some(isNamespace)) draft.absentParents.push(namespaceRef(draft.namespace));
  return true;
}

function suggestListener(listeners: readonly Listener[], sectionName: string): string {
  const names = listeners.map(({ declaredName }) => declaredName);
  const near = nearMiss(sectionName, names);
  return near === undefined ? "" : `; did you mean '${near}'?`;
}

function codeOf(acceptance: Acceptance): RefusalCode {
  switch (acceptance) {
    case "OtherName":
    case "OtherPort":
      return "NoMatchingParent";
    case "OtherHostname":
      return "NoMatchingListenerHostname";
    case "OtherKinds":
    case "OtherProtocol":
    case "OtherNamespaces":
    case "Accepted":
      return "NotAllowedByListeners";
  }
}

/**
 * A Gateway accepts ListenerSets only if it allows them
 *
 * `allowedListeners.namespaces` of the Gateway decides from which namespaces a ListenerSet may attach; the default is none.
 * GEP-1713, "Gateway & ListenerSet Handshake"
 */
function addGateway(draft: ParentDraft, parentRef: ParentRef, gateway: KubeObject): void {
  const allowed = allowedNamespaces(ALLOWED_LISTENERS.read(gateway.raw), "None");
  const { kind, namespace } = draft.object.ref;
  const { ref: parent, id } = gateway;
  if (isNamespaceAllowed(allowed, parent.namespace, namespace, labelsFor(draft, { namespaces: allowed }))) {
    draft.up.push({ order: -1, link: { parent: id } });
    return;
  }
  const reason = `${formatRef(parent)} ${formatAllowed(allowed, parent.namespace, otherNamespace(draft, namespace), `${kind}s`)}`;
  const code = mayBeSelected(draft, allowed) ? "UnknownNamespaceLabels" : "NotAllowed";
  refuse(draft, fieldName(draft, parentRef), code, reason, parent);
}

const ALLOWED_LISTENERS = keyPath("spec.allowedListeners.namespaces");

/**
 * A mesh route attaches to its Service without a grant
 *
 * A route with a Service as its parent is a producer route in the namespace of the Service and a consumer route elsewhere.
 * Neither needs a ReferenceGrant. `sectionName` and `port` of the parentRef must match a port of the Service.
 * GEP-1294, "Namespace boundaries"
 */
function addFrontend(draft: ParentDraft, parentRef: ParentRef, frontend: KubeObject, target: RefTarget): void {
  const { sectionName, port } = requestOf(draft, parentRef.ref);
  const { ref: parent, id } = frontend;
  const wholeService = sectionName === undefined && port === undefined;
  if (wholeService || sectionsOf(frontend, target.facts).some(({ raw }) => isPort(raw, sectionName, port))) {
    draft.up.push({ order: -1, link: { parent: id, frontend: true } });
    return;
  }
  const wanted = `${sectionName === undefined ? "" : ` '${sectionName}'`}${port === undefined ? "" : ` ${port}`}`;
  refuse(draft, fieldName(draft, parentRef), "NoMatchingParent", `${formatRef(parent)} has no port${wanted}`, parent);
}

const isPort = (raw: JsonObject, name: string | undefined, port: number | undefined): boolean =>
  (name === undefined || raw["name"] === name) && (port === undefined || raw["port"] === port);

/** `spec.parentRefs[1]`, or `spec.parentRef` if the field has one reference. */
const fieldName = ({ object }: LinkDraft, { refField, index }: Omit<ParentRef, "ref">): string =>
  isJsonList(refField.path.read(object.raw)) ? `${refField.path.text}[${index}]` : refField.path.text;

function refuseRef(draft: ParentDraft, refField: RefField, index: number, kind: string): void {
  const field = fieldName(draft, { refField, index });
  refuse(draft, field, "InvalidRef", `${field} must name a ${kind}`);
}

function refuse(draft: ParentDraft, field: string, code: RefusalCode, reason: string, parent?: ObjectRef): void {
  draft.refusals.push({ field, code, reason, ...(parent === undefined ? {} : { parent }) });
}

/** A parent that does not exist gives no path. One that is only not in the snapshot, or refused, may have policies. */
const isKnownAbsent = ({ context }: ParentDraft, { ref, target }: NamedObject): boolean =>
  context.isKnownAbsent?.(ref) === true && context.isInvalid?.(target.id, ref.namespace, ref.name) !== true;

function refuseAbsent(draft: ParentDraft, field: string, named: NamedObject): void {
  if (!isKnownAbsent(draft, named)) draft.absentParents.push(named.ref);
  refuse(draft, field, "ParentNotFound", formatMissing(draft.context, named), named.ref);
}

const refuseItself = (draft: ParentDraft, field: string, { ref }: NamedObject): void =>
  refuse(draft, field, "SelfReference", `${formatRef(ref)} names itself as its parent`, ref);
